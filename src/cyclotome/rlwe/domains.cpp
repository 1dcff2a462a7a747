// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/domains.hpp"

namespace cyclotome::rlwe {

Ciphertext transformed(const Ciphertext& a) { return a.in(Domain::transform); }

Ciphertext native(const Ciphertext& a) { return a.in(a.context()->native_domain()); }

Domain common_domain(std::span<const Ciphertext* const> arrays) {
  std::size_t transforms = 0, coefficients = 0;
  for (const Ciphertext* const a : arrays) {
    (a->domain() == Domain::transform ? transforms : coefficients) += a->batch();
  }
  return transforms > coefficients ? Domain::transform : Domain::coefficient;
}

}  // namespace cyclotome::rlwe
