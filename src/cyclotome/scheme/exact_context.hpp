// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"
#include "cyclotome/rlwe/noise/noise_peaks.hpp"
#include "cyclotome/scheme/plain_sum_program.hpp"

namespace cyclotome::scheme {

/// Where the noise of a ciphertext ends, and how it shows in phases.
struct NoiseGauge {
  double log2_limit;             ///< of what decryption corrects
  double log2_unit, error;       ///< of rlwe::NoisePeaks::require
  std::uint64_t phase_multiple;  ///< this multiple of the phase, modulo q, is the same multiple of the noise
};

/// Encryption, decryption and sums with plaintexts of schemes whose messages are polynomials modulo t: they say how a
/// message gets into a phase and out of it, and how noise is measured there.
class ExactContext : public rlwe::Context {
 public:
  using Ciphertext = rlwe::Ciphertext;
  using Plaintext = rlwe::Plaintext;

  Plaintext decrypt(const Ciphertext& ciphertext, const rlwe::SecretKey& key) const override;
  Plaintext decrypt_unchecked(const Ciphertext& ciphertext, const rlwe::SecretKey& key) const override;
  rlwe::Flooding flooding(const Ciphertext& ciphertext, unsigned flooding_bits, std::size_t parties) const override;
  Plaintext open_flooded(const Ciphertext& ciphertext, const PolyArray& phases,
                         const rlwe::Flooding& flooding) const override;
  double noise_headroom(const Ciphertext& ciphertext) const override;
  std::vector<unsigned> noise_budget(const Ciphertext& ciphertext, const rlwe::SecretKey& key) const override;
  std::vector<double> measured_noise(const Ciphertext& ciphertext, const rlwe::SecretKey& key) const override;
  Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const override;
  Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b) const override;

 protected:
  using rlwe::Context::Context;

  /// m in Z_t -> what a phase with this correction factor holds of it, modulo the primes of a level.
  virtual std::shared_ptr<const BaseConversion> message_lift(rlwe::Level level, rlwe::PlainIndex plain,
                                                             std::uint64_t correction) const = 0;
  /// What that is off by, in each encryption and each sum with a plaintext.
  virtual rlwe::NoiseBound message_noise(rlwe::PlainIndex plain) const = 0;
  /// Messages of a ciphertext, and what was seen of its noise. All in one operation.
  virtual Plaintext open(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) const = 0;
  /// The same from its phases, which something may have been added to.
  virtual Plaintext round(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) const = 0;
  virtual NoiseGauge gauge(const Ciphertext& ciphertext) const = 0;

  /// An array for a ciphertext's messages.
  PolyArray make_message(const Ciphertext& ciphertext) const;

 private:
  Ciphertext encrypt_from(const Plaintext& plaintext, const rlwe::PublicKey& key, Seed&& seed) const override;
  Ciphertext encrypt_from(const Plaintext& plaintext, const rlwe::SecretKey& key, Seed&& seed) const override;
  Plaintext reveal_from(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits,
                        Seed&& seed) const override;
  template <class Key>
  Ciphertext encrypt_with(const Plaintext& plaintext, const Key& key, Seed seed) const;
  Ciphertext sum_with_plain(const char* operation, PlainSum sum, const Ciphertext& a, const Plaintext& b) const;
  NoiseGauge own_gauge(const Ciphertext& ciphertext) const;
  void require_noise(const char* operation, const Ciphertext& ciphertext, rlwe::NoisePeaks& peaks,
                     double log2_bound) const;
};

/// For a scheme's make_context: throws ParameterError for parameters of another scheme.
void require_own(const rlwe::Scheme& scheme, const rlwe::Parameters& parameters);
/// Before a context is taken for the scheme's own class: throws MismatchError for a context of another scheme.
void require_own(const rlwe::Scheme& scheme, const rlwe::Context& context);

}  // namespace cyclotome::scheme
