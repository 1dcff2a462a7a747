// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/plan.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "cyclotome/circuit/ciphertext_algebra.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::circuit {

namespace {

using State = NoiseAlgebra::State;

std::string whole(double value) { return std::to_string(static_cast<long>(std::floor(value))); }

/// Names what was needed: every layer takes about as many bits of the modulus as those that could be computed.
[[noreturn]] void refuse(const Circuit& circuit, const rlwe::Parameters& parameters, const Plan& plan) {
  const auto failed = std::ranges::find_if(plan.layers, [](const LayerReport& layer) { return layer.headroom < 0; });
  const std::size_t start = plan.layers.front().level;
  const std::size_t done = failed == plan.layers.end() ? circuit.depth() : std::max<std::size_t>(failed->layer, 1) - 1;
  std::ostringstream advice;
  if (done > 0 && parameters.scheme().has_levels()) {
    const double used = parameters.log2_modulus(start) - parameters.log2_modulus(plan.layers[done].level);
    if (used > 0) advice << ", about " << std::ceil(used / static_cast<double>(done)) << " bits of q each";
  }
  throw NoiseError(message(
      circuit.name(), ": ", circuit.depth(), " products one after the other need ", circuit.depth() + 1, " levels",
      advice.str(), "; inputs at level ", start, " of ", parameters.summary(), " carry ", done,
      " of them. Use parameters with a larger log q (plan says how a circuit fits), or inputs at a higher level"));
}

}  // namespace

Plan plan(const Circuit& circuit, const rlwe::Parameters& parameters, std::span<const State> inputs,
          std::size_t width) {
  const NoiseAlgebra algebra(parameters, width, items_at_once(parameters, width));
  if (!inputs.empty() && inputs.size() != circuit.inputs().size()) {
    throw ArgumentError(message(circuit.name(), " takes ", circuit.inputs().size(), " inputs, not ", inputs.size()));
  }
  std::vector<BatchPtr> batches;
  for (std::size_t i = 0; i < circuit.inputs().size(); ++i) {
    const std::size_t wires = circuit.inputs()[i].wires.size();
    batches.push_back(algebra.batch(wires, inputs.empty() ? algebra.fresh() : inputs[i]));
  }
  const Result result = evaluate(circuit, algebra, std::move(batches));
  Plan found{result.layers, counts_of(circuit), 0, 1, true, 1e9};
  for (const LayerReport& layer : result.layers) found.carried = found.carried && layer.headroom >= 0;
  for (const BatchPtr& output : result.outputs) {
    if (output == nullptr) continue;
    const Facts facts = algebra.facts(*output);
    found.level = facts.level;
    found.headroom = std::min(found.headroom, facts.headroom);
  }
  found.carried = found.carried && found.headroom >= 0;
  found.peak_bytes = algebra.peak_bytes();
  return found;
}

std::string explain(const Circuit& circuit, const Plan& plan) {
  std::ostringstream text;
  text << circuit.name() << ": depth " << circuit.depth() << ", " << plan.counts.products << " products, "
       << plan.counts.relinearizations << " relinearisations, " << plan.counts.additions << " additions, "
       << byte_size(plan.peak_bytes) << " at most\n"
       << " layer  level  products  relinearisations  additions  batches  noise  headroom\n";
  for (const LayerReport& layer : plan.layers) {
    text << std::setw(6) << layer.layer << std::setw(7) << layer.level << std::setw(10) << layer.counts.products
         << std::setw(18) << layer.counts.relinearizations << std::setw(11) << layer.counts.additions << std::setw(9)
         << layer.operations;
    const bool computed = layer.log2_noise > -1e8;
    text << std::setw(7) << (computed ? whole(layer.log2_noise) : "-") << std::setw(10)
         << (computed ? whole(layer.headroom) : "-") << "\n";
  }
  text << "outputs at level " << plan.level << " with " << whole(plan.headroom) << " bits of headroom"
       << (plan.carried ? "\n" : ": these parameters do not carry it\n");
  return text.str();
}

Computed compute(const Circuit& circuit, std::span<const rlwe::Ciphertext> inputs,
                 const std::shared_ptr<const rlwe::EvaluationKeys>& keys, std::size_t width, const Progress& progress) {
  const CiphertextAlgebra algebra(keys, width);
  const rlwe::Context& context = *keys->context();
  std::vector<BatchPtr> batches;
  std::vector<State> states;
  for (const rlwe::Ciphertext& input : inputs) {
    batches.push_back(algebra.batch(input));
    states.push_back({input.noise(), input.level(), input.correction()});
  }
  const Plan planned = plan(circuit, context.parameters(), states, width);
  if (!planned.carried) refuse(circuit, context.parameters(), planned);
  require_memory(*context.engine(), circuit.name(), planned.peak_bytes, "compute fewer lists or blocks at once");
  Result result = evaluate(circuit, algebra, std::move(batches), progress);
  Computed computed;
  computed.layers = std::move(result.layers);
  for (const BatchPtr& output : result.outputs) {
    if (output == nullptr) continue;
    computed.outputs.push_back(CiphertextAlgebra::ciphertexts(*output));
    if (!rlwe::is_transparent(computed.outputs.back())) continue;
    throw TransparentError(message(circuit.name(),
                                   ": a result would hide nothing, as of a number compared with itself; ",
                                   "leave the operation out, or encrypt one of the inputs anew"));
  }
  return computed;
}

}  // namespace cyclotome::circuit
