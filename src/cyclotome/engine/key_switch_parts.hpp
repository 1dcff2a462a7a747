// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/ring/key_switch_step.hpp"

namespace cyclotome {

/// The digits of c (1 part over q, either domain) over P q, transformed: one part each. Several keys can use them, and
/// an automorphism of them is the digits of that automorphism of c (hoisting).
PolyArray extended_digits(Engine& engine, ConstView c, const KeySwitchStep& step);

/// out (2 parts over q, in the domain it is tagged with) = round(product / P), product over P q in the transform
/// domain, and used up.
void divide_product(Engine& engine, View out, PolyArray& product, const KeySwitchStep& step);

/// out (2 parts over q, in the domain it is tagged with) = round((sum over j of extended.part(j) key.items(j)) / P).
void switch_extended(Engine& engine, View out, ConstView extended, ConstView key, const KeySwitchStep& step);

}  // namespace cyclotome
