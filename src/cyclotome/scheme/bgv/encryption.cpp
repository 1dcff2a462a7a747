// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/encryption.hpp"

#include "cyclotome/scheme/bgv/context.hpp"
#include "cyclotome/scheme/bgv/noise.hpp"

// How a message gets out of a phase: [phase]_q centred, modulo t, times the inverse of the correction factor
// (specification 5.4, 5.8; errata 002-4, 004-2). Constant time in the secret and the message.
namespace cyclotome::bgv {

using rlwe::Ciphertext;
using rlwe::Plaintext;

namespace {

/// Factor that takes a ciphertext's phase back to its message.
std::uint64_t correction_inverse(const Ciphertext& ciphertext) {
  return inverse_or_zero(ciphertext.correction(), ciphertext.plain_modulus());
}

}  // namespace

rlwe::NoiseBound Context::message_noise(rlwe::PlainIndex plain) const {
  return bgv::message_noise(parameters(), plain.number);
}

Plaintext Context::round(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) const {
  PolyArray message = make_message(ciphertext);
  const auto reduction = message_reduction(ciphertext.limbs(), ciphertext.plain(), correction_inverse(ciphertext));
  engine()->convert_with_peaks(message.view(), phases.view(), *reduction, peaks.data());
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

Plaintext Context::open(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) const {
  const ConstView s = rlwe::decryption_key(key, ciphertext), c = ciphertext.polynomials().view();
  const std::uint64_t factor = correction_inverse(ciphertext);
  const auto reduction = message_reduction(ciphertext.limbs(), ciphertext.plain(), factor);
  PolyArray message = make_message(ciphertext);
  const View out = message.view();
  const ConstView operands[] = {out, c, s, peaks.operand()};
  engine()->run({"bgv.decrypt", {id(), ciphertext.plain(), factor}, operands}, [&] {
    const PolyArray phases = rlwe::phase(*this, c, s);
    engine()->convert_with_peaks(out, phases.view(), *reduction, peaks.data());
  });
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

scheme::NoiseGauge Context::gauge(const Ciphertext& ciphertext) const {
  const rlwe::Parameters& p = parameters();
  return {log2_noise_limit(p, ciphertext.limbs()), p.log2_modulus(ciphertext.limbs()),
          peak_error(p.word(), ciphertext.limbs()), 1};
}

}  // namespace cyclotome::bgv
