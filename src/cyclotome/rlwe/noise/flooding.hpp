// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"

// Noise flooding, for decryptions that somebody else than the key's owner shall see. What rounding a phase gives
// depends on the noise, which depends on the secret, only where the noise comes near the limit; those who may choose
// what is computed can steer it there (IND-CPA-D: Li and Micciancio, Eurocrypt 2021; Checri et al., Crypto 2024, and
// Cheon et al., CCS 2024, for exact schemes). A uniform error far larger than the noise is added first: then the
// outcome, whatever it is, has the distribution that it would have without any noise, up to 2^-bits. How large the
// added error is depends on the parameters alone, so that no bound that a file states can lower it.
namespace cyclotome::rlwe {

/// The seed of a ciphertext's flooding, derived from a fresh one.
Seed flooding_seed(const Ciphertext& ciphertext, const Seed& master);

/// Bits of headroom that flooding takes at this degree: the noise must stay below limit/(2^bits n).
/// parties: those who flood, each by itself; the noise must stay below limit/(2^bits n parties) then.
double flooding_headroom(std::size_t degree, unsigned flooding_bits, std::size_t parties = 1) noexcept;

/// Bits that `polynomials` ciphertexts decrypted in one call cost: their distances from the ideal add up.
unsigned flooding_bits_of(std::size_t polynomials) noexcept;

/// What flooding ciphertexts takes; made of public numbers only.
class Flooding {
 public:
  /// noise: the ciphertexts' bound. log2_limit: what decryption corrects. multiple: 1, or the plaintext modulus of
  /// which every error is a multiple (BGV). parties: who flood, each so much that it hides the noise by itself. Throws
  /// ArgumentError unless flooding_bits lies in [1, 160], and NoiseError unless the bound leaves room; the latter is
  /// made of public numbers and may be told.
  Flooding(const Context& context, const NoiseBound& noise, double log2_limit, unsigned flooding_bits,
           std::uint64_t multiple = 1, std::size_t parties = 1);

  /// log2 of the noise that is allowed for before, and of what there is at most after everybody's.
  double log2_noise() const noexcept { return log2_noise_; }
  double log2_flooded() const noexcept { return log2_limit_ + log2_margin; }
  /// F of add_to.
  BigUnsigned largest() const;

  /// Adds multiple e to every coefficient of `phases` (over Q, coefficient domain), e uniform in [-F, F], F the largest
  /// with parties multiple F + N <= 15/16 of the limit, N = limit/(2^bits n parties). Each flooded polynomial is then
  /// within 2^-bits (the edges) + 2^-178 (draws: hiding_draw.hpp) of a law without the noise, if the seed's stream is
  /// as good as random. `seed`: of this key and plaintext modulus, secret and fresh; it is spent. Constant time.
  void add_to(PolyArray& phases, Seed&& seed) const;

 private:
  const Context& context_;
  std::uint64_t multiple_;
  double log2_limit_, log2_noise_;
  Basis basis_;  // 2F + 1 is its product
};

}  // namespace cyclotome::rlwe
