// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/execution.hpp"

#include <array>

#include "cyclotome/engine/running/memory_range.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome {

using program::Program;
using program::Value;

namespace {

template <class... Parts>
void require(bool condition, const Program& program, const Parts&... what) {
  if (!condition) [[unlikely]]
    throw ArgumentError(message(program.name(), ": ", what...));
}

void require_shape(const Program& program, std::size_t index, const Operand& operand) {
  const Value& value = program.values()[program.operands()[index]];
  const View& v = operand.view();
  const bool same_ring = v.ring->same_as(*value.ring);
  require(same_ring && v.parts == value.parts && v.domain == value.domain &&
              (value.items == program::each || v.batch == value.items),
          program, "operand ", index, " of ", v.parts, " parts, ", v.limbs(), " limbs and ", v.batch,
          " items is not what the program was built for: ", value.parts, " parts and ", value.ring->limbs(),
          " limbs of one ring, in one domain");
  require(operand.writable() || value.role == Value::Role::input, program, "operand ", index,
          " is the result's memory, and may not be written to");
  require(!value.is_numbers() || v.batch == 1 || v.batch_stride == 1, program, "operand ", index,
          ": numbers stand one after another");
}

}  // namespace

void Execution::run(std::span<const Operand> operands, std::span<const Seed* const> seeds,
                    std::uint32_t first_item) const {
  const Program& program = *program_;
  const auto& numbers = program.operands();
  require(operands.size() == numbers.size() && seeds.size() == program.seeds(), program, operands.size(),
          " operands and ", seeds.size(), " seeds were given; it takes ", numbers.size(), " and ", program.seeds());
  std::array<View, max_operands> views;
  require(numbers.size() <= max_operands, program, numbers.size(), " operands; at most ", max_operands);
  std::size_t batch = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    require_shape(program, i, operands[i]);
    views[i] = operands[i].view();
    if (program.values()[numbers[i]].items != program::each) continue;
    require(batch == 0 || batch == views[i].batch, program, "operand ", i, " has ", views[i].batch, " items, others ",
            batch);
    batch = views[i].batch;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (program.values()[numbers[i]].role != Value::Role::output) continue;
    for (std::size_t j = 0; j < operands.size(); ++j) {
      require(i == j || !MemoryRange(views[i]).overlaps(MemoryRange(views[j])), program,
              "the result must not overlap operand ", j);
    }
  }
  constexpr std::uint64_t most_items = std::uint64_t{1} << 32;
  require(seeds.empty() || batch <= most_items - first_item, program, batch, " items from item ", first_item,
          " on; one seed has ", most_items, " of a stream");
  const std::span<const View> checked(views.data(), operands.size());
  try {
    do_run(checked, batch, seeds, first_item);
  } catch (...) {
    zeroise_outputs(checked);
    throw;
  }
}

/// Whatever they are declared as: what becomes public in the end may hold a secret on the way there. An engine that
/// can't any more has lost the memory, too.
void Execution::zeroise_outputs(std::span<const View> operands) const noexcept {
  const InterruptPause pause;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (program_->values()[program_->operands()[i]].role != Value::Role::output) continue;
    try {
      zeroise(operands[i]);
    } catch (...) {  // what ended the run is what the caller hears of
    }
  }
}

}  // namespace cyclotome
