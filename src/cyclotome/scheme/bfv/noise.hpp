// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "cyclotome/rlwe/noise/parameter_noise.hpp"

// How BFV's noise grows and where it ends. The bound is that of the phase's distance from (q/t) m, q the primes of the
// ciphertext's level.
namespace cyclotome::bfv {

using rlwe::NoiseBound;

/// Ways to multiply; all decrypt to the same product, with noise that differs by about a bit.
enum class ProductMethod : std::uint8_t {
  behz,               ///< Bajard, Eynard, Hasan, Zucca: papers 000 and 003, specification 5.5
  hps_over_q,         ///< Halevi, Polyakov, Shoup in the form of Kim, Polyakov, Zucca: specification 5.6; fewer limbs
  hps_over_q_leveled  ///< the same in as few ciphertext primes as the operands' noise allows: the default
};

/// Their names, for people, in this order: "behz", "hps", "hps-leveled".
std::span<const std::string_view> product_method_names() noexcept;
/// The method of a name; "" is the default one. Throws ArgumentError for others.
ProductMethod product_method(std::string_view name);

/// round(q m / t) - q m / t, m chosen by whoever computes: in each encryption, and each sum with a plaintext.
NoiseBound message_noise(const rlwe::Parameters& parameters);

/// The bound of a product's noise, from those of its factors, all at one level: what `multiply` attaches and what
/// `suggest` plans with.
NoiseBound product_noise(const rlwe::Parameters& parameters, rlwe::PlainIndex plain, rlwe::Level level,
                         const NoiseBound& a, const NoiseBound& b,
                         ProductMethod method = ProductMethod::hps_over_q_leveled);

/// The fewest primes that operands of these noises at a level can be switched to (and their product back from) while
/// the switch's error stays an eighth of the larger noise, by mean squares: what a levelled product works in.
rlwe::Level product_level(const rlwe::Parameters& parameters, rlwe::Level level, const NoiseBound& a,
                          const NoiseBound& b);

/// log2 of the largest noise that decryption corrects: (q/t)(1/2 - k/gamma); with round(q m / t) the term |q|_t/2 of
/// paper 000 is gone.
double log2_noise_limit(const rlwe::Parameters& parameters, rlwe::Level level, rlwe::PlainIndex plain);
/// Bits that the bound may grow until decryption refuses.
double headroom(const rlwe::Parameters& parameters, rlwe::Level level, rlwe::PlainIndex plain, const NoiseBound& noise);

/// Of a ciphertext switched from one level to another: down, where rounding adds to it, or up, exactly.
NoiseBound noise_at(const rlwe::Parameters& parameters, const NoiseBound& noise, rlwe::Level from, rlwe::Level to,
                    std::size_t parts = 2);

/// Bit length of gamma, the auxiliary prime of decryption.
constexpr unsigned gamma_bits(Word word) noexcept { return word == Word::u32 ? 30 : 61; }

}  // namespace cyclotome::bfv
