// SPDX-License-Identifier: Apache-2.0
#pragma once

// A program on an engine, with operands that come and go: what the tests of the GPU's programs share.

#include <list>

#include "cyclotome/engine/poly.hpp"
#include "programs.hpp"
#include "seed.hpp"

namespace cyclotome::check {

using Residues = std::vector<std::vector<std::uint64_t>>;

/// A program with its executions, and operands of them.
class Trial {
 public:
  Trial(const program::ProgramPtr& program, const EnginePtr& engine)
      : Trial(program, engine, engine->prepare(program)) {}
  Trial(program::ProgramPtr program, EnginePtr engine, ExecutionPtr execution)
      : program_(std::move(program)), engine_(std::move(engine)), execution_(std::move(execution)) {}

  /// Outputs of a run on operands that `round` says, of this law. spread: items lie so many times as far apart as they
  /// have to. The memory stays in use until the trial goes, so that the next run's lies elsewhere.
  Residues operator()(std::size_t items, std::uint8_t round, std::size_t spread = 1, std::uint32_t first_item = 0,
                      Law law = Law::uniform) {
    std::vector<PolyArray>& arrays = kept_.emplace_back();
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < program_->operands().size(); ++i) {
      const program::Value& value = program_->values()[program_->operands()[i]];
      const bool each = value.items == program::each, numbers = value.is_numbers();
      const std::size_t batch = each ? items : value.items;
      PolyArray& array = arrays.emplace_back(engine_, value.ring, batch * (each && !numbers ? spread : 1), value.parts,
                                             value.domain, value.secret);
      View view = operand_view(value, array.view());
      view.batch = batch;
      if (each && !numbers) view.batch_stride *= spread;
      if (value.role == program::Value::Role::input) {
        engine_->sample(view, law, seed(static_cast<std::uint8_t>(round + i)), Stream::secret);
        operands.emplace_back(ConstView(view));
      } else {
        operands.emplace_back(view);
      }
    }
    return run(operands, arrays, spread, items, round, first_item);
  }

  void forget() { kept_.clear(); }

 private:
  Residues run(const std::vector<Operand>& operands, std::vector<PolyArray>& arrays, std::size_t spread,
               std::size_t items, std::uint8_t round, std::uint32_t first_item) {
    const Seed first = seed(static_cast<std::uint8_t>(100 + round)), second = seed(round);
    const Seed* const seeds[] = {&first, &second};
    execution_->run(operands, {seeds, program_->seeds()}, first_item);
    Residues found;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const program::Value& value = program_->values()[program_->operands()[i]];
      if (value.role != program::Value::Role::output) continue;
      const std::vector<std::uint64_t> all = arrays[i].to_host();
      const std::size_t stride = value.is_numbers() ? 1 : all.size() / arrays[i].batch();
      const std::size_t step = arrays[i].batch() == items ? 1 : spread;
      auto& here = found.emplace_back();
      for (std::size_t b = 0; b < items; ++b) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(b * step * stride);
        here.insert(here.end(), begin, begin + static_cast<std::ptrdiff_t>(stride));
      }
    }
    return found;
  }

  program::ProgramPtr program_;
  EnginePtr engine_;
  ExecutionPtr execution_;
  std::list<std::vector<PolyArray>> kept_;
};

}  // namespace cyclotome::check
