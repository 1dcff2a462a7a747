// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/ring_shape.hpp"

#include "cyclotome/math/primes.hpp"

namespace cyclotome {

bool RingShape::has_transform(std::uint64_t modulus) const noexcept {
  return modulus % transform_step_ == 1 && is_prime(modulus);
}

}  // namespace cyclotome
