// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/key_switch_parts.hpp"

namespace cyclotome {

PolyArray extended_digits(Engine& engine, ConstView c, const KeySwitchStep& step) {
  PolyArray coefficients;
  if (c.domain == Domain::transform) {
    coefficients = PolyArray(engine.shared_from_this(), step.ciphertext_ring, c.batch, 1, Domain::transform);
    engine.copy(coefficients.view(), c);
    c = coefficients.to_coefficient().view();
  }
  PolyArray extended(engine.shared_from_this(), step.key_ring, c.batch, step.digits.size());
  for (std::size_t j = 0; j < step.digits.size(); ++j) {
    const KeySwitchStep::Digit& digit = step.digits[j];
    engine.convert(extended.view().part(j), c.limbs_at(digit.first, *digit.ring), digit.extension);
  }
  extended.to_transform();
  return extended;
}

void divide_product(Engine& engine, View out, PolyArray& product, const KeySwitchStep& step) {
  if (!step.rounding) {
    if (out.domain == Domain::coefficient) product.to_coefficient();
    engine.copy(out, product.view());
    return;
  }
  View dropped = product.view().limbs_at(0, *step.special_ring);
  View kept = product.view().limbs_at(step.special_limbs(), *step.ciphertext_ring);
  if (out.domain == Domain::coefficient) {
    product.to_coefficient();
    kept.domain = Domain::coefficient;
  } else {
    engine.inverse(dropped);
  }
  dropped.domain = Domain::coefficient;
  engine.divide_and_round(out, kept, dropped, *step.rounding);
}

void switch_extended(Engine& engine, View out, ConstView extended, ConstView key, const KeySwitchStep& step) {
  if (!step.rounding) {
    View product = out;
    product.domain = Domain::transform;
    engine.key_switch_product(product, extended, key);
    if (out.domain == Domain::coefficient) engine.inverse(product);
    return;
  }
  PolyArray product(engine.shared_from_this(), step.key_ring, extended.batch, 2, Domain::transform);
  engine.key_switch_product(product.view(), extended, key);
  divide_product(engine, out, product, step);
}

}  // namespace cyclotome
