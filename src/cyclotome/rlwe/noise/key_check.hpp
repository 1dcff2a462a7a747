// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/ring/tables/norm_constants.hpp"

// Secrets and public keys' errors multiply everything that comes after, so they are checked once, when they are made.
// About 95 in 100 pass; others are drawn again from the next item of their seed. What passed is bounded without any
// probability (noise.hpp). A secret is then uniform ternary under a condition that holds with probability p > 0.9. A
// search attack gains at most the factor 1/p, a distinguisher less than log2(1/p) bits by Renyi divergence of infinite
// order (Bai et al., 2015); the lengths that lattice attacks depend on do not move. HElib rejects keys by the same
// norm.
namespace cyclotome::rlwe {

/// Draws of one key before something must be wrong.
inline constexpr std::uint32_t most_key_draws = 64;

/// A check of one polynomial, or of every item of several. Where engines have NormChecks, on GPUs, the polynomial stays
/// there, one bit comes to this processor, and what is asked for after the check need not wait for it. Constant time;
/// that all passed is all that is told.
class KeyCheckUnderWay {
 public:
  /// |s(zeta)|^2 <= n (2/3) kappa^2 on all roots, and the sum of them is at most 0.7 n^2: in x^n + 1 at most 0.7 n
  /// coefficients are not 0. s: ternary, 1 part, coefficient domain.
  static KeyCheckUnderWay of_secret(const PolyArray& s);
  /// |e(zeta)|^2 <= V kappa^2, and their mean is at most 1.21 V; V = draws sigma^2, n sigma^2 in x^n + 1 and m sigma^2
  /// over Phi_m. e: of Law::error, shaped as s.
  static KeyCheckUnderWay of_error(const PolyArray& e);

  /// Whether every item passed; waits for it. Once.
  bool passed();

 private:
  KeyCheckUnderWay(const PolyArray& a, const NormLimits& limits);

  std::vector<std::uint64_t> found_;         ///< 1 where an item passed
  std::unique_ptr<ProgramNumbers> numbers_;  ///< of the engine, from which they come
};

inline bool secret_is_fit(const PolyArray& s) { return KeyCheckUnderWay::of_secret(s).passed(); }
inline bool error_is_fit(const PolyArray& e) { return KeyCheckUnderWay::of_error(e).passed(); }

}  // namespace cyclotome::rlwe
