// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/study/negacyclic_transform.hpp"
#include "cyclotome/study/product_context.hpp"

namespace cyclotome::study {

/// Polynomials of integers: N times `limbs` 64-bit words, least significant first.
struct Integers {
  std::span<const std::uint64_t> words;
  std::size_t limbs;
};

/// N sums of terms below q, before the last reduction: numbers of `limbs` words, and the quotient of each by q in units
/// of 2^-56, which is at most three units too small for each term.
struct Sums {
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> quotients;
  std::size_t limbs;
};

/// One prime's part in a product: residues of both factors, and of the result.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Sets the residues of factor 0 or 1.
  virtual void decompose(std::size_t factor, const Integers& integers) = 0;
  /// result = product of the factors, which stay as they are.
  virtual void multiply() = 0;
  /// Adds the result's term of equation 4.5 to every sum.
  virtual void accumulate(Sums& sums) const = 0;
  /// Sets the residues of factor 0 or 1 to those of small integers of either sign, of magnitude below the prime.
  virtual void set_small(std::size_t factor, std::span<const std::int32_t> values) = 0;
  /// Adds such integers to the result.
  virtual void add_small(std::span<const std::int32_t> values) = 0;
  /// Sets the residues of factor 0 or 1 to the result of another channel of the same prime and kind.
  virtual void take(std::size_t factor, const Channel& other) = 0;
  /// result = the result of another channel of the same prime and kind, minus the result.
  virtual void subtract_from(const Channel& other) = 0;
};

/// floor(y 2^56 / p) or up to three units less, for y < p, from the top 62 bits: sums of 256 such fit a word, and are
/// less than 1 too small.
class QuotientEstimate {
 public:
  explicit QuotientEstimate(const BigUnsigned& p) : bits_(p.bit_length()) {
    const BigUnsigned top = bits_ > 62 ? p.shifted_right(bits_ - 62) : p * BigUnsigned::power_of_two(62 - bits_);
    reciprocal_ = static_cast<std::uint64_t>((u128{1} << 118) / (u128{top.limbs()[0]} + 1));
  }

  std::uint64_t operator()(std::span<const std::uint64_t> y) const noexcept {
    return static_cast<std::uint64_t>((static_cast<u128>(top_bits(y)) * reciprocal_) >> 62);
  }

 private:
  std::uint64_t top_bits(std::span<const std::uint64_t> y) const noexcept {
    if (bits_ <= 62) return y[0] << (62 - bits_);
    const std::size_t word = (bits_ - 62) / 64;
    const unsigned shift = (bits_ - 62) % 64;
    const std::uint64_t high = shift != 0 && word + 1 < y.size() ? y[word + 1] << (64 - shift) : 0;
    return (y[word] >> shift) | high;
  }

  unsigned bits_;
  std::uint64_t reciprocal_;  // floor(2^118 / (top 62 bits of p, plus 1))
};

/// A channel over a field of any width.
template <class Field>
class FieldChannel final : public Channel {
 public:
  using Element = typename Field::Element;
  static constexpr std::size_t words = std::tuple_size_v<Element>;
  static constexpr unsigned bits = Field::bits;

  FieldChannel(const ProductContext& context, std::size_t index)
      : field_(to_element<Field>(context.primes()[index].prime)),
        transform_(field_, context.degree(), to_element<Field>(context.primes()[index].root)),
        estimate_(context.primes()[index].prime),
        significant_((context.primes()[index].prime.bit_length() + 63) / 64),
        complement_(context.complement(index).limbs()),
        inverse_(field_.enter(to_element<Field>(context.complement_inverse(index)))) {}

