// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/conversion/big_unsigned.hpp"
#include "cyclotome/study/montgomery_field.hpp"

// Arithmetic modulo one odd number of up to `max_modulus_bits` bits, which is chosen at run time.
namespace cyclotome::study {

inline constexpr unsigned max_modulus_bits = 1024;

/// The lowest words of a number, zeros above. Precondition: it fits.
template <class Field>
typename Field::Element to_element(const BigUnsigned& value) {
  typename Field::Element element{};
  const auto& limbs = value.limbs();
  for (std::size_t i = 0; i < element.size() && i * Field::bits / 64 < limbs.size(); ++i) {
    element[i] =
        static_cast<typename Field::Element::value_type>(limbs[i * Field::bits / 64] >> (i * Field::bits % 64));
  }
  return element;
}

template <class Element>
BigUnsigned to_big(const Element& element) {
  constexpr std::size_t bytes = sizeof(element[0]);
  std::array<std::uint64_t, (std::tuple_size_v<Element> * bytes + 7) / 8> limbs{};
  for (std::size_t i = 0; i < element.size(); ++i) {
    limbs[i * bytes / 8] |= static_cast<std::uint64_t>(element[i]) << (i * bytes * 8 % 64);
  }
  return BigUnsigned::from_limbs(limbs);
}

/// Calls action(field) with the narrowest field of 64-bit words that holds p: 1, 2, 4, 8 or 16 of them.
/// Throws ParameterError unless p is odd, at least 3 and has at most max_modulus_bits bits.
template <class Action>
auto with_field(const BigUnsigned& p, const Action& action) {
  const unsigned bits = p.bit_length();
  if (bits < 2 || bits > max_modulus_bits || (p.limbs()[0] & 1) == 0) {
    throw ParameterError(message("the modulus ", p.to_string(), " must be odd, at least 3 and have at most ",
                                 max_modulus_bits, " bits"));
  }
  const auto call = [&]<std::size_t L>(std::integral_constant<std::size_t, L>) {
    using Field = MontgomeryField<std::uint64_t, L>;
    return action(Field(to_element<Field>(p)));
  };
  if (bits <= 64) return call(std::integral_constant<std::size_t, 1>{});
  if (bits <= 128) return call(std::integral_constant<std::size_t, 2>{});
  if (bits <= 256) return call(std::integral_constant<std::size_t, 4>{});
  if (bits <= 512) return call(std::integral_constant<std::size_t, 8>{});
  return call(std::integral_constant<std::size_t, 16>{});
}

/// a mod p, for a of any size and a field of 64-bit words.
template <class Field>
typename Field::Element reduce(const Field& field, const BigUnsigned& a);

/// base^exponent mod p; base < p. Throws ParameterError as `with_field`. The exponent is public.
BigUnsigned power_mod(const BigUnsigned& base, const BigUnsigned& exponent, const BigUnsigned& p);
/// a b mod p; a, b of any size.
BigUnsigned multiply_mod(const BigUnsigned& a, const BigUnsigned& b, const BigUnsigned& p);
/// a^-1 mod p for a prime p and a of any size that p does not divide.
BigUnsigned inverse_mod(const BigUnsigned& a, const BigUnsigned& p);

// --- implementation
// ----------------------------------------------------------------------------------------------------

template <class Field>
typename Field::Element reduce(const Field& field, const BigUnsigned& a) {
  // Horner's rule over as many words as an element has: x <- x R + chunk.
  static_assert(Field::bits == 64);
  constexpr std::size_t words = std::tuple_size_v<typename Field::Element>;
  const auto& limbs = a.limbs();
  typename Field::Element result{};
  for (std::size_t chunk = (limbs.size() + words - 1) / words; chunk-- > 0;) {
    const std::size_t first = chunk * words;
    const std::size_t count = std::min(words, limbs.size() - first);
    const auto part = to_element<Field>(BigUnsigned::from_limbs(std::span(limbs).subspan(first, count)));
    result = field.add(field.enter(result), field.leave(field.enter(part)));
  }
  return result;
}

}  // namespace cyclotome::study
