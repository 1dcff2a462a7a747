// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/view.hpp"
#include "cyclotome/study/transform/design.hpp"

namespace cyclotome::study {

/// What an engine offers whose transforms are of a design that was chosen, beside the verbs of all engines.
class DesignTransforms {
 public:
  virtual ~DesignTransforms() = default;
  virtual TransformDesign design() const noexcept = 0;

  /// The DGT alone (000, Algorithm 1), without the last step that brings it into the library's order. In place: n/2
  /// Gaussian residues for each limb, real parts in the first n/2 words, imaginary parts in the others; n >= 4. Folding
  /// moves nothing: a_j + i a_(j + n/2) is how a polynomial lies in memory. Value k is at h^(4 k + 1), where the design
  /// is galois_stockham; at h^(4 br(k) + 1) for galois, and for designs that are no DGT, which take that one. Takes
  /// primes that have no other transform here: p = 3 mod 4 with n | p + 1 (ring/tables/galois_tables.hpp). The caller
  /// owns the domain tag. Throws ParameterError for a modulus without this transform, ArgumentError for the wrong
  /// domain.
  virtual void forward_gaussian(View a) = 0;
  virtual void inverse_gaussian(View a) = 0;
  /// out = a b, Gaussian residue by Gaussian residue: the product of polynomials when both are DGTs. All three have one
  /// ring, batch and parts (ArgumentError); out may be a or b.
  virtual void multiply_gaussian(View out, ConstView a, ConstView b) = 0;

 protected:
  /// The design that forward_gaussian computes.
  TransformDesign gaussian_design() const noexcept {
    return is_gaussian(design()) ? design() : TransformDesign::galois;
  }
  /// Throws ArgumentError unless a is in `domain` of a ring that a DGT takes.
  static void require_gaussian(const char* verb, ConstView a, Domain domain);
  /// Throws ArgumentError unless all three have one ring, batch and parts.
  static void require_same(View out, ConstView a, ConstView b);
};

}  // namespace cyclotome::study
