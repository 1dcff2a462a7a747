// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/switching/level_switch.hpp"

#include "cyclotome/ring/tables/limb_values.hpp"

namespace cyclotome::rlwe {

namespace {

/// Division by the primes from `to` to `from` of what is over the first `from` primes, and a multiple of those of q
/// that follow, by which it is divided, too.
DivideAndRound division(const RingPtr& q, std::size_t from, std::size_t to) {
  const RingPtr kept = q->slice(0, to), dropped = q->slice(to, from - to);
  if (from == q->limbs()) return {kept, dropped};
  const Basis raised = q->slice(from, q->limbs() - from)->basis(), all = q->slice(to, q->limbs() - to)->basis();
  return {kept, dropped,
          BaseConversion(dropped->basis(), kept->basis(), Lift::centred, inverses(raised, dropped->basis()),
                         negative_inverses(dropped->basis(), kept->basis())),
          inverses(all, kept->basis())};
}

}  // namespace

LevelSwitch::LevelSwitch(const RingPtr& q, std::size_t from, std::size_t to) {
  const Basis gone = q->slice(to, q->limbs() - to)->basis();
  raise = per_limb(Basis(q->slice(0, to)->basis()), [&](std::uint64_t prime) { return gone.product_mod(prime); });
  if (from > to) {
    drop = division(q, from, to);
  } else {
    exact = inverses(gone, Basis(q->slice(0, from)->basis()));
  }
}

}  // namespace cyclotome::rlwe
