// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys/encryption.hpp"

#include <cmath>

#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/decryption_program.hpp"
#include "cyclotome/scheme/bfv/levels.hpp"
#include "cyclotome/scheme/bfv/noise.hpp"

// How a message gets into a phase, round(q m / t), and out of it (specification 5.3, 5.4).
namespace cyclotome::bfv {

using rlwe::Ciphertext;
using rlwe::Plaintext;

rlwe::NoiseBound Context::message_noise(rlwe::PlainIndex) const { return bfv::message_noise(parameters()); }

Plaintext Context::round(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) const {
  PolyArray message = make_message(ciphertext);
  const Operand operands[] = {message.view(), peaks.view(), phases.view()};
  rounding(*this, ciphertext.level(), ciphertext.plain())->run(operands);
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

/// Of BEHZ (errata 001-8 ... 001-10, 000-9, 000-11). Constant time in the secret and the message. What was raised is
/// opened where it was raised from, which takes as many primes less and shows the same fractions: they are the phase's
/// over q/t at each level, and coming down is exact. Both ways are public.
Plaintext Context::open(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) const {
  const bool pays = 2 * ciphertext.raised_from().primes <= ciphertext.limbs();  // coming down takes time, too
  if (pays && ciphertext.domain() == Domain::coefficient) {
    return open(lowered(ciphertext, ciphertext.raised_from()), key, peaks);
  }
  const ConstView s = rlwe::decryption_key(key, ciphertext);
  PolyArray message = make_message(ciphertext);
  const Operand operands[] = {message.view(), peaks.view(), ciphertext.polynomials().view(), s};
  decryption(*this, ciphertext.level(), ciphertext.plain(), ciphertext.parts(), ciphertext.domain())->run(operands);
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

scheme::NoiseGauge Context::gauge(const Ciphertext& ciphertext) const {
  const rlwe::Parameters& p = parameters();
  // A fraction of 1 is a noise of q/t; it shows modulo gamma, off by less than (k + 1)/gamma.
  const std::size_t limbs = ciphertext.limbs();
  const double log2_unit = p.log2_modulus(limbs) - std::log2(static_cast<double>(ciphertext.plain_modulus().value));
  const double gamma = std::exp2(gamma_bits(p.word()) - 1), units = static_cast<double>(limbs) + 1;
  return {log2_noise_limit(p, ciphertext.level(), ciphertext.plain()), log2_unit,
          units / gamma + peak_error(p.word(), 1), ciphertext.plain_modulus().value};
}

}  // namespace cyclotome::bfv
