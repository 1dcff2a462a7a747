// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/key_switch_constants.hpp"

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

}  // namespace cyclotome
