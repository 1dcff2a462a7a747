// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/running/sum_terms.hpp"

namespace cyclotome::circuit {

Terms terms_of(const Circuit& circuit, const Schedule& schedule, Wire sum) {
  Terms terms;
  for (const Term& term : circuit.operands(sum)) {
    const Gate& gate = circuit.gate(term.wire);
    const Kind kind = gate.depth < circuit.gate(sum).depth ? earlier
                      : schedule.fused(term.wire)          ? fused
                      : gate.three_parts                   ? three_parts
                                                           : two_parts;
    terms[kind].push_back(term);
  }
  return terms;
}

std::map<Signature, std::vector<Wire>> sums_alike(const Circuit& circuit, const Schedule& schedule,
                                                  std::span<const Wire> sums) {
  std::map<Signature, std::vector<Wire>> alike;
  for (const Wire sum : sums) {
    const Terms terms = terms_of(circuit, schedule, sum);
    Signature signature{};
    for (std::size_t kind = 0; kind < kinds; ++kind) signature[kind] = terms[kind].size();
    // Earlier terms may have two or three parts.
    for (const Term& term : terms[earlier]) signature[kinds] += circuit.gate(term.wire).three_parts;
    signature[kinds + 1] = schedule.late(sum) ? 1 : 0;
    alike[signature].push_back(sum);
  }
  return alike;
}

}  // namespace cyclotome::circuit
