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

}  // namespace cyclotome::bfv
