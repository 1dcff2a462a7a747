// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/key_switch.hpp"

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

ConstView KeySwitch::present(const PolyArray& key) const {
  return key.view().items(0, digits()).limbs_at(0, *step_.key_ring);
}

void KeySwitch::apply(View out, ConstView c, const PolyArray& key, const std::optional<ConstView>& addend) const {
  key.engine()->key_switch(out, c, present(key), step_, addend);
}

void KeySwitch::apply_extended(View out, const PolyArray& extended, const PolyArray& key) const {
  switch_extended(*key.engine(), out, extended.view(), present(key), step_);
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
