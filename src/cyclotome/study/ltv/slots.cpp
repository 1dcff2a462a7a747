// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/slots.hpp"

#include <algorithm>
#include <bit>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/study/ltv/polynomials/bit_polynomial.hpp"

namespace cyclotome::study::ltv {

namespace {

unsigned order_of_two(std::uint64_t m) {
  unsigned order = 1;
  for (std::uint64_t power = 2 % m; power != 1; power = power * 2 % m) ++order;
  return order;
}

/// One irreducible factor of Phi_m modulo 2, as a number: Cantor and Zassenhaus's algorithm with x, x^2, x^3 ... in
/// place of random polynomials. The trace of x^s, the sum of x^(s 2^i), is 0 or 1 at each root, so its greatest common
/// divisor with a product of factors separates those at which it is 0.
std::uint64_t some_factor(const CyclotomicPolynomial& ring, unsigned field_bits) {
  BitPolynomial factor;
  for (std::size_t i = 0; i <= ring.degree(); ++i) {
    if (ring.coefficients()[i] % 2 != 0) factor.flip(i);
  }
  for (std::uint64_t s = 1; factor.degree() > static_cast<std::ptrdiff_t>(field_bits); ++s) {
    BitPolynomial trace;
    for (std::uint64_t i = 0, exponent = s; i < field_bits; ++i, exponent = exponent * 2 % ring.index())
      trace.flip(exponent);
    trace.reduce(factor);
    BitPolynomial zeros = BitPolynomial::gcd(factor, trace);
    trace.flip(0);
    BitPolynomial ones = BitPolynomial::gcd(factor, trace);
    if (zeros.degree() <= 0 || ones.degree() <= 0) continue;
    factor = zeros.degree() <= ones.degree() ? zeros : ones;
  }
  return factor.low();
}

std::uint32_t multiply_in_field(std::uint32_t a, std::uint32_t b, std::uint64_t field, unsigned bits) {
  std::uint64_t product = 0;
  for (unsigned i = 0; i < bits; ++i) product ^= (b >> i & 1) != 0 ? static_cast<std::uint64_t>(a) << i : 0;
  for (unsigned i = 2 * bits - 1; i >= bits; --i) product ^= (product >> i & 1) != 0 ? field << (i - bits) : 0;
  return static_cast<std::uint32_t>(product);
}

}  // namespace

Slots::Slots(const CyclotomicPolynomial& ring) : ring_(ring), field_bits_(order_of_two(ring.index())) {
  const std::uint64_t m = ring.index();
  if (field_bits_ > 31) {
    throw ParameterError(message("slots: 2 has order ", field_bits_, " modulo ", m,
                                 ", and fields of up to 2^31 are made; ", "take 8191, 21845 or 65535"));
  }
  std::vector<std::uint64_t> classes;
  std::vector<std::uint32_t> class_of(m, 0);
  std::vector<bool> seen(m);
  for (std::uint64_t u = 1; u < m; ++u) {
    if (seen[u] || greatest_common_divisor(u, m) != 1) continue;
    for (std::uint64_t v = u; !seen[v]; v = v * 2 % m) {
      seen[v] = true;
      class_of[v] = static_cast<std::uint32_t>(classes.size());
    }
    classes.push_back(u);
  }
  set_powers(some_factor(ring, field_bits_));
  set_powers(smallest_factor(classes));
  set_dimensions(classes, class_of);
}

void Slots::set_powers(std::uint64_t field) {
  const std::uint64_t m = ring_.index();
  field_ = field;
  powers_.assign(m, 1);
  for (std::uint64_t k = 1; k < m; ++k) {
    const std::uint64_t next = static_cast<std::uint64_t>(powers_[k - 1]) << 1;
    powers_[k] = static_cast<std::uint32_t>((next >> field_bits_) != 0 ? next ^ field : next);
  }
  std::vector<std::uint8_t> traces(m);
  for (std::uint64_t k = 0; k < m; ++k) {
    std::uint32_t sum = 0;
    for (std::uint64_t i = 0, at = k; i < field_bits_; ++i, at = at * 2 % m) sum ^= powers_[at];
    traces[k] = static_cast<std::uint8_t>(sum);
  }
  trace_masks_.assign(m, 0);
  for (std::uint64_t k = 0; k < m; ++k) {
    for (unsigned i = 0; i < field_bits_; ++i) {
      trace_masks_[k] |= static_cast<std::uint32_t>(traces[(k + i) % m]) << i;
    }
  }
}

std::uint64_t Slots::smallest_factor(const std::vector<std::uint64_t>& classes) const {
  std::uint64_t smallest = field_;
  for (const std::uint64_t u : classes) {
    check_interrupt_often();
    std::vector<std::uint32_t> factor{1};  // product of X - y^(u 2^i), coefficients in the field
    for (std::uint64_t i = 0, at = u; i < field_bits_; ++i, at = at * 2 % ring_.index()) {
      factor.push_back(0);
      for (std::size_t j = factor.size() - 1; j > 0; --j) {
        factor[j] = factor[j - 1] ^ multiply_in_field(factor[j], powers_[at], field_, field_bits_);
      }
      factor[0] = multiply_in_field(factor[0], powers_[at], field_, field_bits_);
    }
    std::uint64_t number = 0;
    for (std::size_t j = 0; j < factor.size(); ++j) number |= static_cast<std::uint64_t>(factor[j]) << j;
    smallest = std::min(smallest, number);
  }
  return smallest;
}

/// Writes the group of classes as a product of cyclic groups: again and again an element of the largest order among
/// those of which no power but 1 is in the product so far.
void Slots::set_dimensions(const std::vector<std::uint64_t>& classes, const std::vector<std::uint32_t>& class_of) {
  const std::uint64_t m = ring_.index();
  std::vector<bool> reached(classes.size());
  reached[class_of[1]] = true;
  units_ = {1};
  while (units_.size() < classes.size()) {
    Dimension best{0, 0, false};
    for (const std::uint64_t u : classes) {
      std::size_t order = 1;
      std::uint64_t power = u;
      for (; !reached[class_of[power]]; power = power * u % m) ++order;
      if (class_of[power] == class_of[1] && order > best.length) best = {u, order, false};
    }
    for (unsigned i = 0; i < field_bits_ && !best.exact;
         ++i) {  // perhaps another unit of the class wraps around exactly
      std::uint64_t power = 1;
      for (std::size_t k = 0; k < best.length; ++k) power = power * best.generator % m;
      best.exact = power == 1;
      if (!best.exact) best.generator = best.generator * 2 % m;
    }
    const std::vector<std::uint64_t> row = units_;
    std::uint64_t power = best.generator;
    for (std::size_t k = 1; k < best.length; ++k, power = power * best.generator % m) {
      for (const std::uint64_t u : row) {
        units_.push_back(u * power % m);
        reached[class_of[units_.back()]] = true;
      }
    }
    dimensions_.push_back(best);
  }
}

std::uint64_t Slots::rotation(std::size_t dimension, std::int64_t steps) const {
  if (dimension >= dimensions_.size()) {
    throw ArgumentError(
        message("rotation along dimension ", dimension, "; slots have ", dimensions_.size(), " dimensions"));
  }
  const auto length = static_cast<std::int64_t>(dimensions_[dimension].length);
  std::uint64_t element = 1;
  for (std::int64_t i = (steps % length + length) % length; i > 0; --i) {
    element = element * dimensions_[dimension].generator % ring_.index();
  }
  return element;
}

Bits Slots::encode(std::span<const std::uint32_t> values) const {
  const std::uint64_t m = ring_.index();
  if (values.size() > count()) {
    throw ArgumentError(
        message("encode: ", values.size(), " values; Phi_", m, " has ", count(), " slots, so use several ciphertexts"));
  }
  ZeroisingVector<std::uint32_t> sums(m);
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    const std::uint32_t value = values[slot];
    if (value >> field_bits_ != 0) {
      throw RangeError(message("encode: ", value, " is no element of GF(2^", field_bits_, "); those are 0 to 2^",
                               field_bits_, " - 1"));
    }
    const std::uint64_t step = m - units_[slot];
    for (std::uint64_t j = 0, at = 0; j < m; ++j, at = at + step >= m ? at + step - m : at + step) {
      sums[j] ^= value & trace_masks_[at];  // of Tr(value y^(-j u))
    }
  }
  Bits all(m);
  for (std::uint64_t j = 0; j < m; ++j) all[j] = static_cast<std::uint8_t>(std::popcount(sums[j]) & 1);
  const auto bits = ring_.reduce<std::uint8_t>(all, BitGroup{});
  return {bits.begin(), bits.end()};
}

ZeroisingVector<std::uint32_t> Slots::decode(std::span<const std::uint8_t> bits) const {
  const std::uint64_t m = ring_.index();
  if (bits.size() != ring_.degree()) {
    throw ArgumentError(message("decode: ", bits.size(), " bits; a polynomial has n = ", ring_.degree()));
  }
  ZeroisingVector<std::uint32_t> values(count());
  for (std::size_t slot = 0; slot < count(); ++slot) {
    std::uint32_t value = 0;
    for (std::uint64_t i = 0, at = 0; i < bits.size();
         ++i, at = at + units_[slot] >= m ? at + units_[slot] - m : at + units_[slot]) {
      value ^= powers_[at] & (0U - bits[i]);
    }
    values[slot] = value;
  }
  return values;
}

}  // namespace cyclotome::study::ltv
