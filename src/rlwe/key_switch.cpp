// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/key_switch.hpp"

#include <algorithm>

#include "cyclotome/rlwe/noise.hpp"

namespace cyclotome::rlwe {

KeySwitch::KeySwitch(const RingPtr& ciphertext_ring, const RingPtr& special_ring, std::size_t per_digit,
                     std::uint64_t preserved, double error_multiplier)
    : ciphertext_ring_(ciphertext_ring),
      special_ring_(special_ring),
      key_ring_(special_ring == nullptr ? ciphertext_ring : special_ring->joined(*ciphertext_ring)) {
  const std::size_t k = ciphertext_ring->limbs();
  std::vector<double> log2_digits;
  for (std::size_t first = 0; first < k; first += per_digit) {
    digit_first_.push_back(first);
    digit_rings_.push_back(ciphertext_ring->slice(first, std::min(per_digit, k - first)));
    const Basis& digit = digit_rings_.back()->basis();
    extensions_.emplace_back(digit, key_ring_->basis(), Lift::centred);
    log2_digits.push_back(digit.product().log2());
  }
  if (special_ring != nullptr) rounding_ = std::make_unique<DivideAndRound>(ciphertext_ring, special_ring, preserved);
  noise_deviation_ = key_switch_deviation(ciphertext_ring->degree(), log2_digits,
                                          special_ring == nullptr ? 0 : special_ring->basis().product().log2(),
                                          error_multiplier, static_cast<double>(preserved));
}

PolyArray KeySwitch::extend(const EnginePtr& engine, ConstView c) const {
  PolyArray extended(engine, key_ring_, c.batch, digits());
  for (std::size_t j = 0; j < digits(); ++j) {
    engine->convert(extended.view().part(j), c.limbs_at(digit_first_[j], *digit_rings_[j]), extensions_[j]);
  }
  extended.to_transform();
  return extended;
}

void KeySwitch::apply(View out, ConstView c, const PolyArray& key) const {
  apply_extended(out, extend(key.engine(), c), key);
}

void KeySwitch::apply_extended(View out, const PolyArray& extended, const PolyArray& key) const {
  Engine& engine = *key.engine();
  const ConstView present = key.view().items(0, digits()).limbs_at(0, *key_ring_);
  if (rounding_ == nullptr) {
    View product = out;
    product.domain = Domain::transform;
    engine.key_switch_product(product, extended.view(), present);
    if (out.domain == Domain::coefficient) engine.inverse(product);
    return;
  }
  PolyArray product(key.engine(), key_ring_, extended.batch(), 2, Domain::transform);
  engine.key_switch_product(product.view(), extended.view(), present);
  View dropped = product.view().limbs_at(0, *special_ring_);
  View kept = product.view().limbs_at(special_ring_->limbs(), *ciphertext_ring_);
  if (out.domain == Domain::coefficient) {
    product.to_coefficient();
    kept.domain = Domain::coefficient;
  } else {
    engine.inverse(dropped);
  }
  dropped.domain = Domain::coefficient;
  engine.divide_and_round(out, kept, dropped, *rounding_);
}

std::vector<std::uint64_t> KeySwitch::gadget_factors(std::size_t digit) const {
  std::vector<std::uint64_t> factors(key_ring_->limbs(), 0);
  const std::size_t special = key_ring_->limbs() - ciphertext_ring_->limbs();
  for (std::size_t i = 0; i < digit_rings_[digit]->limbs(); ++i) {
    const std::size_t limb = special + digit_first_[digit] + i;
    const std::uint64_t q = key_ring_->basis()[limb];
    factors[limb] = special_ring_ == nullptr ? 1 : special_ring_->basis().product_mod(q);
  }
  return factors;
}

std::size_t KeySwitch::scratch_bytes() const noexcept {
  return (digits() + 2) * key_ring_->limbs() * key_ring_->degree() * bytes_of(key_ring_->word());
}

}  // namespace cyclotome::rlwe
