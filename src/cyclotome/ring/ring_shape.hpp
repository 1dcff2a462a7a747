// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cyclotome/math/word.hpp"
#include "cyclotome/ring/galois_group.hpp"
#include "cyclotome/ring/transform.hpp"

namespace cyclotome {

/// Which polynomials f there are. Only kinds that a factory of RingShape makes exist; files and parameters of others
/// are refused.
enum class RingKind : std::uint8_t {
  negacyclic = 1,  ///< x^n + 1, n a power of two; index 2n
  cyclotomic = 2   ///< Phi_m, m odd and squarefree; index m, degree phi(m)
};

struct ResidueArithmetic;
struct IntegerArithmetic;
class RingShape;
using RingShapePtr = std::shared_ptr<const RingShape>;

/// R = Z[x]/(f): what is known of a ring before it has moduli. Parameters, planning, noise and files ask here whatever
/// depends on f, so that nothing above the rings knows how f looks. Immutable and shared.
///
/// A polynomial is n integers, its coefficients in a basis of R: 1, x, ..., x^(n-1) for x^n + 1, the basis that
/// cyclotomic_ring.cpp describes for Phi_m.
class RingShape {
 public:
  /// n a power of two in [2, 2^17], else ParameterError.
  static RingShapePtr negacyclic(std::size_t degree);
  /// m odd, squarefree, in [3, 2^17], else ParameterError.
  static RingShapePtr cyclotomic(std::size_t index);

  virtual ~RingShape() = default;
  RingShape(const RingShape&) = delete;
  RingShape& operator=(const RingShape&) = delete;

  RingKind kind() const noexcept { return kind_; }
  /// The order of x: automorphisms are the units modulo it, and the roots of f have it.
  std::uint64_t index() const noexcept { return index_; }
  /// Residues of a limb, in both domains.
  std::size_t degree() const noexcept { return degree_; }
  /// f, for people: "x^8 + 1", "Phi_15".
  virtual std::string modulus() const = 0;
  virtual const GaloisGroup& galois() const noexcept = 0;

  /// Primes have a transform if they are 1 modulo this: a multiple of the index.
  std::uint64_t transform_step() const noexcept { return transform_step_; }
  /// That number for messages: "2n = 16".
  virtual std::string transform_condition() const = 0;
  /// A prime that is 1 modulo transform_step(); whether it fits a word is for its basis to say.
  bool has_transform(std::uint64_t modulus) const noexcept;
  /// The constants of one limb; null if its modulus has no transform in this word.
  virtual std::shared_ptr<const Transform> transform(Word word, std::uint64_t modulus) const = 0;

  /// Whether coefficient i is that of x^i, so that a constant is a polynomial of one coefficient.
  virtual bool power_basis() const noexcept = 0;
  /// The coefficients, in this ring's basis, of a polynomial of any length modulo f, and the polynomial of degree below
  /// n that has given ones. Exact: on residues modulo any q in [2, 2^61), or on integers. Throws ArgumentError for a
  /// number that is no residue, a result beyond 64 bits, or another number of coefficients than degree(). Time depends
  /// on the lengths only.
  std::vector<std::uint64_t> coefficients_of(std::span<const std::uint64_t> polynomial, std::uint64_t q) const;
  std::vector<std::uint64_t> polynomial_of(std::span<const std::uint64_t> coefficients, std::uint64_t q) const;
  std::vector<std::int64_t> coefficients_of(std::span<const std::int64_t> polynomial) const;
  std::vector<std::int64_t> polynomial_of(std::span<const std::int64_t> coefficients) const;

  /// delta: |a b| <= delta |a| |b| for the largest coefficients of any a, b, with equality for some.
  virtual std::uint64_t expansion() const noexcept = 0;
  /// Whether the basis is orthogonal under the canonical embedding, all vectors of square length n, and products of its
  /// elements are its elements up to signs. Then the sum of |a(zeta)|^2 is n times that of a_i^2, a coefficient of a b
  /// is an inner product, errors drawn coefficient by coefficient are spherical, and rlwe's theorem on noise holds
  /// (doc/noise.md).
  virtual bool orthogonal() const noexcept = 0;

  bool operator==(const RingShape& other) const noexcept { return kind_ == other.kind_ && index_ == other.index_; }

  static constexpr std::size_t max_degree = std::size_t{1} << 17;

 protected:
  RingShape(RingKind kind, std::uint64_t index, std::size_t degree, std::uint64_t transform_step) noexcept
      : kind_(kind), index_(index), degree_(degree), transform_step_(transform_step) {}

  /// The same on numbers that are right modulo q, or modulo 2^128; those that go back are degree() many.
  virtual std::vector<std::uint64_t> reduced(const ResidueArithmetic& residues,
                                             std::span<const std::uint64_t> polynomial) const = 0;
  virtual std::vector<std::uint64_t> expanded(const ResidueArithmetic& residues,
                                              std::span<const std::uint64_t> coefficients) const = 0;
  virtual std::vector<u128> reduced(const IntegerArithmetic& integers, std::span<const u128> polynomial) const = 0;
  virtual std::vector<u128> expanded(const IntegerArithmetic& integers, std::span<const u128> coefficients) const = 0;

 private:
  RingKind kind_;
  std::uint64_t index_;
  std::size_t degree_;
  std::uint64_t transform_step_;
};

}  // namespace cyclotome
