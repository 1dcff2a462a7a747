// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/noise_peaks.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::rlwe {

void NoisePeaks::require(const char* operation, double log2_bound, double log2_unit, double error) {
  std::vector<std::uint64_t> peaks(batch_);
  numbers_->take(peaks.data());
  std::uint64_t largest = 0;
  for (const std::uint64_t peak : peaks) largest = peak > largest ? peak : largest;  // no branch: they are secret
  secure_zero(peaks.data(), peaks.size() * sizeof(peaks[0]));
  const double allowed = std::exp2(std::min(log2_bound - log2_unit, 0.0)) + error;
  const auto most = static_cast<std::uint64_t>(std::min(std::ceil(std::ldexp(allowed, fraction_bits)), 0x1p62));
  if (declassify(largest > most)) {
    throw ContradictionError(
        message(operation,
                ": the ciphertext holds more noise than the bound that it states allows, so that its value "
                "could be wrong: it was altered on its way, or made by something else than this library; get "
                "it anew, and don't let whoever sent it know what came of it"));
  }
}

}  // namespace cyclotome::rlwe
