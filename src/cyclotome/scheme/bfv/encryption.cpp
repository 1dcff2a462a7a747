// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/encryption.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/encryption.hpp"
#include "cyclotome/rlwe/flooding.hpp"
#include "cyclotome/rlwe/noise_peaks.hpp"
#include "cyclotome/rlwe/phase_norm.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/decryption_program.hpp"
#include "cyclotome/scheme/bfv/noise.hpp"
#include "cyclotome/scheme/deterministic.hpp"

namespace cyclotome::bfv {

namespace {

template <class Key>
Ciphertext encrypt_with(const Plaintext& plaintext, const Key& key, Seed seed) {
  rlwe::require_same_context("encrypt", *plaintext.context(), *key.context());
  const Context& context = bfv_context(key.context());
  const BaseConversion& scale = context.message_scale(plaintext.plain());
  return rlwe::deterministic::encrypt_message(key, plaintext, scale, message_noise(context.parameters()),
                                              std::move(seed));
}

/// An array for a ciphertext's messages.
PolyArray make_message(const Context& context, const Ciphertext& ciphertext) {
  return context.make(context.plain_ring(ciphertext.plain()), ciphertext.batch(), 1, Domain::coefficient, true);
}

/// Messages out of phases, which have the ciphertext's limbs, and what was seen of the noise.
Plaintext rounded(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) {
  const Context& context = bfv_context(ciphertext.context());
  PolyArray message = make_message(context, ciphertext);
  const Operand operands[] = {message.view(), peaks.view(), phases.view()};
  rounding(context, ciphertext.plain())->run(operands);
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

/// Throws ContradictionError if the noise seen is more than 2^log2_bound.
void require_noise(const char* operation, const Ciphertext& ciphertext, const rlwe::NoisePeaks& peaks,
                   double log2_bound) {
  const rlwe::Parameters& p = ciphertext.context()->parameters();
  // A fraction of 1 is a noise of q/t; it shows modulo gamma, off by less than (k + 1)/gamma.
  const double log2_unit =
      p.log2_modulus(p.moduli().size()) - std::log2(static_cast<double>(ciphertext.plain_modulus()));
  const double gamma = std::exp2(gamma_bits(p.word()) - 1), units = static_cast<double>(p.moduli().size()) + 1;
  peaks.require(operation, log2_bound, log2_unit, units / gamma + peak_error(p.word(), 1));
}

Plaintext decrypted(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) {
  const ConstView s = rlwe::decryption_key(key, ciphertext);
  const Context& context = bfv_context(ciphertext.context());
  PolyArray message = make_message(context, ciphertext);
  const Operand operands[] = {message.view(), peaks.view(), ciphertext.polynomials().view(), s};
  decryption(context, ciphertext.plain(), ciphertext.parts())->run(operands);
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

/// For every item: the largest |[t phase]_q| over its coefficients.
std::vector<BigUnsigned> scaled_noise(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  return rlwe::largest_coefficients(rlwe::phase(key, ciphertext), ciphertext.plain_modulus());
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
        message("decrypt: the noise may have grown ", std::ceil(-headroom), " bits beyond what ",
                key.context()->parameters().summary(),
                " can correct, so the result could be wrong; use parameters with a larger log q or degree (more "
                "depth), a smaller plaintext modulus, or fewer operations"));
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
                                log2_noise_limit(key.context()->parameters(), ciphertext.plain()), flooding_bits);
  PolyArray phases = rlwe::phase(key, ciphertext);
  rlwe::NoisePeaks peaks(*key.context(), ciphertext.batch());
  static_cast<void>(rounded(ciphertext, phases, peaks));  // only to look at the noise
  require_noise("reveal", ciphertext, peaks, flooding.log2_noise());
  flooding.add_to(phases, rlwe::flooding_seed(ciphertext, master));
  Plaintext result = rounded(ciphertext, phases, peaks);
  require_noise("reveal", ciphertext, peaks, flooding.log2_flooded());
  return result;
}

double noise_headroom(const Ciphertext& ciphertext) {
  return headroom(ciphertext.context()->parameters(), ciphertext.plain(), ciphertext.noise());
}

std::vector<unsigned> noise_budget(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  const unsigned q_bits = ciphertext.context()->parameters().modulus_bits();
  std::vector<unsigned> budgets;
  for (const BigUnsigned& noise : scaled_noise(ciphertext, key)) {
    const unsigned used = noise.bit_length() + 1;
    budgets.push_back(q_bits > used ? q_bits - used : 0);
  }
  return budgets;
}

std::vector<double> measured_noise(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  std::vector<double> noises;
  for (const BigUnsigned& noise : scaled_noise(ciphertext, key)) {
    noises.push_back(noise.log2() - std::log2(static_cast<double>(ciphertext.plain_modulus())));
  }
  return noises;
}

}  // namespace cyclotome::bfv
