// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/modular.hpp"

namespace cyclotome::study {

BigUnsigned power_mod(const BigUnsigned& base, const BigUnsigned& exponent, const BigUnsigned& p) {
  return with_field(p, [&](const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    const auto x = field.enter(to_element<Field>(base));
    return to_big(field.leave(field.power(x, exponent.limbs())));
  });
}

BigUnsigned multiply_mod(const BigUnsigned& a, const BigUnsigned& b, const BigUnsigned& p) {
  return with_field(
      p, [&](const auto& field) { return to_big(field.multiply(field.enter(reduce(field, a)), reduce(field, b))); });
}

BigUnsigned inverse_mod(const BigUnsigned& a, const BigUnsigned& p) {
  return with_field(
      p, [&](const auto& field) { return to_big(field.leave(field.inverse(field.enter(reduce(field, a))))); });
}

}  // namespace cyclotome::study
