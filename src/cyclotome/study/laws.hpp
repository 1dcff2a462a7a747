// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "cyclotome/ring/randomness/seed.hpp"

namespace cyclotome::study {

/// What papers 000, 001 and 004 draw small coefficients from. For comparing cost and noise: nothing that encrypts draws
/// so, and none of it is constant-time.
enum class PaperLaw : std::uint8_t {
  binary,      ///< 000: 0 or 1, each 1/2
  zero_one,    ///< 004, ZO(1/2): 0 with 1/2, -1 and 1 with 1/4 each
  box_muller,  ///< 000, 6.5, and 004: a pair of normals from a pair of uniform numbers, rounded to the nearest integers
  inverse_cdf,  ///< 001, 4.3.1: the normal's inverse distribution function of 32 bits of Salsa20, rounded likewise
  ternary,      ///< this library's: -1, 0, 1
  binomial,     ///< this library's errors: centred binomials of 21 pairs
};

/// A law and its numbers; those of laws without numbers are not read.
struct SmallLaw {
  PaperLaw law;
  double deviation = 0;     ///< of the normal numbers before they are rounded, > 0
  std::uint32_t bound = 0;  ///< numbers beyond it are drawn again; 0: none is
};

/// Fills `out`. inverse_cdf draws from Salsa20, the others from ChaCha20 (000's cuRAND is no generator for keys,
/// erratum 000-17), both keyed with the seed. Throws ArgumentError for a deviation that is not in (0, 1000], and a
/// bound below it.
void draw(std::span<std::int32_t> out, const SmallLaw& law, const Seed& seed);

/// The standard normal law's inverse distribution function, 0 < p < 1, to about 10^-9 of the value (Acklam's rational
/// approximation): more than the single precision of paper 001's normcdfinvf.
double inverse_normal(double p) noexcept;

/// Paper 001's uniform number of (0, 1) from 32 bits: in single precision, as there, and moved off 0 and 1. The paper
/// subtracts the smallest float from 1, which leaves 1; this is the largest float below.
float unit_interval(std::uint32_t bits) noexcept;

}  // namespace cyclotome::study
