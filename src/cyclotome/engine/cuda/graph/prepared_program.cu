// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>

#include "cyclotome/engine/cuda/graph/prepared_program.cuh"
#include "cyclotome/engine/cuda/memory/device_tables.cuh"
#include "cyclotome/engine/running/schedule.hpp"

namespace cyclotome::cuda {

using program::Composite;
using program::Op;
using program::Place;
using program::Program;

void PreparedStep::operator()(const Frame& frame, const StepContext& at) const {
  std::array<View, Composite::max_places> views;
  for (std::size_t i = 0; i < places.size(); ++i) views[i] = frame.view(places[i]);
  work(at, {views.data(), places.size()});
}

PreparedProgram::PreparedProgram(DeviceConstants& constants, const Program& program) : program_(program) {
  std::vector<Step> natives;
  std::vector<bool> known;
  for (const Composite& composite : program.composites()) {
    natives.push_back(prepare_native(constants, program, composite));
    known.push_back(natives.back() != nullptr);
  }
  const Schedule schedule(program, known);
  for (const auto* const part : {&schedule.once(), &schedule.tile()}) {
    for (const Schedule::Step& step : *part) {
      steps_.push_back(step.composite ? native(program.composites()[step.index], std::move(natives[step.index]))
                                      : verb(constants, program.ops()[step.index]));
      steps_.back().begins = step.begins;
      steps_.back().ends = step.ends;
    }
  }
  once_ = schedule.once().size();
  kept_ = schedule.kept();
  item_bytes_ = schedule.item_bytes();
  fixed_bytes_ = schedule.fixed_bytes();
  draws_ = std::ranges::any_of(steps_, &PreparedStep::draws);
  // Two operands of a kernel may lie side by side in its grid.
  std::size_t parts = 1;
  for (const program::Value& value : program.values()) parts = std::max(parts, value.parts);
  most_items_ = std::max<std::size_t>(1, max_items / (2 * parts));
}

PreparedStep PreparedProgram::verb(DeviceConstants& constants, const Op& op) const {
  PreparedStep step{.name = program::name_of(op.verb),
                    .work = prepare_verb(constants, op),
                    .places = {op.out, op.a, op.b},
                    .draws = op.verb == program::Verb::sample};
  for (const Place& place : step.places) {
    if (place.exists() && program_.values()[place.value].secret) step.secret = true;
  }
  note_operands(step);
  return step;
}

PreparedStep PreparedProgram::native(const Composite& composite, Step work) const {
  PreparedStep step{.name = composite.name, .work = std::move(work), .places = composite.outs};
  std::ranges::copy(composite.ins, std::back_inserter(step.places));
  step.secret = composite.secret;
  note_operands(step);
  return step;
}

void PreparedProgram::note_operands(PreparedStep& step) const {
  const auto& numbers = program_.operands();
  for (const Place& place : step.places) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (place.value == numbers[i]) step.operands |= std::uint32_t{1} << i;
    }
  }
}

}  // namespace cyclotome::cuda
