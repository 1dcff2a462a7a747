// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/engine.hpp"

namespace cyclotome::cuda {

struct DeviceState;

/// Numbers in the host's memory (HostMemory).
class HostNumbers final : public ProgramNumbers {
 public:
  /// count: at most HostMemory::words. engine: the one that has this state. Throws EngineError.
  HostNumbers(EnginePtr engine, DeviceState& state, std::size_t count);
  /// Waits for a program whose numbers nobody has taken.
  ~HostNumbers() override;

  View view() noexcept override;
  void take(std::uint64_t* numbers) override;

 private:
  bool written();
  void forget() noexcept;

  EnginePtr engine_;  ///< keeps the state alive
  DeviceState& state_;
  std::size_t count_;
  std::uint64_t* words_;
  std::size_t seen_ = 0;  ///< so many were written when one looked last
  bool asked_ = false;    ///< a program may write that nobody has waited for
};

}  // namespace cyclotome::cuda
