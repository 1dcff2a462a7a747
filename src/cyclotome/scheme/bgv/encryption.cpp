// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bgv/encryption.hpp"

#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/encryption.hpp"
#include "cyclotome/rlwe/flooding.hpp"
#include "cyclotome/rlwe/noise_peaks.hpp"
#include "cyclotome/rlwe/phase_norm.hpp"
#include "cyclotome/scheme/bgv/context.hpp"
#include "cyclotome/scheme/bgv/noise.hpp"
#include "cyclotome/scheme/bgv/programs.hpp"
#include "cyclotome/scheme/deterministic.hpp"

namespace cyclotome::bgv {

namespace {

template <class Key>
Ciphertext encrypt_with(const Plaintext& plaintext, const Key& key, Seed seed) {
  rlwe::require_same_context("encrypt", *plaintext.context(), *key.context());
  const Context& context = bgv_context(key.context());
  const auto scale = context.message_lift(context.max_level(), plaintext.plain());
  return rlwe::deterministic::encrypt_message(key, plaintext, *scale,
                                              message_noise(context.parameters(), plaintext.plain()), std::move(seed));
}

/// Factor that takes a ciphertext's phase back to its message.
std::uint64_t correction_inverse(const Ciphertext& ciphertext) {
  return inverse_or_zero(ciphertext.correction(), ciphertext.plain_modulus());
}

/// An array for a ciphertext's messages.
PolyArray make_message(const Context& context, const Ciphertext& ciphertext) {
  return context.make(context.plain_ring(ciphertext.plain()), ciphertext.batch(), 1, Domain::coefficient, true);
}

/// Messages out of phases, which have the ciphertext's limbs, and what was seen of the noise.
Plaintext reduced(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) {
  const Context& context = bgv_context(ciphertext.context());
  PolyArray message = make_message(context, ciphertext);
  const Operand operands[] = {message.view(), peaks.view(), phases.view()};
  reduction(context, ciphertext.plain(), ciphertext.limbs(), correction_inverse(ciphertext))->run(operands);
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

/// Throws ContradictionError if the phase seen is more than 2^log2_bound.
void require_noise(const char* operation, const Ciphertext& ciphertext, const rlwe::NoisePeaks& peaks,
                   double log2_bound) {
  const rlwe::Parameters& p = ciphertext.context()->parameters();
  peaks.require(operation, log2_bound, p.log2_modulus(ciphertext.limbs()), peak_error(p.word(), ciphertext.limbs()));
}

Plaintext decrypted(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) {
  const ConstView s = rlwe::decryption_key(key, ciphertext);
  const Context& context = bgv_context(ciphertext.context());
  PolyArray message = make_message(context, ciphertext);
  const Operand operands[] = {message.view(), peaks.view(), ciphertext.polynomials().view(), s};
  decryption(context, ciphertext.plain(), ciphertext.limbs(), ciphertext.parts(), correction_inverse(ciphertext))
      ->run(operands);
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

}  // namespace

Ciphertext encrypt(const Plaintext& plaintext, const rlwe::PublicKey& key) {
  return encrypt_with(plaintext, key, Seed::from_system());
}

Ciphertext encrypt(const Plaintext& plaintext, const rlwe::SecretKey& key) {
  return encrypt_with(plaintext, key, Seed::from_system());
}

Ciphertext deterministic::encrypt(const Plaintext& plaintext, const rlwe::PublicKey& key, Seed&& seed) {
  return encrypt_with(plaintext, key, std::move(seed));
}

Ciphertext deterministic::encrypt(const Plaintext& plaintext, const rlwe::SecretKey& key, Seed&& seed) {
  return encrypt_with(plaintext, key, std::move(seed));
}

Plaintext decrypt_unchecked(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  rlwe::require_same_context("decrypt", *key.context(), *ciphertext.context());
  rlwe::NoisePeaks peaks(*ciphertext.context(), ciphertext.batch());
  return decrypted(ciphertext, key, peaks);
}

Plaintext decrypt(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  rlwe::require_same_context("decrypt", *key.context(), *ciphertext.context());
  if (const double headroom = noise_headroom(ciphertext); !(headroom >= 0)) {
    throw NoiseError(
        message("decrypt: the noise may have grown ", std::ceil(-headroom), " bits beyond what level ",
                ciphertext.limbs(), " of ", key.context()->parameters().summary(),
                " can correct, so the result could be wrong; use parameters with more levels, a smaller plaintext "
                "modulus, or fewer operations"));
  }
  rlwe::NoisePeaks peaks(*ciphertext.context(), ciphertext.batch());
  Plaintext result = decrypted(ciphertext, key, peaks);
  require_noise("decrypt", ciphertext, peaks, ciphertext.noise().log2_max);
  return result;
}

Plaintext reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits) {
  return deterministic::reveal(ciphertext, key, flooding_bits, Seed::from_system());
}

Plaintext deterministic::reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits,
                                Seed&& seed) {
  const Seed master = std::move(seed);
  rlwe::require_same_context("reveal", *key.context(), *ciphertext.context());
  const rlwe::Flooding flooding(*key.context(), ciphertext.noise(),
                                log2_noise_limit(key.context()->parameters(), ciphertext.limbs()), flooding_bits,
                                ciphertext.plain_modulus());
  PolyArray phases = rlwe::phase(key, ciphertext);
  rlwe::NoisePeaks peaks(*key.context(), ciphertext.batch());
  static_cast<void>(reduced(ciphertext, phases, peaks));  // only to look at the noise
  require_noise("reveal", ciphertext, peaks, flooding.log2_noise());
  flooding.add_to(phases, rlwe::flooding_seed(ciphertext, master));
  Plaintext result = reduced(ciphertext, phases, peaks);
  require_noise("reveal", ciphertext, peaks, flooding.log2_flooded());
  return result;
}

double noise_headroom(const Ciphertext& ciphertext) {
  return headroom(ciphertext.context()->parameters(), ciphertext.noise(), ciphertext.limbs());
}

std::vector<unsigned> noise_budget(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  const PolyArray phases = rlwe::phase(key, ciphertext);
  const unsigned q_bits = phases.ring()->basis().product().bit_length();
  std::vector<unsigned> budgets;
  for (const BigUnsigned& noise : rlwe::largest_coefficients(phases)) {
    const unsigned used = noise.bit_length() + 1;
    budgets.push_back(q_bits > used ? q_bits - used : 0);
  }
  return budgets;
}

std::vector<double> measured_noise(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  std::vector<double> noises;
  for (const BigUnsigned& noise : rlwe::largest_coefficients(rlwe::phase(key, ciphertext)))
    noises.push_back(noise.log2());
  return noises;
}

}  // namespace cyclotome::bgv
