// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/layout/integers.hpp"

#include <algorithm>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/word.hpp"

namespace cyclotome::value {

namespace {

std::uint64_t sign_of(std::uint64_t top) noexcept { return std::uint64_t{0} - (top >> 63); }  // 0 or all ones

/// |value| of one word.
std::uint64_t magnitude_of(std::uint64_t word) noexcept {
  const std::uint64_t sign = sign_of(word);
  return (word ^ sign) - sign;
}

/// |value| in as many words; no branch on the value.
void take_magnitude(std::span<const std::uint64_t> value, std::span<std::uint64_t> out) noexcept {
  const std::uint64_t sign = sign_of(value.back());
  std::uint64_t carry = sign & 1;  // -v = ~v + 1
  for (std::size_t i = 0; i < value.size(); ++i) {
    out[i] = (value[i] ^ sign) + carry;
    carry = static_cast<std::uint64_t>(out[i] < carry);
  }
}

/// sum += term, which may be shorter.
void add_to(std::span<std::uint64_t> sum, std::span<const std::uint64_t> term) noexcept {
  u128 carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    carry += static_cast<u128>(sum[i]) + (i < term.size() ? term[i] : 0);
    sum[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

/// most = max(most, other), of equal lengths.
void keep_larger(std::span<std::uint64_t> most, std::span<const std::uint64_t> other) noexcept {
  std::uint64_t borrow = 0;  // of most - other
  for (std::size_t i = 0; i < most.size(); ++i) {
    const u128 difference = static_cast<u128>(most[i]) - other[i] - borrow;
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
  const std::uint64_t below = std::uint64_t{0} - borrow;
  for (std::size_t i = 0; i < most.size(); ++i) most[i] ^= (most[i] ^ other[i]) & below;
}

/// max(a, b); no branch on either.
std::uint64_t larger(std::uint64_t a, std::uint64_t b) noexcept {
  const auto below = static_cast<std::uint64_t>((static_cast<u128>(a) - b) >> 64);  // all ones where a < b
  return a ^ ((a ^ b) & below);
}

Integers::Words words_of(std::span<const Integer> values, std::size_t words) {
  Integers::Words data;
  data.reserve(values.size() * words);
  for (const Integer& value : values) {
    const std::uint64_t sign = value.negative ? ~std::uint64_t{0} : 0;
    std::uint64_t carry = value.negative ? 1 : 0;  // -v = ~v + 1
    for (std::size_t i = 0; i < words; ++i) {
      const auto& limbs = value.magnitude.limbs();
      const std::uint64_t word = ((i < limbs.size() ? limbs[i] : 0) ^ sign) + carry;
      carry = carry != 0 && word == 0 ? 1 : 0;
      data.push_back(word);
    }
  }
  return data;
}

/// Words that hold all values and their sign.
std::size_t width_of(std::span<const Integer> values) {
  unsigned bits = 0;
  for (const Integer& value : values) bits = std::max(bits, value.magnitude.bit_length());
  return bits / 64 + 1;
}

}  // namespace

Integer::Integer(std::int64_t value)
    : magnitude(magnitude_of(static_cast<std::uint64_t>(value))), negative(value < 0) {}

Integer::Integer(BigUnsigned size, bool below_zero)
    : magnitude(std::move(size)), negative(below_zero && !magnitude.is_zero()) {}

std::strong_ordering Integer::operator<=>(const Integer& other) const noexcept {
  if (negative != other.negative) return negative ? std::strong_ordering::less : std::strong_ordering::greater;
  return negative ? other.magnitude <=> magnitude : magnitude <=> other.magnitude;
}

Integer operator+(const Integer& a, const Integer& b) {
  if (a.negative == b.negative) return Integer(a.magnitude + b.magnitude, a.negative);
  return a.magnitude < b.magnitude ? Integer(b.magnitude - a.magnitude, b.negative)
                                   : Integer(a.magnitude - b.magnitude, a.negative);
}

Integer operator-(const Integer& a, const Integer& b) { return a + -b; }

Integer operator*(const Integer& a, const Integer& b) {
  return Integer(a.magnitude * b.magnitude, a.negative != b.negative);
}

std::string shown(const BigUnsigned& value) {
  constexpr std::uint64_t readable = 1'000'000'000'000'000'000ULL;
  if (value < BigUnsigned(readable)) return value.to_string();
  return message("about 2^", value.bit_length() - 1);
}

std::string shown(const Integer& value) {
  std::string text = shown(value.magnitude);
  if (value.negative) text.insert(text.starts_with("about ") ? 6 : 0, "-");
  return text;
}

Integers::Integers(Shape shape, std::size_t words, Words data)
    : shape_(std::move(shape)), words_(words), data_(std::move(data)) {
  std::size_t count = 1;
  for (const std::size_t length : shape_) {
    if (length != 0 && count > (std::size_t{1} << 60) / length) throw ArgumentError("a shape that is too large");
    count *= length;
  }
  if (words_ == 0 || data_.size() % words_ != 0 || data_.size() / words_ != count) {
    throw ArgumentError(message("shape ", to_string(shape_), " takes ", count, " values, but ",
                                words_ == 0 ? 0 : data_.size() / words_, " were given"));
  }
}

Integers::Integers(Shape shape, std::span<const std::int64_t> values)
    : Integers(std::move(shape), 1, Words(values.begin(), values.end())) {}

Integers::Integers(Shape shape, std::span<const Integer> values)
    : Integers(std::move(shape), width_of(values), words_of(values, width_of(values))) {}

Integer Integers::operator[](std::size_t i) const {
  static_cast<void>(shape());  // refused where this was moved from
  const auto words = value_words(i);
  std::vector<std::uint64_t> limbs(words_);
  take_magnitude(words, limbs);
  return Integer(BigUnsigned::from_limbs(limbs), sign_of(words.back()) != 0);
}

std::vector<std::int64_t> Integers::to_int64() const {
  const Integers narrow = words_ == 1 ? Integers(0) : resized(1);
  const Words& data = words_ == 1 ? data_ : narrow.data_;
  for (std::size_t i = 0; words_ > 1 && i < size(); ++i) {
    if (narrow[i] != (*this)[i]) {
      throw RangeError(message("value ", shown((*this)[i]), " at position ", i,
                               " does not fit 64 bits; take it as an "
                               "Integer"));
    }
  }
  return {data.begin(), data.end()};
}

BigUnsigned Integers::largest() const {
  if (words_ == 1) {
    std::uint64_t most = 0;
    for (const std::uint64_t value : data_) most = larger(most, magnitude_of(value));
    return BigUnsigned(most);
  }
  Words most(words_, 0), magnitude(words_, 0);
  for (std::size_t i = 0; i < size(); ++i) {
    take_magnitude(value_words(i), magnitude);
    keep_larger(most, magnitude);
  }
  return BigUnsigned::from_limbs(most);
}

BigUnsigned Integers::largest_sum(std::size_t axis) const {
  if (shape_.empty()) return largest();
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < shape_.size(); ++i) inner *= shape_[i];
  const std::size_t length = shape_[axis], outer = length * inner == 0 ? 0 : size() / (length * inner);
  Words most(words_ + 1, 0), sum(words_ + 1, 0), magnitude(words_, 0);
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; ++i) {
      std::ranges::fill(sum, 0);
      if (words_ == 1) {
        // The halves of words apart: they add up in a word each, with vectors.
        constexpr std::size_t most_at_once = std::size_t{1} << 31;
        u128 total = 0;
        for (std::size_t start = 0; start < length; start += most_at_once) {
          std::uint64_t low = 0, high = 0;
          for (std::size_t k = start; k < std::min(length, start + most_at_once); ++k) {
            const std::uint64_t one = magnitude_of(data_[(o * length + k) * inner + i]);
            low += one & 0xffffffffU;
            high += one >> 32;
          }
          total += (static_cast<u128>(high) << 32) + low;
        }
        sum[0] = static_cast<std::uint64_t>(total);
        sum[1] = static_cast<std::uint64_t>(total >> 64);
      } else {
        for (std::size_t k = 0; k < length; ++k) {
          take_magnitude(value_words((o * length + k) * inner + i), magnitude);
          add_to(sum, magnitude);
        }
      }
      keep_larger(most, sum);
    }
  }
  return BigUnsigned::from_limbs(most);
}

bool Integers::uniform() const {
  for (std::size_t i = words_; i < data_.size(); ++i) {
    if (data_[i] != data_[i - words_]) return false;
  }
  return !data_.empty();
}

Integers Integers::operator-() const {
  // The most negative value of a width has no opposite in it.
  const bool wider =
      std::ranges::any_of(iota(size()), [&](std::size_t i) { return value_words(i).back() == std::uint64_t{1} << 63; });
  Integers result = wider ? resized(words_ + 1) : *this;
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::uint64_t carry = 1;
    for (std::size_t j = 0; j < result.words_; ++j) {
      std::uint64_t& word = result.data_[i * result.words_ + j];
      word = ~word + carry;
      carry = carry != 0 && word == 0 ? 1 : 0;
    }
  }
  return result;
}

Integers Integers::taken(const Indices& indices, Shape shape) const {
  Words data;
  data.reserve(indices.size() * words_);
  for (const std::size_t i : indices) {
    const auto words = value_words(i);
    data.insert(data.end(), words.begin(), words.end());
  }
  return {std::move(shape), words_, std::move(data)};
}

Integers Integers::resized(std::size_t words) const {
  Words data;
  data.reserve(size() * words);
  for (std::size_t i = 0; i < size(); ++i) {
    const auto from = value_words(i);
    for (std::size_t j = 0; j < words; ++j) data.push_back(j < words_ ? from[j] : sign_of(from.back()));
  }
  return {shape_, words, std::move(data)};
}

std::size_t first_wider_than(const Integers& values, unsigned bits) {
  const auto above = [&](std::size_t i) {
    const auto words = values.value_words(i);
    std::uint64_t rest = words[0] >> bits;
    for (std::size_t j = 1; j < words.size(); ++j) rest |= words[j];  // of a negative value all ones
    return rest;
  };
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < values.size(); ++i) any |= above(i);
  if (!declassify(any != 0)) return values.size();
  std::size_t i = 0;
  while (above(i) == 0) ++i;
  return i;
}

}  // namespace cyclotome::value
