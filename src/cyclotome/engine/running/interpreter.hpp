// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/engine.hpp"
#include "cyclotome/engine/running/schedule.hpp"

namespace cyclotome {

/// Runs a program step by step with an engine's natives and verbs, a tile of items at a time that fits the engine's
/// working set. Temporaries are the engine's memory from their first use to their last.
class Interpreter final : public Execution {
 public:
  Interpreter(EnginePtr engine, program::ProgramPtr program);

  std::vector<std::string_view> steps() const override;
  const Schedule& schedule() const noexcept { return schedule_; }

 protected:
  void do_run(std::span<const View> operands, std::size_t batch, std::span<const Seed* const> seeds,
              std::uint32_t first_item) const override;
  void zeroise(const View& output) const override;

 private:
  class Run;
  EnginePtr engine_;
  std::vector<Native> natives_;  // by composite
  Schedule schedule_;
};

}  // namespace cyclotome
