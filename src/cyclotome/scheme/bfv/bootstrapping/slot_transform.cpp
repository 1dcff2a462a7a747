// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/bootstrapping/slot_transform.hpp"

#include <utility>

#include "cyclotome/math/primes.hpp"

namespace cyclotome::bfv {

namespace {

/// Places in the order of reversed bits.
void reverse_bits(std::vector<std::uint64_t>& a) {
  for (std::size_t i = 1, j = 0; i < a.size(); ++i) {
    std::size_t bit = a.size() >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
}

}  // namespace

SlotTransform::SlotTransform(const RingShape& ring, std::uint64_t prime, unsigned power)
    : prime_(prime),
      power_(power),
      modulus_(power == 1 ? prime : prime * prime),
      roots_(ring.index()),
      unit_(ring.degree()) {
  const std::size_t n = ring.degree(), order = ring.index();
  // The p-th power of any lift of a root modulo p has the same order modulo p^2 (Teichmueller's).
  const std::uint64_t root = minimal_primitive_root(order, prime);
  const std::uint64_t zeta = power == 1 ? root : modulus_.power(root, prime);
  roots_[0] = 1;
  for (std::size_t i = 1; i < order; ++i) roots_[i] = modulus_.multiply(roots_[i - 1], zeta);
  std::size_t element = 1;
  for (std::size_t k = 0; k < n / 2; ++k, element = element * 3 % order) {
    unit_[k] = element;
    unit_[n / 2 + k] = order - element;
  }
}

std::uint64_t SlotTransform::inverse(std::uint64_t value) const noexcept {
  const std::uint64_t units = (prime_ - 1) * (power_ == 1 ? 1 : prime_);
  return modulus_.power(modulus_.reduce(value), units - 1);
}

std::vector<std::uint64_t> SlotTransform::coefficients(const std::vector<std::uint64_t>& values) const {
  const std::size_t n = degree();
  // Of the values at zeta^(2i+1), a cyclic transform of a_j zeta^j: back, then times zeta^-j / n.
  std::vector<std::uint64_t> a(n);
  for (std::size_t slot = 0; slot < n; ++slot) a[unit_[slot] / 2] = values[slot];
  reverse_bits(a);
  for (std::size_t length = 2; length <= n; length *= 2) {
    for (std::size_t block = 0; block < n; block += length) {
      for (std::size_t j = 0; j < length / 2; ++j) {
        std::uint64_t &low = a[block + j], &high = a[block + j + length / 2];
        const std::uint64_t turned = modulus_.multiply(high, inverse_root(index() / length * j));
        high = modulus_.subtract(low, turned);
        low = modulus_.add(low, turned);
      }
    }
  }
  const std::uint64_t scale = inverse(n);
  for (std::size_t j = 0; j < n; ++j) a[j] = modulus_.multiply(a[j], modulus_.multiply(scale, inverse_root(j)));
  return a;
}

}  // namespace cyclotome::bfv
