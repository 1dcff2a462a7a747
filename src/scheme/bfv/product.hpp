// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"

namespace cyclotome::bfv {

/// out = the three parts of a product over Q, coefficient domain, from factors of as many items or 1. b: the second
/// factor, or null to square a. limbs: how many ciphertext primes to multiply in, all but for hps_over_q_leveled. The
/// operands have been checked.
void form_product(const Context& context, std::size_t plain, ProductMethod method, std::size_t limbs, View out,
                  ConstView a, const ConstView* b);

/// The fewest primes that operands of these noises can be switched to (and their product back from) while the switch's
/// error stays an eighth of the larger noise: what a levelled product works in. The noise that counts is the common
/// one, below its bound by the bound's allowance for repeated factors.
std::size_t product_level(const rlwe::Parameters& parameters, const rlwe::NoiseBound& a, const rlwe::NoiseBound& b);

}  // namespace cyclotome::bfv
