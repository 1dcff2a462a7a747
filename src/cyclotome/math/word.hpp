// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define CYCLOTOME_HD __host__ __device__
#else
#define CYCLOTOME_HD
#endif

namespace cyclotome {

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/// A machine word that holds one residue: 32-bit words carry primes below 2^31 (2^30 where lazy transforms are used),
/// 64-bit words carry primes below 2^61.
template <class W>
concept LimbWord = std::same_as<W, std::uint32_t> || std::same_as<W, std::uint64_t>;

namespace detail {
template <class W>
struct WideOf;
template <>
struct WideOf<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct WideOf<std::uint64_t> {
  using type = u128;
};
}  // namespace detail

/// The word that holds a product of two `W`.
template <LimbWord W>
using Wide = typename detail::WideOf<W>::type;

template <LimbWord W>
inline constexpr unsigned word_bits = sizeof(W) * 8;

/// Exclusive upper bound of a modulus: 2^31 for 32-bit words, 2^61 for 64-bit words.
template <LimbWord W>
inline constexpr std::uint64_t max_modulus = std::same_as<W, std::uint32_t> ? (1ULL << 31) : (1ULL << 61);

/// Exclusive upper bound of a modulus that has a transform: lazy butterflies keep values in [0, 4q), which must fit the
/// word.
template <LimbWord W>
inline constexpr std::uint64_t max_transform_modulus = std::same_as<W, std::uint32_t> ? (1ULL << 30) : (1ULL << 61);

/// Upper half of the product of two words.
template <LimbWord W>
CYCLOTOME_HD constexpr W multiply_high(W a, W b) noexcept {
  return static_cast<W>((static_cast<Wide<W>>(a) * b) >> word_bits<W>);
}

}  // namespace cyclotome
