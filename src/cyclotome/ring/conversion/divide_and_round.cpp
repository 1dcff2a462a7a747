// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/conversion/divide_and_round.hpp"

#include "cyclotome/ring/tables/limb_values.hpp"

namespace cyclotome {

DivideAndRound::DivideAndRound(const RingPtr& q, const RingPtr& p, PreservedModulus preserved, std::uint64_t numerator)
    : kept(q),
      dropped(p),
      correction(p->basis(), q->basis(), Lift::centred,
                 per_limb(p->basis(),
                          [&](std::uint64_t prime) {
                            const std::uint64_t inverse = preserved.value == 1 ? 1 : inverse_of(preserved.value, prime);
                            return multiply_mod(numerator, inverse, prime);
                          }),
                 per_limb(q->basis(),
                          [&](std::uint64_t prime) {
                            return multiply_mod(preserved.value,
                                                negate_mod(inverse_of_product(p->basis(), prime), prime), prime);
                          })),
      factors(per_limb(q->basis(), [&](std::uint64_t prime) {
        return multiply_mod(numerator, inverse_of_product(p->basis(), prime), prime);
      })) {}

}  // namespace cyclotome
