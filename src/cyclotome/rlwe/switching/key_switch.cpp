// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/switching/key_switch.hpp"

#include "cyclotome/ring/tables/limb_values.hpp"

namespace cyclotome::rlwe {

KeySwitch::KeySwitch(const RingPtr& ciphertext_ring, const RingPtr& special_ring, std::size_t per_digit,
                     const ErrorMultiples& multiples, const NoiseBound& noise, const NoiseBound& relinearization_noise)
    : constants_(ciphertext_ring, special_ring, per_digit, PreservedModulus(multiples.of_results), multiples.factor()),
      noise_(noise),
      relinearization_noise_(relinearization_noise) {
  if (multiples.factor() == 1) return;
  const auto by_prime = [&](const auto& value) { return per_limb(ciphertext_ring->basis(), value); };
  inverse_factors_ = by_prime([&](std::uint64_t q) { return inverse_of(multiples.factor(), q); });
  if (special_ring == nullptr) late_factors_ = by_prime([&](std::uint64_t q) { return multiples.factor() % q; });
}

std::vector<std::uint64_t> KeySwitch::gadget_factors(std::size_t digit) const {
  const Basis& basis = constants_.key_ring->basis();
  std::vector<std::uint64_t> factors(basis.size(), 0);
  for (std::size_t i = 0; i < constants_.digits[digit].ring->limbs(); ++i) {
    const std::size_t limb = constants_.special_limbs() + constants_.digits[digit].first + i;
    factors[limb] = constants_.special_ring == nullptr ? 1 : constants_.special_ring->basis().product_mod(basis[limb]);
  }
  return factors;
}

std::size_t KeySwitch::scratch_bytes() const noexcept {
  const Ring& ring = *constants_.key_ring;
  return (digits() + 2) * ring.limbs() * ring.degree() * bytes_of(ring.word());
}

}  // namespace cyclotome::rlwe
