// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/key_switch.hpp"

#include <algorithm>

#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/rlwe/noise.hpp"

namespace cyclotome::rlwe {

KeySwitch::KeySwitch(const RingPtr& ciphertext_ring, const RingPtr& special_ring, std::size_t per_digit,
                     std::uint64_t preserved, double error_multiplier)
    : step_(ciphertext_ring, special_ring, per_digit, preserved) {
  std::vector<double> log2_digits;
  for (const auto& digit : step_.digits) log2_digits.push_back(digit.ring->basis().product().log2());
  noise_deviation_ = key_switch_deviation(ciphertext_ring->degree(), log2_digits,
                                          special_ring == nullptr ? 0 : special_ring->basis().product().log2(),
                                          error_multiplier, static_cast<double>(preserved));
}

ConstView KeySwitch::present(ConstView key) const { return key.items(0, digits()).limbs_at(0, *step_.key_ring); }

void KeySwitch::apply(Engine& engine, View out, ConstView c, ConstView key,
                      const std::optional<ConstView>& addend) const {
  engine.key_switch(out, c, present(key), step_, addend);
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
