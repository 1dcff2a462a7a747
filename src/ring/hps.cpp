// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/hps.hpp"

#include <algorithm>

#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/limb_values.hpp"

namespace cyclotome {

HpsProduct::HpsProduct(const RingPtr& q, const RingPtr& p, std::uint64_t plain_modulus)
    : ciphertext_ring(q),
      auxiliary_ring(p),
      product_ring(q->joined(*p)),
      extend(q->basis(), p->basis(), Lift::centred),
      exchange(q->basis(), p->basis(), Lift::centred,
               per_limb(q->basis(), [&](std::uint64_t prime) { return p->basis().product_mod(prime); }),
               negative_inverses(q->basis(), p->basis())),
      restore(p->basis(), q->basis(), Lift::centred),
      scale(q, p, 1, plain_modulus) {}

Basis hps_auxiliary_basis(const Basis& q, std::size_t degree, const std::vector<std::uint64_t>& excluded,
                          unsigned margin) {
  const std::uint64_t widest = *std::max_element(q.values().begin(), q.values().end());
  const unsigned bits = q.word() == Word::u32 ? 30 : bit_length(widest) <= 50 ? 50 : 61;
  const unsigned needed = q.product().bit_length() + margin;
  for (std::size_t size = 1;; ++size) {
    Basis p(q.word(), primes_congruent_to_one(bits, 2 * degree, size, excluded));
    if (p.product().bit_length() > needed) return p;
  }
}

}  // namespace cyclotome