  void decompose(std::size_t factor, const Integers& integers) override {
    const std::size_t chunks = (integers.limbs * 64 + bits * words - 1) / (bits * words);
    std::vector<Element> weights;  // R^(j+1), so that a Montgomery product leaves R^j
    for (std::size_t j = 0; j < chunks; ++j) weights.push_back(j == 0 ? field_.one() : field_.enter(weights.back()));
    const std::size_t degree = integers.words.size() / integers.limbs;
    auto& residues = factors_[factor];
    residues.resize(degree);
    for (std::size_t i = 0; i < degree; ++i) {
      if (i % 256 == 0) check_interrupt();
      const auto integer = integers.words.subspan(i * integers.limbs, integers.limbs);
      Element sum{};
      for (std::size_t j = 0; j < chunks; ++j) {
        Element chunk{};
        for (std::size_t k = 0; k < words; ++k) chunk[k] = word_at(integer, j * words + k);
        sum = field_.add(sum, field_.multiply(chunk, weights[j]));
      }
      residues[i] = sum;
    }
  }

  void multiply() override {
    result_ = factors_[0];
    scratch_ = factors_[1];
    transform_.multiply(result_, scratch_);
  }

  void accumulate(Sums& sums) const override {
    std::array<std::uint64_t, (words * bits + 63) / 64> y;
    for (std::size_t i = 0; i < result_.size(); ++i) {
      if (i % 256 == 0) check_interrupt();
      const Element product = field_.multiply(result_[i], inverse_);
      y.fill(0);
      for (std::size_t k = 0; k < words; ++k) {
        y[k * bits / 64] |= static_cast<std::uint64_t>(product[k]) << (k * bits % 64);
      }
      sums.quotients[i] += estimate_(y);
      std::uint64_t* sum = sums.words.data() + i * sums.limbs;
      for (std::size_t k = 0; k < significant_; ++k) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < complement_.size(); ++j) {
          const u128 term = static_cast<u128>(y[k]) * complement_[j] + sum[k + j] + carry;
          sum[k + j] = static_cast<std::uint64_t>(term);
          carry = static_cast<std::uint64_t>(term >> 64);
        }
        for (std::size_t j = k + complement_.size(); carry != 0 && j < sums.limbs; ++j) {
          sum[j] += carry;
          carry = sum[j] < carry ? 1 : 0;
        }
      }
    }
  }

  void set_small(std::size_t factor, std::span<const std::int32_t> values) override {
    factors_[factor].resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) factors_[factor][i] = residue(values[i]);
  }

  void add_small(std::span<const std::int32_t> values) override {
    for (std::size_t i = 0; i < result_.size(); ++i) result_[i] = field_.add(result_[i], residue(values[i]));
  }

  void take(std::size_t factor, const Channel& other) override { factors_[factor] = same_kind(other).result_; }

  void subtract_from(const Channel& other) override {
    const std::vector<Element>& minuend = same_kind(other).result_;
    for (std::size_t i = 0; i < result_.size(); ++i) result_[i] = field_.subtract(minuend[i], result_[i]);
  }

  /// For engines that multiply by themselves: residues of a factor or of the result, of fields of one word.
  const std::vector<Element>& factor(std::size_t index) const noexcept { return factors_[index]; }
  std::vector<Element>& result() noexcept { return result_; }

 private:
  using Word = typename Element::value_type;

  Element residue(std::int32_t value) const noexcept {
    Element magnitude{};
    magnitude[0] = static_cast<Word>(value < 0 ? -static_cast<std::int64_t>(value) : value);
    return value < 0 ? field_.subtract(Element{}, magnitude) : magnitude;
  }

  const FieldChannel& same_kind(const Channel& other) const {
    const auto* same = dynamic_cast<const FieldChannel*>(&other);
    if (same == nullptr || same->field_.modulus() != field_.modulus()) {
      throw ArgumentError("residues of another prime, or in another arithmetic; both products need the same context");
    }
    return *same;
  }

  static Word word_at(std::span<const std::uint64_t> integer, std::size_t index) noexcept {
    const std::size_t limb = index * bits / 64;
    return limb < integer.size() ? static_cast<Word>(integer[limb] >> (index * bits % 64)) : Word{0};
  }

  Field field_;
  NegacyclicTransform<Field> transform_;
  QuotientEstimate estimate_;
  std::size_t significant_;                // 64-bit words of the prime
  std::vector<std::uint64_t> complement_;  // q / p
  Element inverse_;                        // (q / p)^-1, in Montgomery's form
  std::array<std::vector<Element>, 2> factors_;
  std::vector<Element> result_, scratch_;
};

}  // namespace cyclotome::study
