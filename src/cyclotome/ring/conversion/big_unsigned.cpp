// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/conversion/big_unsigned.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cyclotome/math/word.hpp"

namespace cyclotome {

BigUnsigned::BigUnsigned(std::uint64_t value) {
  if (value != 0) limbs_.push_back(value);
}

BigUnsigned BigUnsigned::product(std::span<const std::uint64_t> factors) {
  BigUnsigned result(1);
  for (const auto factor : factors) result *= factor;
  return result;
}

BigUnsigned BigUnsigned::power_of_two(unsigned exponent) {
  BigUnsigned result;
  result.limbs_.assign(exponent / 64 + 1, 0);
  result.limbs_.back() = 1ULL << (exponent % 64);
  return result;
}

BigUnsigned BigUnsigned::from_limbs(std::span<const std::uint64_t> limbs) {
  BigUnsigned result;
  result.limbs_.assign(limbs.begin(), limbs.end());
  result.trim();
  return result;
}

void BigUnsigned::trim() noexcept {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

unsigned BigUnsigned::bit_length() const noexcept {
  if (limbs_.empty()) return 0;
  return static_cast<unsigned>(64 * limbs_.size()) - static_cast<unsigned>(std::countl_zero(limbs_.back()));
}

double BigUnsigned::log2() const noexcept {
  if (limbs_.empty()) return -std::numeric_limits<double>::infinity();
  const unsigned bits = bit_length();
  if (bits <= 64) return std::log2(static_cast<double>(limbs_[0]));
  // The highest 64 bits, without memory for them: this does not throw.
  const unsigned below = bits - 64, word = below / 64, shift = below % 64;
  const std::uint64_t top = shift == 0 ? limbs_[word] : limbs_[word] >> shift | limbs_[word + 1] << (64 - shift);
  return std::log2(static_cast<double>(top)) + below;
}

std::uint64_t BigUnsigned::mod(std::uint64_t m) const noexcept {
  std::uint64_t remainder = 0;
  for (auto it = limbs_.rbegin(); it != limbs_.rend(); ++it) {
    remainder = static_cast<std::uint64_t>(((static_cast<u128>(remainder) << 64) | *it) % m);
  }
  return remainder;
}

BigUnsigned BigUnsigned::divided_by(std::uint64_t d) const {
  BigUnsigned quotient = *this;
  std::uint64_t remainder = 0;
  for (auto it = quotient.limbs_.rbegin(); it != quotient.limbs_.rend(); ++it) {
    const u128 value = (static_cast<u128>(remainder) << 64) | *it;
    *it = static_cast<std::uint64_t>(value / d);
    remainder = static_cast<std::uint64_t>(value % d);
  }
  quotient.trim();
  return quotient;
}

std::string BigUnsigned::to_string() const {
  if (is_zero()) return "0";
  constexpr std::uint64_t chunk = 10'000'000'000'000'000'000ULL;  // 10^19
  std::string text;
  for (BigUnsigned value = *this; !value.is_zero(); value = value.divided_by(chunk)) {
    std::string digits = std::to_string(value.mod(chunk));
    if (value.limbs_.size() > 1 || value.limbs_[0] >= chunk) digits.insert(0, 19 - digits.size(), '0');
    text.insert(0, digits);
  }
  return text;
}

BigUnsigned& BigUnsigned::operator+=(const BigUnsigned& other) {
  limbs_.resize(std::max(limbs_.size(), other.limbs_.size()) + 1, 0);
  u128 carry = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    carry += static_cast<u128>(limbs_[i]) + (i < other.limbs_.size() ? other.limbs_[i] : 0);
    limbs_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  trim();
  return *this;
}

BigUnsigned& BigUnsigned::operator-=(const BigUnsigned& other) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const u128 take = static_cast<u128>(i < other.limbs_.size() ? other.limbs_[i] : 0) + borrow;
    borrow = take > limbs_[i] ? 1 : 0;
    limbs_[i] -= static_cast<std::uint64_t>(take);
  }
  trim();
  return *this;
}

BigUnsigned& BigUnsigned::operator*=(std::uint64_t factor) {
  u128 carry = 0;
  for (auto& limb : limbs_) {
    carry += static_cast<u128>(limb) * factor;
    limb = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  if (carry != 0) limbs_.push_back(static_cast<std::uint64_t>(carry));
  trim();
  return *this;
}

BigUnsigned BigUnsigned::operator*(const BigUnsigned& other) const {
  BigUnsigned result;
  for (std::size_t i = other.limbs_.size(); i-- > 0;) {
    if (!result.limbs_.empty()) result.limbs_.insert(result.limbs_.begin(), 0);
    BigUnsigned term = *this;
    term *= other.limbs_[i];
    result += term;
  }
  return result;
}

BigUnsigned BigUnsigned::shifted_right(unsigned bits) const {
  BigUnsigned result;
  const std::size_t whole = bits / 64;
  const unsigned rest = bits % 64;
  for (std::size_t i = whole; i < limbs_.size(); ++i) {
    const std::uint64_t high = i + 1 < limbs_.size() && rest != 0 ? limbs_[i + 1] << (64 - rest) : 0;
    result.limbs_.push_back((limbs_[i] >> rest) | high);
  }
  result.trim();
  return result;
}

std::strong_ordering BigUnsigned::operator<=>(const BigUnsigned& other) const noexcept {
  if (limbs_.size() != other.limbs_.size()) return limbs_.size() <=> other.limbs_.size();
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    if (limbs_[i] != other.limbs_[i]) return limbs_[i] <=> other.limbs_[i];
  }
  return std::strong_ordering::equal;
}

}  // namespace cyclotome
