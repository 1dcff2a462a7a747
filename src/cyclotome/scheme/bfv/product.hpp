// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"

namespace cyclotome::bfv {

/// out = the three parts of a product over Q, coefficient domain, from factors of as many items or 1. b: the second
/// factor, or null to square a. level: where to multiply, the top one but for hps_over_q_leveled. The
/// operands have been checked.
void form_product(const Context& context, rlwe::PlainIndex plain, ProductMethod method, rlwe::Level level, View out,
                  ConstView a, const ConstView* b);

}  // namespace cyclotome::bfv
