// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/tables/key_switch_constants.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"

namespace cyclotome {

KeySwitchConstants::KeySwitchConstants(const RingPtr& q, const RingPtr& p, std::size_t per_digit,
                                       PreservedModulus preserved, std::uint64_t numerator)
    : ciphertext_ring(q), special_ring(p), key_ring(p == nullptr ? q : p->joined(*q)) {
  if (per_digit == 0) throw ParameterError("a digit of a key switch needs at least one prime, not 0");
  for (std::size_t first = 0; first < q->limbs(); first += per_digit) {
    RingPtr digit = q->slice(first, std::min(per_digit, q->limbs() - first));
    BaseConversion extension(digit->basis(), key_ring->basis(), Lift::centred);
    digits.push_back({first, std::move(digit), std::move(extension)});
  }
  if (p != nullptr) rounding.emplace(q, p, preserved, numerator);
}

std::size_t KeySwitchConstants::whole_digits(std::size_t limbs) const {
  std::size_t whole = 0;
  for (const Digit& digit : digits) {
    if (digit.first < limbs) whole = digit.first + digit.ring->limbs();
  }
  return whole;
}

KeySwitchConstants KeySwitchConstants::of_first(std::size_t limbs) const {
  if (whole_digits(limbs) != limbs) {
    throw ArgumentError(message("a key switch of ", limbs, " of ", ciphertext_ring->limbs(),
                                " primes, which are no whole digits; the next ones end at ", whole_digits(limbs)));
  }
  KeySwitchConstants some = *this;
  std::erase_if(some.digits, [limbs](const Digit& digit) { return digit.first >= limbs; });
  return some;
}

}  // namespace cyclotome
