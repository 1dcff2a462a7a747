// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/limbs/punctured.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::study::fermat {

std::string name_of(Method method) {
  switch (method) {
    case Method::none:
      return "none";
    case Method::multiplication:
      return "multiplication";
    case Method::reduction:
      return "reduction";
    case Method::both:
      return "both";
  }
  return "";
}

namespace {

/// out (words + shift / 64 + 1 words) = x 2^shift.
void shift_left(std::uint64_t* out, const std::uint64_t* x, std::size_t words, unsigned shift) {
  const std::size_t whole = shift / 64;
  const unsigned rest = shift % 64;
  std::fill_n(out, whole, 0);
  if (rest == 0) {
    std::copy_n(x, words, out + whole);
    out[whole + words] = 0;
    return;
  }
  std::uint64_t below = 0;
  for (std::size_t w = 0; w < words; ++w) {
    out[whole + w] = (x[w] << rest) | (below >> (64 - rest));
    below = x[w];
  }
  out[whole + words] = below >> (64 - rest);
}

/// v (words of the limb) = Lemma 3's quotient (x - [x > 0]) >> shift, without the 1 for the last limb.
void quotient(std::uint64_t* v, const std::uint64_t* x, const Limb& limb) {
  std::uint64_t any = 0;
  for (std::size_t w = 0; w < limb.words; ++w) any |= x[w];
  std::uint64_t borrow = limb.plus ? std::uint64_t{any != 0} : 0;
  for (std::size_t w = 0; w < limb.words; ++w) {
    v[w] = x[w] - borrow;
    borrow &= std::uint64_t{x[w] == 0};
  }
  if (limb.shift == 0) return;
  for (std::size_t w = 0; w < limb.words; ++w) {
    v[w] = (v[w] >> limb.shift) | (w + 1 < limb.words ? v[w + 1] << (64 - limb.shift) : 0);
  }
}

/// y = product - q_i v for q_i = 2^G +- 1 by a shift and an addition or subtraction. y has no more words than the limb,
/// so nothing above them is computed.
void take_off(std::uint64_t* y, const std::uint64_t* product, const std::uint64_t* v, const Limb& limb) {
  if (!limb.aligned()) {
    const std::uint64_t rest = product[0] - (v[0] << limb.bits);
    y[0] = limb.plus ? rest - v[0] : rest + v[0];
    return;
  }
  std::uint64_t carry = 0;
  for (std::size_t w = 0; w < limb.words; ++w) {
    const u128 sum =
        limb.plus ? static_cast<u128>(product[w]) - v[w] - carry : static_cast<u128>(product[w]) + v[w] + carry;
    y[w] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64) & 1;
  }
  if (limb.plus) y[limb.words - 1] -= v[0];  // v 2^G
}

/// first 2^(64 j) mod m for j < count.
void append_powers(std::vector<std::uint64_t>& out, std::uint64_t first, std::size_t count, std::uint64_t m) {
  const u128 word = (static_cast<u128>(1) << 64) % m;
  u128 power = first % m;
  for (std::size_t j = 0; j < count; ++j, power = power * word % m) out.push_back(static_cast<std::uint64_t>(power));
}

}  // namespace

FermatPunctured::FermatPunctured(FermatBasis basis, Method method, const GeneralArithmetic& arithmetic)
    : basis_(std::move(basis)), method_(method), arithmetic_(&arithmetic) {
  for (const Limb& limb : basis_.limbs()) {
    constants_.push_back(
        {LimbArithmetic(limb), limb.modulus().limbs(), BigUnsigned::power_of_two(limb.exponent()).limbs()});
  }
}

std::size_t FermatPunctured::multiply(std::uint64_t* product, const std::uint64_t* x, const Constants& c) const {
  const Limb& limb = c.limb.limb();
  if (method_ == Method::multiplication) {
    shift_left(product, x, limb.words, limb.exponent());
    return limb.words + limb.exponent() / 64 + 1;
  }
  arithmetic_->multiply(product, std::span(x, limb.words), c.inverse);
  return limb.words + c.inverse.size();
}

void FermatPunctured::reduce(std::uint64_t* y, const std::uint64_t* x, std::span<std::uint64_t> product,
                             const Constants& c, std::uint64_t* scratch) const {
  if (method_ == Method::reduction) {
    quotient(scratch, x, c.limb.limb());
    take_off(y, product.data(), scratch, c.limb.limb());
  } else {
    arithmetic_->remainder(y, product, c.modulus, scratch);
  }
}

void FermatPunctured::apply(std::uint64_t* y, const std::uint64_t* x, std::size_t count) const {
  const std::size_t all = words();
  if (method_ == Method::both) {
    for (const Constants& c : constants_) {
      const std::size_t first = c.limb.limb().first_word;
      for (std::size_t i = 0; i < count; ++i) c.limb.puncture(y + i * all + first, x + i * all + first);
    }
    return;
  }
  const std::size_t longest = 2 * basis_.limbs().front().words + 2;
  std::vector<std::uint64_t> scratch(longest + GeneralArithmetic::scratch_words(longest));
  for (const Constants& c : constants_) {
    const std::size_t first = c.limb.limb().first_word;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t* const from = x + i * all + first;
      const std::size_t length = multiply(scratch.data(), from, c);
      reduce(y + i * all + first, from, std::span(scratch).first(length), c, scratch.data() + longest);
    }
  }
}

std::vector<std::uint64_t> FermatPunctured::weights(std::uint64_t m) const {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < basis_.limbs().size(); ++i) {
    append_powers(all, basis_.punctured(i).mod(m), basis_.limbs()[i].words, m);
  }
  return all;
}

WordPunctured::WordPunctured(Basis basis) : basis_(std::move(basis)) {
  if (basis_.word() != Word::u64 || basis_.size() == 0) {
    throw ParameterError("ordinary limbs beside Fermat limbs are moduli of 64-bit words, at least one");
  }
  for (std::size_t i = 0; i < basis_.size(); ++i) {
    const std::uint64_t q = basis_[i];
    inverses_.emplace_back(inverse_or_zero(basis_.punctured_product_mod(i, q), q), q);
  }
}

void WordPunctured::apply(std::uint64_t* y, const std::uint64_t* x, std::size_t count) const {
  const std::size_t k = words();
  for (std::size_t c = 0; c < count; ++c) {
    for (std::size_t i = 0; i < k; ++i) y[c * k + i] = inverses_[i].multiply(x[c * k + i], basis_[i]);
  }
}

std::vector<std::uint64_t> WordPunctured::weights(std::uint64_t m) const {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < basis_.size(); ++i) all.push_back(basis_.punctured_product_mod(i, m));
  return all;
}

void WideIntegers::apply(std::uint64_t* y, const std::uint64_t* x, std::size_t count) const {
  std::copy_n(x, count * words_, y);
}

std::vector<std::uint64_t> WideIntegers::weights(std::uint64_t m) const {
  std::vector<std::uint64_t> all;
  append_powers(all, 1, words_, m);
  return all;
}

}  // namespace cyclotome::study::fermat
