// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/assumption.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

EncryptedArray assume_bound(const EncryptedArray& x, const BigUnsigned& largest,
                            const std::optional<BigUnsigned>& row) {
  if (x.bound().is_bits() || x.parameters().field_slots() != nullptr) {
    throw UnsupportedError("assume_bound: bits and elements of GF(2^r) are no integers with a bound");
  }
  const std::size_t length = x.layout().last();
  const Bound stated(largest, length, row);
  require_within("assume_bound", stated, x.parameters());
  const Bound bound = x.bound().wraps() ? stated
                                        : Bound(std::min(stated.largest(), x.bound().largest()), length,
                                                std::min(stated.row(), x.bound().row()));
  return {x.placed(), bound, x.keys()};
}

}  // namespace cyclotome::value
