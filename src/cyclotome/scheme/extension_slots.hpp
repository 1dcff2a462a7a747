// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "cyclotome/rlwe/context.hpp"

namespace cyclotome {

/// Slots as what they are where there are k < n: modulo t, x^n + 1 is the product of x^d - zeta' over the k primitive
/// 2k-th roots zeta', d = n/k, so that a polynomial is k elements of K = Z_t[z]/(z^d - zeta), a field where k is the
/// largest possible (rlwe::Parameters::slots). Element i of a polynomial p is p(z^e_i) in K, e_i = 3^i modulo 2n for
/// the first k/2, -3^(i - k/2) for the others: all slots are read in one basis, and with zeta the least root, constants
/// are the values of Encoding::Kind::slots.
///
/// Products of polynomials are those of elements. x -> x^g gives slot i the element of slot j where g e_i = e_j; where
/// g e_i = e_j h, h = 1 modulo 2k, its image under z -> z^h. x -> x^t raises every element to the power t.
class ExtensionSlots {
 public:
  /// Of one plaintext modulus. Throws ParameterError where it has no slots of integers in a ring of powers of x.
  ExtensionSlots(rlwe::ContextPtr context, rlwe::PlainIndex plain);

  /// k.
  std::size_t count() const noexcept { return exponents_.size(); }
  /// d.
  std::size_t degree() const noexcept { return context_->degree() / count(); }
  /// zeta.
  std::uint64_t root() const noexcept { return roots_[1]; }
  /// e_i.
  const std::vector<std::uint64_t>& exponents() const noexcept { return exponents_; }

  /// elements: items x count() x degree() numbers that stand for residues modulo t; coefficient j of an element is that
  /// of z^j. Gives items x n coefficients in [-t/2, t/2). Throws ArgumentError for another number of them.
  std::vector<std::int64_t> polynomials(std::span<const std::int64_t> elements) const;
  /// The way back, of any numbers that stand for residues.
  std::vector<std::int64_t> elements(std::span<const std::int64_t> polynomials) const;

 private:
  std::size_t items_of(std::span<const std::int64_t> values) const;
  /// visit(slot, coefficient of the polynomial modulo d, of the element, exponent of zeta between them).
  template <class Visit>
  void for_each_place(const Visit& visit) const;

  rlwe::ContextPtr context_;
  rlwe::PlainIndex plain_;
  std::vector<std::uint64_t> exponents_, roots_;  // powers of zeta
};

}  // namespace cyclotome
