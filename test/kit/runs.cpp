// SPDX-License-Identifier: Apache-2.0
#include "runs.hpp"

#include "cyclotome/engine/poly.hpp"

namespace cyclotome::kit {

using program::Program;
using program::Value;

Inputs random_inputs(const Program& program, std::size_t batch, std::mt19937_64& random) {
  Inputs inputs{batch, {}, {}};
  for (const std::uint32_t number : program.operands()) {
    const Value& value = program.values()[number];
    inputs.residues.emplace_back();
    if (value.role != Value::Role::input) continue;
    const std::size_t items = value.items == program::each ? batch : value.items, n = value.ring->degree();
    for (std::size_t i = 0; i < items * value.parts * value.ring->limbs(); ++i) {
      const std::uint64_t q = value.ring->basis()[i % value.ring->limbs()];
      for (std::size_t c = 0; c < n; ++c) {
        const std::uint64_t edges[] = {0, 1, q - 1, q / 2, q / 2 + 1};
        inputs.residues.back().push_back(random() % 8 == 0 ? edges[random() % 5] % q : random() % q);
      }
    }
  }
  for (std::size_t i = 0; i < program.seeds(); ++i) {
    std::array<std::uint8_t, 32> bytes;
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    inputs.seeds.emplace_back(bytes);
  }
  return inputs;
}

std::vector<Residues> outputs_of(const Execution& execution, const EnginePtr& engine, const Inputs& inputs,
                                 std::uint32_t first_item) {
  const Program& program = execution.program();
  std::vector<PolyArray> arrays;
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < program.operands().size(); ++i) {
    const Value& value = program.values()[program.operands()[i]];
    arrays.emplace_back(engine, value.ring, value.items == program::each ? inputs.batch : value.items, value.parts,
                        value.domain);
    View view = arrays.back().view();
    if (value.role == Value::Role::input) {
      arrays.back().from_host(inputs.residues[i]);
      operands.emplace_back(ConstView(view));
      continue;
    }
    const std::vector<std::byte> ones(arrays.back().bytes(), std::byte{0xff});
    engine->upload(view.data, ones.data(), ones.size());
    if (value.is_numbers()) view.batch_stride = 1;
    operands.emplace_back(view);
  }
  std::vector<const Seed*> seeds;
  for (const Seed& seed : inputs.seeds) seeds.push_back(&seed);
  execution.run(operands, seeds, first_item);
  std::vector<Residues> outputs;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Value& value = program.values()[program.operands()[i]];
    if (value.role != Value::Role::output) continue;
    outputs.push_back(arrays[i].to_host());
    if (value.is_numbers()) outputs.back().resize(inputs.batch);
  }
  return outputs;
}

}  // namespace cyclotome::kit
