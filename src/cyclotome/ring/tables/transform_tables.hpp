// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cyclotome/math/once.hpp"
#include "cyclotome/math/shoup.hpp"
#include "cyclotome/ring/transform.hpp"

namespace cyclotome {

struct HalvedRoots;

/// Constants of the merged negacyclic transform of length n modulo a prime q = 1 mod 2n (paper 001, Algorithms 1 and 2,
/// with errata 001-2, 001-3). The root is the minimal primitive 2n-th root of unity psi, the one SEAL takes too.
///
/// Forward output order: out[k] = a(psi^(2 br(k) + 1)), br over log2(n) bits.
template <LimbWord W>
struct TransformTables final : Transform {
  static constexpr Method own_method = Method::negacyclic;
  using Residue = W;

  /// Throws ParameterError unless n is a power of two >= 2 and q a prime = 1 mod 2n below max_transform_modulus<W>.
  TransformTables(std::size_t degree, W modulus);

  std::size_t degree;
  Modulus<W> modulus;
  W root;  ///< psi

  /// roots[k] = psi^br(k), k = 0 ... n-1, and Shoup quotients; stage with m groups uses entries m ... 2m-1.
  std::vector<W> roots, root_quotients;
  /// inverse_roots[k] = psi^-br(k).
  std::vector<W> inverse_roots, inverse_root_quotients;
  /// n^-1, and n^-1 psi^-br(1): the last inverse stage multiplies by these, so that no scaling pass is left.
  ShoupFactor<W> inverse_degree, last_inverse_root;

  /// The same roots halved, made when first asked for, since only some engines want them. Null if there is no memory
  /// for them, or the modulus is not near a power of two (NearPower::includes), or in 32-bit words.
  const HalvedRoots* halved_roots() const noexcept;

 private:
  mutable Once halve_;
  mutable std::shared_ptr<const HalvedRoots> halved_;
};

}  // namespace cyclotome
