// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/layout/residues.hpp"

#include <algorithm>
#include <array>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/word.hpp"

namespace cyclotome::value {

namespace {

using Words = std::vector<std::uint64_t>;

std::uint64_t mask_if_set(std::uint64_t bit) noexcept { return std::uint64_t{0} - bit; }

/// `value` in `words` words.
Words words_of(const BigUnsigned& value, std::size_t words) {
  Words result = value.limbs();
  result.resize(words, 0);
  return result;
}

/// out += factor * weight.
void add_product(std::span<std::uint64_t> out, const Words& weight, std::uint64_t factor) noexcept {
  u128 carry = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    carry += static_cast<u128>(weight[i]) * factor + out[i];
    out[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

/// 1 if a < b.
std::uint64_t is_below(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) noexcept {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const u128 difference = static_cast<u128>(a[i]) - b[i] - borrow;
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
  return borrow;
}

/// out -= other where the mask is set; two's complement.
void subtract_masked(std::span<std::uint64_t> out, const Words& other, std::uint64_t mask) noexcept {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const u128 difference = static_cast<u128>(out[i]) - (other[i] & mask) - borrow;
    out[i] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
}

}  // namespace

std::int64_t centred_residue(const Integers& values, std::size_t i, const Modulus<std::uint64_t>& t) {
  const auto words = values.value_words(i);
  std::uint64_t residue = t.reduce_signed(static_cast<std::int64_t>(words.back()));
  for (std::size_t j = words.size() - 1; j-- > 0;) residue = t.reduce_wide(static_cast<u128>(residue) << 64 | words[j]);
  const std::uint64_t above = std::uint64_t{0} - static_cast<std::uint64_t>(residue > t.value() - residue);
  return static_cast<std::int64_t>(residue - (t.value() & above));
}

Residues centred_residues(const Integers& values, const Modulus<std::uint64_t>& t) {
  Residues residues(values.size());
  if (values.words() == 1) {
    if (values.largest() <= BigUnsigned((t.value() - 1) / 2)) {  // as most are: no division
      for (std::size_t i = 0; i < residues.size(); ++i) residues[i] = values.word(i);
      return residues;
    }
    for (std::size_t i = 0; i < residues.size(); ++i) residues[i] = centred_residue(values.word(i), t);
    return residues;
  }
  for (std::size_t i = 0; i < residues.size(); ++i) residues[i] = centred_residue(values, i, t);
  return residues;
}

Remainders::Remainders(std::span<const std::uint64_t> moduli) : total_(1) {
  for (std::size_t i = 0; i < moduli.size(); ++i) {
    const Modulus<std::uint64_t> t(moduli[i]);
    moduli_.push_back(t);
    products_.push_back(total_);
    inverses_.push_back(inverse_or_zero(total_.mod(moduli[i]), moduli[i]));
    weights_.emplace_back();
    for (const BigUnsigned& product : products_) weights_.back().push_back(product.mod(moduli[i]));
    total_ *= moduli[i];
  }
}

namespace {

/// What combine does for few moduli: constants of one, in words W that hold it.
template <class W, class Sum>
struct Digit {
  Modulus<W> t;
  std::array<W, 4> weights{};
  W inverse;
  Sum product;
};

/// values[v] in `words` words: of `digits`, at most four, whose product is total, two bits less than a Sum. No branch
/// on a value. Returns whether all fit.
template <class W, class Sum>
bool combine_few(Integers::Words& data, std::size_t words, std::span<const Digit<W, Sum>> digits, Sum total, bool wrap,
                 const std::vector<Residues>& channels) {
  const Sum half = (total - 1) / 2, centring = wrap ? Sum{0} : ~Sum{0};
  std::uint64_t beyond = 0;
  for (std::size_t v = 0; v < channels.front().size(); ++v) {
    std::array<W, 4> found{};
    Sum value = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const Digit<W, Sum>& d = digits[i];
      Wide<W> known = 0;
      for (std::size_t j = 0; j < i; ++j) known += static_cast<Wide<W>>(found[j]) * d.weights[j];
      const std::int64_t residue = channels[i][v];
      const auto positive = static_cast<W>(static_cast<std::uint64_t>(residue) +
                                           (d.t.value() & static_cast<std::uint64_t>(residue >> 63)));
      const W rest = d.t.subtract(positive, d.t.reduce_wide(known));
      found[i] = i == 0 ? rest : d.t.multiply(rest, d.inverse);
      value += d.product * found[i];
    }
    const Sum above = Sum{0} - static_cast<Sum>((half - value) >> (8 * sizeof(Sum) - 1));
    value -= total & above & centring;
    const auto low = static_cast<std::int64_t>(value);
    auto high = low >> 63;
    if constexpr (sizeof(Sum) == 16) high = static_cast<std::int64_t>(value >> 64);
    data[v * words] = static_cast<std::uint64_t>(low);
    if (words == 2) data[v * words + 1] = static_cast<std::uint64_t>(high);
    beyond |= static_cast<std::uint64_t>(high ^ (low >> 63));
  }
  return words == 2 || !declassify(beyond != 0);
}

u128 wide(const BigUnsigned& x) {
  const Words words = words_of(x, 2);
  return static_cast<u128>(words[1]) << 64 | words[0];
}

}  // namespace

Integers Remainders::combine(const std::vector<Residues>& channels, const Shape& shape, bool wrap, bool narrow) const {
  const std::size_t count = channels.front().size();
  const std::size_t words = (total_.bit_length() - (wrap ? 0 : 1)) / 64 + 1;
  if (moduli_.size() == 1) {
    const Modulus<std::uint64_t>& t = moduli_.front();
    const std::uint64_t centring = mask_if_set(wrap ? 0 : 1), half = (t.value() - 1) / 2;
    Integers::Words data(count);
    for (std::size_t v = 0; v < count; ++v) {
      const std::uint64_t residue = t.reduce_signed(channels.front()[v]);
      data[v] = residue - (t.value() & mask_if_set(exceeds(residue, half)) & centring);
    }
    return {shape, 1, std::move(data)};
  }
  // In words and sums as short as moduli and T allow: constants are turned into those first.
  const auto few = [&]<class W, class Sum>(W, Sum) {
    std::vector<Digit<W, Sum>> digits;
    for (std::size_t i = 0; i < moduli_.size(); ++i) {
      const auto t = static_cast<W>(moduli_[i].value());
      digits.push_back(
          {Modulus<W>(t), std::array<W, 4>{}, static_cast<W>(inverses_[i]), static_cast<Sum>(wide(products_[i]))});
      Digit<W, Sum>& digit = digits.back();
      for (std::size_t j = 0; j < i; ++j) digit.weights[j] = static_cast<W>(weights_[i][j]);
    }
    const auto in_words = [&](Integers::Words& data, std::size_t taken) {
      const auto total = static_cast<Sum>(wide(total_));
      return combine_few(data, taken, std::span<const Digit<W, Sum>>(digits), total, wrap, channels);
    };
    if (narrow && words > 1) {
      Integers::Words data(count);
      if (in_words(data, 1)) return Integers(shape, 1, std::move(data));
    }
    Integers::Words data(count * words);
    in_words(data, words);
    return Integers(shape, words, std::move(data));
  };
  const std::size_t bits = total_.bit_length();
  const bool short_moduli =
      std::ranges::all_of(moduli_, [](const Modulus<std::uint64_t>& t) { return t.bits() <= 30; });
  if (moduli_.size() <= 4 && bits <= 126) {
    if (short_moduli && bits <= 62) return few(std::uint32_t{}, std::uint64_t{});
    if (short_moduli) return few(std::uint32_t{}, u128{});
    return few(std::uint64_t{}, u128{});
  }
  std::vector<Words> products;
  for (const BigUnsigned& product : products_) products.push_back(words_of(product, words));
  const Words total = words_of(total_, words), half = words_of((total_ - BigUnsigned(1)).shifted_right(1), words);
  Integers::Words data(count * words, 0);
  Integers::Words digits(moduli_.size());
  for (std::size_t v = 0; v < count; ++v) {
    const std::span<std::uint64_t> value = std::span(data).subspan(v * words, words);
    for (std::size_t i = 0; i < moduli_.size(); ++i) {
      const Modulus<std::uint64_t>& t = moduli_[i];
      std::uint64_t known = 0;
      for (std::size_t j = 0; j < i; ++j) known = t.add(known, t.multiply(t.reduce(digits[j]), weights_[i][j]));
      digits[i] = t.subtract(t.reduce_signed(channels[i][v]), known);
      if (i > 0) digits[i] = t.multiply(digits[i], inverses_[i]);
      add_product(value, products[i], digits[i]);
    }
    // Above (T - 1) / 2: the representative below zero.
    const std::uint64_t above = mask_if_set(is_below(half, value));
    subtract_masked(value, total, wrap ? 0 : above);
  }
  return {shape, words, std::move(data)};
}

}  // namespace cyclotome::value
