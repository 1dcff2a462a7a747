// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::rlwe {

/// What decryption sees of the noise while it rounds: for each ciphertext, how far the coefficient with the most noise
/// is from its message, as a fraction of the modulus. A second check behind the bound: garbage passes it with
/// probability below (15/16)^n, a ciphertext whose bound holds always.
class NoisePeaks {
 public:
  NoisePeaks(const Context& context, std::size_t batch);

  /// Where an engine writes them, and the same as an operand of Engine::run.
  std::uint64_t* data() noexcept { return static_cast<std::uint64_t*>(peaks_.view().data); }
  ConstView operand() const noexcept { return peaks_.view(); }

  /// Throws ContradictionError if a peak is more than a noise of 2^log2_bound allows. log2_unit: log2 of the noise that
  /// a fraction of 1 stands for; error: how far fractions may be off. That it throws is all that it tells.
  void require(const char* operation, double log2_bound, double log2_unit, double error) const;

 private:
  PolyArray peaks_;
};

}  // namespace cyclotome::rlwe
