// SPDX-License-Identifier: Apache-2.0
#include "additive_scheme/context.hpp"

#include "cyclotome/program/composites.hpp"
#include "cyclotome/rlwe/keys/encryption.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"

namespace cyclotome::additive {

Context::Context(const rlwe::Parameters& parameters, const EnginePtr& engine)
    : ExactContext(parameters, engine),
      lift_(std::make_shared<const BaseConversion>(plain_ring(rlwe::PlainIndex(0))->basis(), ciphertext_ring()->basis(),
                                                   Lift::centred)),
      reduction_(ciphertext_ring()->basis(), plain_ring(rlwe::PlainIndex(0))->basis(), Lift::centred) {}

std::shared_ptr<const BaseConversion> Context::message_lift(rlwe::Level, rlwe::PlainIndex, std::uint64_t) const {
  return lift_;
}

rlwe::NoiseBound Context::message_noise(rlwe::PlainIndex) const { return additive::message_noise(parameters()); }

rlwe::Plaintext Context::open(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) const {
  return round(ciphertext, rlwe::phase(key, ciphertext), peaks);
}

rlwe::Plaintext Context::round(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) const {
  const ExecutionPtr reduction = execution({"additive.reduce"}, [&] {
    program::Builder b("additive.reduce");
    const auto out = b.output(plain_ring(rlwe::PlainIndex(0)), 1, Domain::coefficient, true),
               numbers = b.output_numbers();
    const auto phase = b.input(ciphertext_ring(), 1, Domain::coefficient, program::each, true);
    program::convert_with_peaks(b, out, numbers, phase, reduction_);
    return b.finish();
  });
  PolyArray message = make_message(ciphertext);
  const Operand operands[] = {message.view(), peaks.view(), phases.view()};
  reduction->run(operands);
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

scheme::NoiseGauge Context::gauge(const Ciphertext& ciphertext) const {
  const double log2_q = parameters().log2_modulus(ciphertext.limbs());
  return {log2_noise_limit(parameters()), log2_q, peak_error(parameters().word(), ciphertext.limbs()), 1};
}

}  // namespace cyclotome::additive
