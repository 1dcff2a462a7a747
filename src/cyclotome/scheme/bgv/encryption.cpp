// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys/encryption.hpp"

#include "cyclotome/scheme/bgv/context.hpp"
#include "cyclotome/scheme/bgv/noise.hpp"
#include "cyclotome/scheme/bgv/programs.hpp"

// How a message gets out of a phase: [phase]_q centred, modulo t, times the inverse of the correction factor
// (specification 5.4, 5.8; errata 002-4, 004-2). Constant time in the secret and the message.
namespace cyclotome::bgv {

using rlwe::Ciphertext;
using rlwe::Plaintext;

namespace {

/// Factor that takes a ciphertext's phase back to its message.
std::uint64_t correction_inverse(const Ciphertext& ciphertext) {
  return inverse_or_zero(ciphertext.correction(), ciphertext.plain_modulus().value);
}

}  // namespace

rlwe::NoiseBound Context::message_noise(rlwe::PlainIndex plain) const {
  return bgv::message_noise(parameters(), plain);
}

Plaintext Context::round(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) const {
  PolyArray message = make_message(ciphertext);
  const Operand operands[] = {message.view(), peaks.view(), phases.view()};
  reduction(*this, ciphertext.plain(), ciphertext.level(), correction_inverse(ciphertext))->run(operands);
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

Plaintext Context::open(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) const {
  const ConstView s = rlwe::decryption_key(key, ciphertext);
  PolyArray message = make_message(ciphertext);
  const Operand operands[] = {message.view(), peaks.view(), ciphertext.polynomials().view(), s};
  decryption(*this, ciphertext.plain(), ciphertext.level(), ciphertext.parts(), correction_inverse(ciphertext))
      ->run(operands);
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

scheme::NoiseGauge Context::gauge(const Ciphertext& ciphertext) const {
  const rlwe::Parameters& p = parameters();
  return {log2_noise_limit(p, ciphertext.level()), p.log2_modulus(ciphertext.limbs()),
          peak_error(p.word(), ciphertext.limbs()), 1};
}

}  // namespace cyclotome::bgv
