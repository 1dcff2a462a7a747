// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/encryption.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/encryption.hpp"
#include "cyclotome/rlwe/flooding.hpp"
#include "cyclotome/rlwe/phase_norm.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/deterministic.hpp"

namespace cyclotome::bfv {

namespace {

template <class Key>
Ciphertext encrypt_with(const Plaintext& plaintext, const Key& key, Seed seed) {
  rlwe::require_same_context("encrypt", *plaintext.context(), *key.context());
  const BaseConversion& scale = bfv_context(key.context()).message_scale(plaintext.plain());
  return rlwe::deterministic::encrypt_message(key, plaintext, scale, 0.5 /* of rounding q m / t */, std::move(seed));
}

/// An array for a ciphertext's messages.
PolyArray make_message(const Context& context, const Ciphertext& ciphertext) {
  return context.make(context.plain_ring(ciphertext.plain()), ciphertext.batch(), 1, Domain::coefficient, true);
}

/// Messages out of phases, which have the ciphertext's limbs.
Plaintext rounded(const Ciphertext& ciphertext, const PolyArray& phases) {
  const Context& context = bfv_context(ciphertext.context());
  PolyArray message = make_message(context, ciphertext);
  context.engine()->scale_to_plain(message.view(), phases.view(), context.plain_scale(ciphertext.plain()));
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
  const ConstView s = rlwe::decryption_key(key, ciphertext), c = ciphertext.polynomials().view();
  const Context& context = bfv_context(ciphertext.context());
  const PlainScale& scale = context.plain_scale(ciphertext.plain());
  PolyArray message = make_message(context, ciphertext);
  const View out = message.view();
  const ConstView operands[] = {out, c, s};
  context.engine()->run({"bfv.decrypt", {context.id(), ciphertext.plain()}, operands}, [&] {
    const PolyArray phases = rlwe::phase(context, c, s);
    context.engine()->scale_to_plain(out, phases.view(), scale);
  });
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
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
  return decrypt_unchecked(ciphertext, key);
}

Plaintext reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits) {
  return deterministic::reveal(ciphertext, key, flooding_bits, Seed::from_system());
}

Plaintext deterministic::reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits,
                                Seed&& seed) {
  const Seed master = std::move(seed);
  rlwe::require_same_context("reveal", *key.context(), *ciphertext.context());
  const rlwe::Flooding flooding(*key.context(), ciphertext.noise(), noise_headroom(ciphertext), flooding_bits);
  PolyArray phases = rlwe::phase(key, ciphertext);
  flooding.add_to(phases, rlwe::flooding_seed(ciphertext, master));
  return rounded(ciphertext, phases);
}

double noise_headroom(const Ciphertext& ciphertext) {
  const Context& context = bfv_context(ciphertext.context());
  // |noise| < (q/t)(1/2 - k/gamma); with round(q m / t) the term |q|_t/2 of paper 000 is gone.
  const double limit = context.log2_modulus(context.max_level()) -
                       std::log2(static_cast<double>(ciphertext.plain_modulus())) +
                       std::log2(0.5 - context.decryption_slack());
  return limit - std::log2(rlwe::tail_factor) - ciphertext.noise().log2_deviation;
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
