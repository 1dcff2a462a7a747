// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"

// Noise flooding, for decryptions that somebody else than the key's owner shall see. What rounding a phase gives
// depends on the noise, which depends on the secret, only where the noise comes near the limit; those who may choose
// what is computed can steer it there (IND-CPA-D: Li and Micciancio, Eurocrypt 2021; Checri et al., Crypto 2024, and
// Cheon et al., CCS 2024, for exact schemes). A uniform error 2^bits times as large as the noise of all coefficients
// together is added first: then the outcome, whatever it is, has the distribution that it would have without any noise,
// up to 2^-bits.
namespace cyclotome::rlwe {

/// The seed of a ciphertext's flooding, derived from a fresh one.
Seed flooding_seed(const Ciphertext& ciphertext, const Seed& master);

/// Bits of headroom that flooding takes at this degree, so that a flooded phase still decrypts.
double flooding_headroom(std::size_t degree, unsigned flooding_bits) noexcept;

/// What flooding one ciphertext takes; made of public numbers only.
class Flooding {
 public:
  /// noise, headroom: the ciphertext's bound, and bits between it and what decryption corrects. multiple: 1, or the
  /// plaintext modulus of which every error is a multiple (BGV). Throws ArgumentError unless flooding_bits lies in [1,
  /// 128], and NoiseError unless the headroom is enough.
  Flooding(const Context& context, const NoiseBound& noise, double headroom, unsigned flooding_bits,
           std::uint64_t multiple = 1);

  /// Adds multiple e to every coefficient of `phases` (over Q, coefficient domain), e uniform in [-F, F] with
  /// 2 multiple F >= 2^flooding_bits n B, where B is tail_factor deviations of the noise: each flooded polynomial's
  /// distribution is within 2^-flooding_bits of one that does not depend on the noise. `seed`: of this key and
  /// plaintext modulus, secret and fresh; it is spent. Constant time.
  void add_to(PolyArray& phases, Seed&& seed) const;

 private:
  const Context& context_;
  std::uint64_t multiple_;
  Basis basis_;  // 2F + 1 is its product
};

}  // namespace cyclotome::rlwe
