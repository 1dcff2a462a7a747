// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/conversion/mixed_radix.hpp"

#include "cyclotome/ring/tables/limb_values.hpp"

namespace cyclotome {

MixedRadix::MixedRadix(const RingPtr& ring_) : ring(ring_), inverses{1} {
  const Basis& basis = ring->basis();
  const std::size_t k = basis.size();
  for (std::size_t j = 0; j + 1 < k; ++j) {
    const RingPtr digit = ring->slice(j, 1), rest = ring->slice(j + 1, k - j - 1);
    steps.push_back({digit, rest, BaseConversion(digit->basis(), rest->basis(), Lift::fast),
                     cyclotome::inverses(digit->basis(), rest->basis())});
  }
  for (std::size_t i = 1; i < k; ++i) {
    std::uint64_t product = 1;
    for (std::size_t j = 0; j < i; ++j) {
      weights.push_back(product);
      product = multiply_mod(product, basis[j], basis[i]);
    }
    inverses.push_back(inverse_of(product, basis[i]));
  }
  for (std::size_t i = 0; i < k; ++i) {
    sizes.push_back((basis.slice(i, k - i).product().bit_length() + 63) / 64);
  }
}

}  // namespace cyclotome
