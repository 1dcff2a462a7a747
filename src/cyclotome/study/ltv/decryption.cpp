// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/ltv/operations.hpp"
#include "cyclotome/study/ltv/polynomials/inversion.hpp"

namespace cyclotome::study::ltv {

namespace {

/// f^key_power c modulo q, CRT domain.
Polynomial phase_of(const Ciphertext& a, const SecretKey& key) {
  if (a.parameters->fingerprint() != key.parameters()->fingerprint()) {
    throw MismatchError(message("decrypt: the ciphertext has the parameters ", a.parameters->summary(),
                                "; the key has ", key.parameters()->summary()));
  }
  if (a.key != key.id())
    throw MismatchError("decrypt: the ciphertext belongs to another key; use the one it was made for");
  const Arithmetic& arithmetic = *a.parameters->arithmetic();
  Polynomial phase = a.polynomial;
  for (unsigned i = 0; i < a.key_power; ++i)
    phase = arithmetic.multiply_transformed(arithmetic.ntt(phase), key.transform());
  return phase;
}

/// Integers modulo q in place of the coefficients in [0, q), and in another basis: RAW words of all m exponents.
struct NormalPhase {
  Bits parity;                     ///< of the centred coefficient of x^j, for j prime to m; else 0
  ZeroisingVector<double> values;  ///< the same coefficients, rounded
};

double value_of(const std::uint32_t* words, unsigned count) {
  double value = 0;
  for (unsigned i = count; i-- > 0;) value = std::ldexp(value, 32) + words[i];
  return value;
}

/// Each residue's row to the normal basis, then integers, centred.
NormalPhase normal_phase(const Polynomial& phase, const Arithmetic& arithmetic) {
  const CyclotomicPolynomial& ring = arithmetic.ring();
  const std::size_t m = ring.index(), n = arithmetic.degree();
  ZeroisingVector<std::uint32_t> rows(phase.primes * m);
  for (std::size_t j = 0; j < phase.primes; ++j) {
    const auto row = ring.to_normal(std::span<const std::uint32_t>(phase.words.data() + j * n, n),
                                    Residues{arithmetic.basis().modulus(j)});
    std::ranges::copy(row, rows.begin() + static_cast<std::ptrdiff_t>(j * m));
  }
  const LevelConstants level = arithmetic.basis().constants(phase.primes);
  NormalPhase result{Bits(m), ZeroisingVector<double>(m)};
  std::uint32_t integer[most_words], negative[most_words];
  for (std::size_t i = 0; i < m; ++i) {
    integer_of(integer, rows.data() + i, m, level);
    std::uint64_t borrow = 0;  // q - x
    for (unsigned k = 0; k < level.words; ++k) {
      const std::uint64_t difference = static_cast<std::uint64_t>(level.product[k]) - integer[k] - borrow;
      negative[k] = static_cast<std::uint32_t>(difference);
      borrow = difference >> 63;
    }
    const double positive = value_of(integer, level.words), other = value_of(negative, level.words);
    const bool is_positive = std::lexicographical_compare(
        std::reverse_iterator(integer + level.words), std::reverse_iterator(integer),
        std::reverse_iterator(negative + level.words), std::reverse_iterator(negative));  // x < q - x; q is odd
    result.values[i] = is_positive ? positive : -other;
    result.parity[i] = static_cast<std::uint8_t>((is_positive ? integer[0] : negative[0]) & 1);
  }
  return result;
}

double largest_of(const NormalPhase& phase) {
  double largest = 0;
  for (const double value : phase.values) largest = std::max(largest, std::abs(value));
  return std::log2(std::max(largest, 1e-300));
}

}  // namespace

double Ciphertext::headroom() const noexcept {
  return parameters->log2_limit(polynomial.primes) - parameters->noise().largest_coefficient(log2_phase);
}

bool Ciphertext::transparent() const noexcept {
  return std::ranges::all_of(polynomial.words, [](std::uint32_t word) { return word == 0; });
}

MeasuredPhase measure_phase(const Ciphertext& ciphertext, const SecretKey& key) {
  const Arithmetic& arithmetic = *ciphertext.parameters->arithmetic();
  const NormalPhase phase = normal_phase(phase_of(ciphertext, key), arithmetic);
  return {std::log2(std::max(arithmetic.ring().mean_square(phase.values), 1e-300)), largest_of(phase)};
}

Bits decrypt(const Ciphertext& ciphertext, const SecretKey& key) {
  const Arithmetic& arithmetic = *ciphertext.parameters->arithmetic();
  const Polynomial sum = phase_of(ciphertext, key);
  if (const double headroom = ciphertext.headroom(); !(headroom >= 0)) {
    throw NoiseError(
        message("decrypt: the noise may have grown ", std::ceil(-headroom), " bits beyond what level ",
                ciphertext.level(), " of ", ciphertext.parameters->summary(),
                " can correct, so the result could be wrong; relinearise and switch after each product, take ",
                "narrower digits, or larger primes"));
  }
  const NormalPhase phase = normal_phase(sum, arithmetic);
  if (largest_of(phase) > ciphertext.parameters->noise().largest_coefficient(ciphertext.log2_phase)) {
    throw ContradictionError(message(
        "decrypt: the ciphertext holds more noise than it states, so that its value could be wrong: it was altered on "
        "its ",
        "way, or factors of its products depended on each other, as in x * (x + y) level after level, for which the ",
        "estimate is too low"));
  }
  const auto bits = arithmetic.ring().reduce<std::uint8_t>(phase.parity, BitGroup{});
  return {bits.begin(), bits.end()};
}

}  // namespace cyclotome::study::ltv
