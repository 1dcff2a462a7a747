// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

// Sums of rotated ciphertexts times plaintexts: every linear map of slots is one (Halevi and Shoup, 2014).
namespace cyclotome::rlwe {

/// Plaintexts as factors of ciphertexts over P Q: lifted and transformed once, and used as often as one likes, at every
/// level. Copies share their residues.
class ExtendedPlaintext {
 public:
  explicit ExtendedPlaintext(const Plaintext& plaintext);
  /// For ciphertexts whose rotations are computed at this level (`rotation_level`) or below: less work and memory.
  ExtendedPlaintext(const Plaintext& plaintext, Level level);

  const ContextPtr& context() const noexcept { return context_; }
  PlainIndex plain() const noexcept { return plain_; }
  std::size_t batch() const noexcept { return polynomials_.batch(); }
  const PolyArray& polynomials() const noexcept { return polynomials_; }
  /// The largest of all items.
  const PlainNorms& norms() const noexcept { return norms_; }

 private:
  ContextPtr context_;
  PlainIndex plain_;
  PlainNorms norms_;
  PolyArray polynomials_;
};

/// The rotations of a linear map, by baby steps and giant steps: `inner` of the ciphertext, ascending, each made once,
/// and `outer` of sums of products, ascending.
struct RotationGrid {
  std::vector<std::uint64_t> inner, outer;
};

/// By how much the sums of outer steps from number i on are turned together.
std::uint64_t outer_turn(const RotationGrid& grid, std::size_t i);

/// The factors of outer step number i: one item for each inner step.
using ExtendedFactors = std::function<ExtendedPlaintext(std::size_t i)>;

/// Whether all factors are there already, so that several outer steps' may be used at once, or each step's are made
/// when they are asked for, and let go of before the next.
enum class Factors : bool { made, kept };

/// The sum over i and j of rotate(factors(i)[j] rotate(a, inner[j]), outer[i]), rotations being those of `rotate_rows`
/// to the left. Sums are made over P Q: one division by P for each outer step, and one in the end (double hoisting). a
/// has 2 parts (ArgumentError). Outer steps take the key of their differences, others are composed of powers of two, as
/// are inner ones; throws MissingKeyError if there are no keys for those either.
Ciphertext linear_transform(const Ciphertext& a, const RotationGrid& grid, const ExtendedFactors& factors,
                            const EvaluationKeys& keys, Factors made = Factors::made);

/// The noise of its result, for a bound on the noise of `a`, made of public numbers only. norms: of each outer step's
/// factors.
NoiseBound linear_transform_noise(const Ciphertext& a, const RotationGrid& grid, std::span<const PlainNorms> norms,
                                  const EvaluationKeys& keys);

/// The same by the parameters alone, before there are keys: of something of that noise at a level. switches: how many
/// key switches a rotation by so many steps takes, 0 for none.
NoiseBound linear_transform_noise(const Parameters& parameters, PlainIndex plain, Level level, const NoiseBound& noise,
                                  const RotationGrid& grid, std::span<const PlainNorms> norms,
                                  const std::function<std::size_t(std::uint64_t)>& switches);

/// Steps that there are keys for and that make a rotation by `steps` together: one, or powers of two, or none for 0.
/// Throws MissingKeyError, which names the rotation.
std::vector<std::uint64_t> rotation_steps(const char* operation, std::uint64_t steps, const EvaluationKeys& keys);
/// Whether there are such steps.
bool can_rotate(std::uint64_t steps, const EvaluationKeys& keys);

}  // namespace cyclotome::rlwe
