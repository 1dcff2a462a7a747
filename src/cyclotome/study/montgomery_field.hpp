// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "cyclotome/math/word.hpp"

namespace cyclotome::study {

/// Arithmetic modulo an odd p of at most L words, in Montgomery's form with R = 2^(bits of L words). Unlike
/// `Montgomery`, p may fill its words to the last bit, so that primes of exactly 32, 64, 128, ... bits fit.
/// Not constant-time in the exponent of `power`; everything else has no branch on data.
template <LimbWord Word, std::size_t L>
class MontgomeryField {
 public:
  using Element = std::array<Word, L>;  ///< least significant word first
  static constexpr unsigned bits = word_bits<Word>;

  /// Precondition: p is odd and at least 3.
  explicit MontgomeryField(const Element& p) noexcept : p_(p) {
    Word inverse = p[0];  // p p = 1 mod 8, and each step of Newton's doubles the correct bits
    for (int i = 0; i < 5; ++i) inverse = static_cast<Word>(inverse * static_cast<Word>(Word{2} - p[0] * inverse));
    negated_inverse_ = static_cast<Word>(Word{0} - inverse);
    Element x{1};  // doubled to R, then to R^2
    for (std::size_t i = 0; i < 2 * bits * L; ++i) {
      x = add(x, x);
      if (i + 1 == bits * L) one_ = x;
    }
    r_squared_ = x;
  }

  const Element& modulus() const noexcept { return p_; }
  /// 1 in Montgomery's form.
  const Element& one() const noexcept { return one_; }

  /// a, b in [0, p) -> [0, p).
  Element add(const Element& a, const Element& b) const noexcept {
    Element sum;
    Word carry = 0;
    for (std::size_t i = 0; i < L; ++i) {
      const Wide<Word> s = static_cast<Wide<Word>>(a[i]) + b[i] + carry;
      sum[i] = static_cast<Word>(s);
      carry = static_cast<Word>(s >> bits);
    }
    return reduced(sum, carry);
  }

  /// a, b in [0, p) -> [0, p).
  Element subtract(const Element& a, const Element& b) const noexcept {
    Element difference;
    const Word mask = static_cast<Word>(Word{0} - subtract_words(difference, a, b));
    Word carry = 0;
    for (std::size_t i = 0; i < L; ++i) {
      const Wide<Word> s = static_cast<Wide<Word>>(difference[i]) + (p_[i] & mask) + carry;
      difference[i] = static_cast<Word>(s);
      carry = static_cast<Word>(s >> bits);
    }
    return difference;
  }

  /// a b R^-1 mod p in [0, p), for any words with a b < p R: one of them may be any words if the other is below p.
  Element multiply(const Element& a, const Element& b) const noexcept {
    std::array<Word, L + 2> t{};
    for (std::size_t i = 0; i < L; ++i) {
      Word carry = 0;
      for (std::size_t j = 0; j < L; ++j) carry = accumulate(t[j], a[j], b[i], t[j], carry);
      Wide<Word> top = static_cast<Wide<Word>>(t[L]) + carry;
      t[L] = static_cast<Word>(top);
      t[L + 1] = static_cast<Word>(top >> bits);
      const Word m = static_cast<Word>(t[0] * negated_inverse_);
      Word dropped;  // the lowest word, 0 by the choice of m
      carry = accumulate(dropped, m, p_[0], t[0], 0);
      for (std::size_t j = 1; j < L; ++j) carry = accumulate(t[j - 1], m, p_[j], t[j], carry);
      top = static_cast<Wide<Word>>(t[L]) + carry;
      t[L - 1] = static_cast<Word>(top);
      t[L] = static_cast<Word>(t[L + 1] + static_cast<Word>(top >> bits));
    }
    Element product;
    for (std::size_t i = 0; i < L; ++i) product[i] = t[i];
    return reduced(product, t[L]);
  }

  /// Any words -> Montgomery's form in [0, p), and back to [0, p).
  Element enter(const Element& a) const noexcept { return multiply(a, r_squared_); }
  Element leave(const Element& a) const noexcept { return multiply(a, Element{1}); }

  /// base^exponent, base and result in Montgomery's form; exponent: words, least significant first.
  Element power(const Element& base, std::span<const std::uint64_t> exponent) const noexcept {
    Element result = one_;
    for (std::size_t i = exponent.size() * 64; i-- > 0;) {
      result = multiply(result, result);
      if (((exponent[i / 64] >> (i % 64)) & 1) != 0) result = multiply(result, base);
    }
    return result;
  }

  /// The inverse of a non-zero element in Montgomery's form, if p is prime.
  Element inverse(const Element& a) const noexcept {
    std::array<std::uint64_t, (L * sizeof(Word) + 7) / 8> exponent{};
    Element two{2};
    Element less;
    subtract_words(less, p_, two);
    for (std::size_t i = 0; i < L; ++i)
      exponent[i * bits / 64] |= static_cast<std::uint64_t>(less[i]) << (i * bits % 64);
    return power(a, exponent);
  }

 private:
  /// low = low word of a b + c + d; returns the high word. Never overflows.
  static Word accumulate(Word& low, Word a, Word b, Word c, Word d) noexcept {
    const Wide<Word> sum = static_cast<Wide<Word>>(a) * b + c + d;
    low = static_cast<Word>(sum);
    return static_cast<Word>(sum >> bits);
  }

  /// out = a - b modulo R; returns the borrow, 0 or 1.
  static Word subtract_words(Element& out, const Element& a, const Element& b) noexcept {
    Word borrow = 0;
    for (std::size_t i = 0; i < L; ++i) {
      const Wide<Word> d = static_cast<Wide<Word>>(a[i]) - b[i] - borrow;
      out[i] = static_cast<Word>(d);
      borrow = static_cast<Word>((d >> bits) & 1);
    }
    return borrow;
  }

  /// carry R + x in [0, 2p) -> [0, p).
  Element reduced(const Element& x, Word carry) const noexcept {
    Element less;
    const Word borrow = subtract_words(less, x, p_);
    const Word mask = static_cast<Word>(Word{0} - static_cast<Word>(carry | (borrow ^ 1)));  // all ones: take `less`
    Element result;
    for (std::size_t i = 0; i < L; ++i) result[i] = static_cast<Word>(x[i] ^ ((x[i] ^ less[i]) & mask));
    return result;
  }

  Element p_;
  Element one_{};
  Element r_squared_{};
  Word negated_inverse_ = 0;  // -p^-1 modulo one word
};

}  // namespace cyclotome::study
