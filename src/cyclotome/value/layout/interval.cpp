// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/layout/interval.hpp"

#include <algorithm>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/word.hpp"

namespace cyclotome::value {

namespace {

using Words = std::span<const std::uint64_t>;

/// Two's complement of more words than there are.
std::uint64_t word_of(Words value, std::size_t i) noexcept {
  return i < value.size() ? value[i] : std::uint64_t{0} - (value.back() >> 63);
}

/// 1 if a < b, else 0; no branch on either.
std::uint64_t is_below(Words a, Words b) noexcept {
  const std::size_t words = std::max(a.size(), b.size()) + 1;  // a - b has its sign in the last
  std::uint64_t borrow = 0, top = 0;
  for (std::size_t i = 0; i < words; ++i) {
    const u128 difference = static_cast<u128>(word_of(a, i)) - word_of(b, i) - borrow;
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
    top = static_cast<std::uint64_t>(difference);
  }
  return top >> 63;
}

}  // namespace

Interval Interval::within(const Interval& other) const {
  const Interval both{std::max(low, other.low), std::min(high, other.high)};
  return both.low <= both.high ? both : *this;
}

Interval Interval::hull(const Interval& other) const { return {std::min(low, other.low), std::max(high, other.high)}; }

Interval Interval::times(std::size_t count) const {
  const Integer factor{BigUnsigned(count)};
  return {low * factor, high * factor};
}

Interval operator+(const Interval& a, const Interval& b) { return {a.low + b.low, a.high + b.high}; }

Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

Interval operator*(const Interval& a, const Interval& b) {
  const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}

std::string shown(const Interval& interval) {
  if (interval.is_symmetric()) return message("within +-", shown(interval.high));
  return message("from ", shown(interval.low), " to ", shown(interval.high));
}

Interval interval_of(const Integers& values) {
  if (values.size() == 0) return {};
  if (values.words() == 1) {
    std::int64_t low = values.word(0), high = low;
    for (std::size_t i = 1; i < values.size(); ++i) {
      low = std::min(low, values.word(i));
      high = std::max(high, values.word(i));
    }
    return {low, high};
  }
  std::size_t least = 0, most = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (is_below(values.value_words(i), values.value_words(least)) != 0) least = i;
    if (is_below(values.value_words(most), values.value_words(i)) != 0) most = i;
  }
  return {values[least], values[most]};
}

std::size_t first_outside(const Integers& values, const Interval& interval) {
  const Integers low(interval.low), high(interval.high);
  const bool words = values.words() == 1 && low.words() == 1 && high.words() == 1;
  const auto first = static_cast<std::uint64_t>(low.word(0)), span = static_cast<std::uint64_t>(high.word(0)) - first;
  const auto outside = [&](std::size_t i) {
    if (words) {  // from `first` on, modulo 2^64, there are `span` more
      return static_cast<std::uint64_t>((static_cast<u128>(span) - (values.value_words(i)[0] - first)) >> 127);
    }
    return is_below(values.value_words(i), low.value_words(0)) | is_below(high.value_words(0), values.value_words(i));
  };
  std::uint64_t any = 0;
  if (words && span >> 63 == 0) {  // with vectors: the sign of either, as a number without a sign
    for (const std::uint64_t value : values.data()) any |= (value - first) | (span - (value - first));
    any >>= 63;
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) any |= outside(i);
  }
  if (!declassify(any != 0)) return values.size();
  std::size_t i = 0;
  while (outside(i) == 0) ++i;
  return i;
}

}  // namespace cyclotome::value
