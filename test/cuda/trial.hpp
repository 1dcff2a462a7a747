// SPDX-License-Identifier: Apache-2.0
#pragma once

// A program on an engine, with operands that come and go: what the tests of the GPU's programs share.

#include <list>

#include "cyclotome/engine/poly.hpp"
#include "programs.hpp"
#include "seed.hpp"

namespace cyclotome::check {

/// Words of each output, item after item, as the engine keeps them.
using Residues = std::vector<std::vector<std::uint8_t>>;

/// A program with its executions, and operands of them.
class Trial {
 public:
  Trial(const program::ProgramPtr& program, const EnginePtr& engine)
      : Trial(program, engine, engine->prepare(program)) {}
  Trial(program::ProgramPtr program, EnginePtr engine, ExecutionPtr execution)
      : program_(std::move(program)), engine_(std::move(engine)), execution_(std::move(execution)) {}

  /// Outputs of a run on operands that `round` says, of this law. spread: items lie so many times as far apart as they
  /// have to. The memory stays in use until it is forgotten, so that the next run's lies elsewhere.
  Residues operator()(std::size_t items, std::uint8_t round, std::size_t spread = 1, std::uint32_t first_item = 0,
                      Law law = Law::uniform) {
    run(items, round, spread, first_item, law);
    Residues found;
    const std::vector<PolyArray>& arrays = kept_.back();
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const program::Value& value = program_->values()[program_->operands()[i]];
      if (value.role == program::Value::Role::output) found.push_back(words(value, arrays[i], items, spread));
    }
    return found;
  }

  /// The same, without a look at the outputs.
  void run(std::size_t items, std::uint8_t round, std::size_t spread = 1, std::uint32_t first_item = 0,
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
    const Seed first = seed(static_cast<std::uint8_t>(100 + round)), second = seed(round);
    const Seed* const seeds[] = {&first, &second};
    execution_->run(operands, {seeds, program_->seeds()}, first_item);
  }

  void forget() { kept_.clear(); }

 private:
  /// Of an output's items, past what lies between them.
  std::vector<std::uint8_t> words(const program::Value& value, const PolyArray& array, std::size_t items,
                                  std::size_t spread) const {
    const ConstView view = array.view();
    const std::size_t word = bytes_of(value.ring->word());
    const std::size_t item = value.is_numbers() ? word : value.item_bytes();
    const std::size_t step = view.batch == items ? 1 : spread;
    std::vector<std::uint8_t> found(items * item);
    engine_->download_runs(found.data(), view.data, item, step * item, items);
    return found;
  }

  program::ProgramPtr program_;
  EnginePtr engine_;
  ExecutionPtr execution_;
  std::list<std::vector<PolyArray>> kept_;
};

}  // namespace cyclotome::check
