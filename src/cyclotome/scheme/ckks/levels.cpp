// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/ckks/levels.hpp"

#include <cmath>

#include "cyclotome/math/primes.hpp"

namespace cyclotome::ckks {

std::vector<double> level_scales(const std::vector<std::uint64_t>& moduli, double lowest) {
  std::vector<double> scales{lowest};
  for (std::size_t l = 1; l < moduli.size(); ++l) {
    scales.push_back(std::sqrt(scales.back() * static_cast<double>(moduli[l])));
  }
  return scales;
}

std::vector<std::uint64_t> level_primes(unsigned bits, std::uint64_t step, std::size_t count,
                                        const std::vector<std::uint64_t>& excluded) {
  const std::size_t below = count / 2, above = count - below;
  const std::vector<std::uint64_t> high =
      smallest_primes_congruent_to_one(step, above, std::uint64_t{1} << bits, excluded);
  const std::vector<std::uint64_t> low = primes_congruent_to_one(bits, step, below, excluded);
  std::vector<std::uint64_t> primes;
  for (std::size_t i = 0; i < count; ++i) primes.push_back(i % 2 == 0 ? high[i / 2] : low[i / 2]);
  return primes;
}

}  // namespace cyclotome::ckks
