// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/polynomials/bit_polynomial.hpp"

#include <bit>
#include <utility>

#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::study::ltv {

std::ptrdiff_t BitPolynomial::degree() const noexcept {
  for (std::size_t i = words_.size(); i-- > 0;) {
    if (words_[i] != 0) return static_cast<std::ptrdiff_t>(64 * i) + std::bit_width(words_[i]) - 1;
  }
  return -1;
}

void BitPolynomial::flip(std::size_t i) {
  if (i / 64 >= words_.size()) words_.resize(i / 64 + 1);
  words_[i / 64] ^= std::uint64_t{1} << (i % 64);
}

void BitPolynomial::add_shifted(const BitPolynomial& other, std::size_t shift) {
  const std::size_t words = shift / 64, bits = shift % 64;
  for (std::size_t i = 0; i < other.words_.size() && i + words < words_.size(); ++i) {
    words_[i + words] ^= other.words_[i] << bits;
    if (bits != 0 && i + words + 1 < words_.size()) words_[i + words + 1] ^= other.words_[i] >> (64 - bits);
  }
}

void BitPolynomial::reduce(const BitPolynomial& divisor) {
  const std::ptrdiff_t end = divisor.degree();
  for (std::ptrdiff_t top = degree(); top >= end; --top) {
    if (bit(static_cast<std::size_t>(top))) add_shifted(divisor, static_cast<std::size_t>(top - end));
  }
  words_.resize(static_cast<std::size_t>(degree() + 64) / 64);
}

BitPolynomial BitPolynomial::gcd(BitPolynomial a, BitPolynomial b) {
  while (b.degree() >= 0) {
    check_interrupt_often();
    a.reduce(b);
    std::swap(a, b);
  }
  return a;
}

}  // namespace cyclotome::study::ltv
