// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/hps.hpp"

#include <algorithm>

#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/tables/limb_values.hpp"

namespace cyclotome::bfv {

HpsProduct::HpsProduct(const RingPtr& q, const RingPtr& p, rlwe::PlainModulus plain_modulus)
    : ciphertext_ring(q),
      auxiliary_ring(p),
      product_ring(q->joined(*p)),
      extend(q->basis(), p->basis(), Lift::centred),
      exchange(q->basis(), p->basis(), Lift::centred,
               per_limb(q->basis(), [&](std::uint64_t prime) { return p->basis().product_mod(prime); }),
               negative_inverses(q->basis(), p->basis())),
      restore(p->basis(), q->basis(), Lift::centred),
      scale(q, p, PreservedModulus(1), plain_modulus.value) {}

Basis hps_auxiliary_basis(const Basis& q, const RingShape& shape, const std::vector<std::uint64_t>& excluded) {
  const std::uint64_t widest = *std::max_element(q.values().begin(), q.values().end());
  const unsigned bits = q.word() == Word::u32 ? 30 : bit_length(widest) <= 50 ? 50 : 61;
  // Primes of b bits lie above 2^(b-1), so this many always suffice.
  const std::size_t enough = (q.product().bit_length() + hps_margin) / (bits - 1) + 1;
  const Basis all(q.word(), primes_congruent_to_one(bits, shape.transform_step(), enough, excluded));
  return all.slice(0, hps_auxiliary_limbs(q, all));
}

std::size_t hps_auxiliary_limbs(const Basis& q, const Basis& p) {
  const unsigned needed = q.product().bit_length() + hps_margin;
  for (std::size_t limbs = 1; limbs <= p.size(); ++limbs) {
    if (p.slice(0, limbs).product().bit_length() > needed) return limbs;
  }
  throw ParameterError(message("an auxiliary basis of ", p.product().bit_length(),
                               " bits is too short for a modulus of ", needed - hps_margin, " bits and the margin of ",
                               hps_margin));
}

}  // namespace cyclotome::bfv
