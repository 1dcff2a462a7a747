// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/conversion/big_unsigned.hpp"

namespace cyclotome {

/// The machine word of a basis; its value is the number of bytes.
enum class Word : std::uint8_t { u32 = 4, u64 = 8 };

constexpr std::size_t bytes_of(Word word) noexcept { return static_cast<std::size_t>(word); }
constexpr unsigned bits_of(Word word) noexcept { return static_cast<unsigned>(word) * 8; }

/// Calls `body` with a value of the word's type: `with_word(word, [&]<class W>(W) { ... })`.
template <class Body>
decltype(auto) with_word(Word word, Body&& body) {
  if (word == Word::u32) return body(std::uint32_t{});
  return body(std::uint64_t{});
}

/// An RNS basis: an ordered list of pairwise coprime moduli in words of one size. Immutable.
class Basis {
 public:
  Basis() = default;

  /// Throws ParameterError unless every modulus lies in [2, 2^31) (32-bit words) or [2, 2^61) (64-bit words) and all
  /// are pairwise coprime. They need not be prime: a power of two or a plaintext modulus may be a limb.
  Basis(Word word, std::vector<std::uint64_t> moduli);

  Word word() const noexcept { return word_; }
  std::size_t size() const noexcept { return values_.size(); }
  std::uint64_t operator[](std::size_t limb) const noexcept { return values_[limb]; }
  const std::vector<std::uint64_t>& values() const noexcept { return values_; }
  bool operator==(const Basis& other) const noexcept { return word_ == other.word_ && values_ == other.values_; }

  /// The moduli with their reduction constants; W must be the basis's word.
  template <LimbWord W>
  std::span<const Modulus<W>> moduli() const noexcept {
    if constexpr (sizeof(W) == 4) {
      return moduli32_;
    } else {
      return moduli64_;
    }
  }

  /// Product of all moduli.
  BigUnsigned product() const { return BigUnsigned::product(values_); }
  /// Product of all moduli, modulo m.
  std::uint64_t product_mod(std::uint64_t m) const noexcept;
  /// Product of all moduli but the one at `limb`, modulo m.
  std::uint64_t punctured_product_mod(std::size_t limb, std::uint64_t m) const noexcept;

  /// Limbs first, ..., first + count - 1.
  Basis slice(std::size_t first, std::size_t count) const;
  /// This basis followed by `other`; both must be coprime and of one word.
  Basis joined(const Basis& other) const;

 private:
  Word word_ = Word::u64;
  std::vector<std::uint64_t> values_;
  std::vector<Modulus<std::uint32_t>> moduli32_;
  std::vector<Modulus<std::uint64_t>> moduli64_;
};

}  // namespace cyclotome
