// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::rlwe {

/// What decryption sees of the noise while it rounds: for each ciphertext, how far the coefficient with the most noise
/// is from its message, as a fraction of the modulus. A second check behind the bound: garbage passes it with
/// probability below (15/16)^n, a ciphertext whose bound holds always.
class NoisePeaks {
 public:
  NoisePeaks(const Context& context, std::size_t batch) : NoisePeaks(batch, context.engine()->make_numbers(batch)) {}
  /// Of which nobody asks anything: no engine makes anyone wait for them.
  static NoisePeaks unread(const Context& context, std::size_t batch) {
    return {batch, context.engine()->Engine::make_numbers(batch)};
  }

  /// Memory for a number for each item, as programs write them.
  View view() noexcept { return numbers_->view(); }

  /// Waits for the peaks, and throws ContradictionError if one is more than a noise of 2^log2_bound allows. log2_unit:
  /// log2 of the noise that a fraction of 1 stands for; error: how far fractions may be off. That it throws is all that
  /// it tells.
  void require(const char* operation, double log2_bound, double log2_unit, double error);

 private:
  NoisePeaks(std::size_t batch, std::unique_ptr<ProgramNumbers> numbers)
      : batch_(batch), numbers_(std::move(numbers)) {}

  std::size_t batch_;
  std::unique_ptr<ProgramNumbers> numbers_;
};

}  // namespace cyclotome::rlwe
