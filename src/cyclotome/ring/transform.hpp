// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cyclotome/ring/basis.hpp"

namespace cyclotome {

/// How one limb is evaluated at the roots of f modulo its prime, in an order that GaloisGroup::slot knows, and back:
/// constants only. An engine has the code for a method, or refuses rings that need it (Engine::require_ring).
struct Transform {
  enum class Method : std::uint8_t {
    negacyclic,   ///< TransformTables: merged radix 2, in place
    prime_factor  ///< PrimeFactorTables: a cyclic convolution along each prime factor of the index
  };

  virtual ~Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;

  const Method method;
  const Word word;                  ///< of the residues
  const std::size_t scratch_words;  ///< that transforming one limb takes; 0 for methods in place

 protected:
  Transform(Method method_, Word word_, std::size_t scratch) : method(method_), word(word_), scratch_words(scratch) {}
};

/// "negacyclic", "prime-factor".
constexpr std::string_view name_of(Transform::Method method) noexcept {
  return method == Transform::Method::negacyclic ? "negacyclic" : "prime-factor";
}

}  // namespace cyclotome
