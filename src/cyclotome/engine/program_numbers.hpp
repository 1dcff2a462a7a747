// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cyclotome/ring/view.hpp"

namespace cyclotome {

/// Secret numbers of 64 bits, one for each item, that a program writes (program::Builder::output_numbers) and the host
/// reads as soon as they are there. For one thread at a time.
class ProgramNumbers {
 public:
  ProgramNumbers() = default;
  virtual ~ProgramNumbers() = default;
  ProgramNumbers(const ProgramNumbers&) = delete;
  ProgramNumbers& operator=(const ProgramNumbers&) = delete;

  /// Where a program writes them, one after another. Who runs one more takes the numbers of the one before first.
  virtual View view() noexcept = 0;
  /// Copies what the program wrote, a number for each item, to the host, whose copy the caller wipes; waits for them,
  /// not for the program's end. They are gone here then: once for each run. Throws EngineError.
  virtual void take(std::uint64_t* numbers) = 0;
};

}  // namespace cyclotome
