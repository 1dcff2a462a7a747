// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cyclotome/math/word.hpp"
#include "cyclotome/ring/randomness/error_sums.hpp"
#include "cyclotome/ring/tables/galois_group.hpp"
#include "cyclotome/ring/transform.hpp"

namespace cyclotome {

/// Which polynomials f there are. Only kinds that a factory of RingShape makes exist; files and parameters of others
/// are refused.
enum class RingKind : std::uint8_t {
  negacyclic = 1,  ///< x^n + 1, n a power of two; index 2n
  cyclotomic = 2   ///< Phi_m, m odd and squarefree; index m, degree phi(m)
};

/// How a basis of n vectors lies under the canonical embedding, ||a||^2 being the sum of |a(zeta)|^2 over all roots.
/// Every vector of a basis here has ||b||^2 = n. These numbers are what bounds on noise know of it (doc/noise.md); the
/// defaults are those of an orthogonal basis whose products are its vectors up to signs, as 1, x, ... modulo x^n + 1.
struct BasisGeometry {
  double dual = 1;  ///< n times the largest ||d||^2 of the dual basis: a_i^2 <= dual ||a||^2 / n
  double gram = 1;  ///< the largest eigenvalue of the Gram matrix over n: ||a||^2 <= gram n (sum of a_i^2)
  double turn = 1;  ///< coefficients of a vector of the basis times a are at most this many times a's
  double skew = 0;  ///< |sum over the basis of b(zeta)^2|: how far values of random coefficients are from circular
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
  /// Slots of residues modulo a number: into how many values they fall under a transform of this ring or of a subring.
  /// The degree where there is a transform of this ring, else subring() says which; 1 if there is none.
  virtual std::size_t slots(std::uint64_t modulus) const noexcept { return has_transform(modulus) ? degree_ : 1; }
  /// What primes are 1 modulo that have slots, for messages: "16, or modulo 2k for k slots".
  virtual std::string slot_condition() const { return std::to_string(transform_step()); }
  /// A ring Z[y]/(g) of fewer slots within this one, y = x^(degree() / slots): its coefficient i stands in that of
  /// x^(i degree() / slots), and its Galois elements, as they are, name automorphisms of this ring that act on it
  /// likewise. Throws ParameterError where there is none.
  virtual RingShapePtr subring(std::size_t slots) const;
  /// The constants of one limb; null if its modulus has no transform in this word.
  virtual std::shared_ptr<const Transform> transform(Word word, std::uint64_t modulus) const = 0;

  /// Whether coefficient i is that of x^i, so that a constant is a polynomial of one coefficient. Otherwise all
  /// coefficients of 1 are one().
  virtual bool power_basis() const noexcept = 0;
  virtual int one() const noexcept { return 1; }
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
  virtual BasisGeometry geometry() const noexcept { return {}; }
  /// Made on first use.
  virtual const ErrorSums& errors() const = 0;

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
