// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/key_switch.hpp"

#include <algorithm>

#include "cyclotome/engine/key_switch_parts.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/limb_values.hpp"

namespace cyclotome::rlwe {

KeySwitch::KeySwitch(const RingPtr& ciphertext_ring, const RingPtr& special_ring, std::size_t per_digit,
                     const ErrorMultiples& multiples, const NoiseBound& noise)
    : step_(ciphertext_ring, special_ring, per_digit, multiples.of_results, multiples.factor()), noise_(noise) {
  if (multiples.factor() == 1) return;
  const auto by_prime = [&](const auto& value) { return per_limb(ciphertext_ring->basis(), value); };
  inverse_factors_ = by_prime([&](std::uint64_t q) { return inverse_of(multiples.factor(), q); });
  if (special_ring == nullptr) late_factors_ = by_prime([&](std::uint64_t q) { return multiples.factor() % q; });
}

ConstView KeySwitch::present(ConstView key) const { return key.items(0, digits()).limbs_at(0, *step_.key_ring); }

PolyArray KeySwitch::prepared(Engine& engine, ConstView c) const {
  PolyArray scaled(engine.shared_from_this(), step_.ciphertext_ring, c.batch, 1, c.domain);
  engine.multiply_scalars(scaled.view(), c, inverse_factors_);
  return scaled;
}

void KeySwitch::apply(Engine& engine, View out, ConstView c, ConstView key,
                      const std::optional<ConstView>& addend) const {
  if (inverse_factors_.empty()) {
    engine.key_switch(out, c, present(key), step_, addend);
    return;
  }
  const PolyArray scaled = prepared(engine, c);
  if (late_factors_.empty()) {
    engine.key_switch(out, scaled.view(), present(key), step_, addend);
    return;
  }
  PolyArray switched(engine.shared_from_this(), step_.ciphertext_ring, out.batch, 2, out.domain);
  engine.key_switch(switched.view(), scaled.view(), present(key), step_);
  engine.multiply_scalars(switched.view(), switched.view(), late_factors_);
  const std::size_t added = addend ? addend->parts : 0;  // out may be the addend
  if (added != 0) engine.add(out.part(0, added), switched.view().part(0, added), *addend);
  if (added != 2) engine.copy(out.part(added, 2 - added), switched.view().part(added, 2 - added));
}

PolyArray KeySwitch::extend(Engine& engine, ConstView c) const {
  if (inverse_factors_.empty()) return extended_digits(engine, c, step_);
  const PolyArray scaled = prepared(engine, c);
  return extended_digits(engine, scaled.view(), step_);
}

void KeySwitch::divide(View out, PolyArray& product) const {
  Engine& engine = *product.engine();
  divide_product(engine, out, product, step_);
  if (!late_factors_.empty()) engine.multiply_scalars(out, out, late_factors_);
}

void KeySwitch::relinearize(Engine& engine, View out, ConstView c, ConstView key) const {
  const std::size_t tile = engine.batch_tile(c.batch, scratch_bytes());
  for (std::size_t first = 0; first < c.batch; first += tile) {
    check_interrupt();
    const std::size_t count = std::min(tile, c.batch - first);
    const ConstView items = c.items(first, count);
    apply(engine, out.items(first, count), items.part(2), key, items.part(0, 2));
  }
}

void KeySwitch::multiply_turned(std::span<PolyArray> products, const PolyArray& extended,
                                std::span<const std::uint64_t> elements, std::span<const PolyArray* const> keys) const {
  Engine& engine = *extended.engine();
  const RingPtr& ring = step_.key_ring;
  constexpr std::size_t fast_memory = std::size_t{1} << 20;  // a core's cache of the second level
  const std::size_t limb_bytes = extended.batch() * digits() * ring->degree() * bytes_of(ring->word());
  const std::size_t tile = std::clamp<std::size_t>(fast_memory / (2 * limb_bytes), 1, ring->limbs());
  for (std::size_t first = 0; first < ring->limbs(); first += tile) {
    check_interrupt();
    const RingPtr limbs = ring->slice(first, std::min(tile, ring->limbs() - first));
    PolyArray turned(extended.engine(), limbs, extended.batch(), digits(), Domain::transform);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      engine.automorphism(turned.view(), extended.view().limbs_at(first, *limbs), elements[i]);
      engine.key_switch_product(products[i].view().limbs_at(first, *limbs), turned.view(),
                                present(keys[i]->view()).limbs_at(first, *limbs));
    }
  }
}

std::vector<std::uint64_t> KeySwitch::gadget_factors(std::size_t digit) const {
  const Basis& basis = step_.key_ring->basis();
  std::vector<std::uint64_t> factors(basis.size(), 0);
  for (std::size_t i = 0; i < step_.digits[digit].ring->limbs(); ++i) {
    const std::size_t limb = step_.special_limbs() + step_.digits[digit].first + i;
    factors[limb] = step_.special_ring == nullptr ? 1 : step_.special_ring->basis().product_mod(basis[limb]);
  }
  return factors;
}

std::size_t KeySwitch::scratch_bytes() const noexcept {
  const Ring& ring = *step_.key_ring;
  return (digits() + 2) * ring.limbs() * ring.degree() * bytes_of(ring.word());
}

}  // namespace cyclotome::rlwe
