// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "cyclotome/math/word.hpp"

namespace cyclotome {

/// A number that stands for a polynomial which was not computed: 0 for zero, and for others what a random evaluation of
/// them would be, modulo 2^61 - 1. Sums, differences and multiples of polynomials have those of their traces, so that
/// x - x, or 2 x - x - x, is known to be zero; what differs has another trace, but for a chance of about 2^-61.
class Trace {
 public:
  Trace() = default;
  /// Of something that was never seen before, or that depends on these numbers alone; not zero.
  static Trace hashed(std::uint64_t a, std::uint64_t b = 0);

  bool is_zero() const noexcept { return value_ == 0; }
  std::uint64_t value() const noexcept { return value_; }
  Trace times(std::int64_t factor) const noexcept;
  /// A multiple by what a residue stands for where that is small, of either sign.
  Trace times(std::uint64_t residue, std::uint64_t modulus) const noexcept {
    const auto factor = static_cast<std::int64_t>(residue);
    return times(residue > modulus / 2 ? factor - static_cast<std::int64_t>(modulus) : factor);
  }
  friend Trace operator+(Trace a, Trace b) noexcept { return Trace(folded(a.value_ + b.value_)); }
  friend Trace operator-(Trace a, Trace b) noexcept { return Trace(folded(a.value_ + prime - b.value_)); }
  friend Trace operator*(Trace a, Trace b) noexcept {
    const u128 product = static_cast<u128>(a.value_) * b.value_;  // of which 2^61 is 1
    return Trace(folded((static_cast<std::uint64_t>(product) & prime) + static_cast<std::uint64_t>(product >> 61)));
  }

 private:
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  /// Of a number below twice the prime.
  static std::uint64_t folded(std::uint64_t x) noexcept { return x < prime ? x : x - prime; }
  explicit Trace(std::uint64_t value) : value_(value) {}
  std::uint64_t value_ = 0;
};

/// The traces of polynomials in memory, by where they lie.
class Traces {
 public:
  void put(const void* polynomial, std::size_t bytes, Trace trace);
  /// Of what lies there; nothing if nobody has said. Of some limbs of a polynomial: their own.
  std::optional<Trace> at(const void* polynomial) const;
  /// Nothing is known any more of these bytes.
  void forget(const void* data, std::size_t bytes);

 private:
  struct Entry {
    std::size_t bytes;
    Trace trace;
  };
  std::map<const char*, Entry> entries_;
};

}  // namespace cyclotome
