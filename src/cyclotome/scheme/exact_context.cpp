// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/exact_context.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/rlwe/keys/encryption.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"
#include "cyclotome/rlwe/noise/phase_norm.hpp"
#include "cyclotome/rlwe/noise/reveal_budget.hpp"

namespace cyclotome::scheme {

namespace {

using rlwe::Ciphertext;
using rlwe::PlainIndex;
using rlwe::Plaintext;

std::string level_of(const Ciphertext& ciphertext) {
  return ciphertext.context()->scheme().has_levels() ? message("level ", ciphertext.level(), " of ") : std::string();
}

}  // namespace

template <class Key>
Ciphertext ExactContext::encrypt_with(const Plaintext& plaintext, const Key& key, Seed seed) const {
  rlwe::require_same_context("encrypt", *plaintext.context(), *key.context());
  rlwe::require_same_context("encrypt", *this, *key.context());
  const PlainIndex plain = plaintext.plain();
  const auto lift = message_lift(max_level(), plain, 1);
  return rlwe::deterministic::encrypt_message(key, plaintext, *lift, message_noise(plain), std::move(seed));
}

Ciphertext ExactContext::encrypt_from(const Plaintext& plaintext, const rlwe::PublicKey& key, Seed&& seed) const {
  return encrypt_with(plaintext, key, std::move(seed));
}

Ciphertext ExactContext::encrypt_from(const Plaintext& plaintext, const rlwe::SecretKey& key, Seed&& seed) const {
  return encrypt_with(plaintext, key, std::move(seed));
}

PolyArray ExactContext::make_message(const Ciphertext& ciphertext) const {
  return make(plain_ring(ciphertext.plain()), ciphertext.batch(), 1, Domain::coefficient, true);
}

/// Of another scheme's ciphertext it would be a wrong number.
NoiseGauge ExactContext::own_gauge(const Ciphertext& ciphertext) const {
  rlwe::require_same_context("noise", *this, *ciphertext.context());
  return gauge(ciphertext);
}

/// Throws ContradictionError if the noise seen is more than 2^log2_bound.
void ExactContext::require_noise(const char* operation, const Ciphertext& ciphertext, rlwe::NoisePeaks& peaks,
                                 double log2_bound) const {
  const NoiseGauge noise = own_gauge(ciphertext);
  peaks.require(operation, log2_bound, noise.log2_unit, noise.error);
}

Plaintext ExactContext::decrypt_unchecked(const Ciphertext& ciphertext, const rlwe::SecretKey& key) const {
  rlwe::require_same_context("decrypt", *key.context(), *ciphertext.context());
  rlwe::require_same_context("decrypt", *this, *ciphertext.context());
  auto peaks = rlwe::NoisePeaks::unread(*this, ciphertext.batch());
  return open(ciphertext, key, peaks);
}

Plaintext ExactContext::decrypt(const Ciphertext& ciphertext, const rlwe::SecretKey& key) const {
  rlwe::require_same_context("decrypt", *key.context(), *ciphertext.context());
  rlwe::require_same_context("decrypt", *this, *ciphertext.context());
  if (const double headroom = noise_headroom(ciphertext); !(headroom >= 0)) {
    throw NoiseError(message("decrypt: the noise may have grown ", std::ceil(-headroom), " bits beyond what ",
                             level_of(ciphertext), parameters().summary(),
                             " can correct, so the result could be wrong; use parameters with ",
                             scheme().has_levels() ? "more levels" : "a larger log q or degree (more depth)",
                             ", a smaller plaintext modulus, or fewer operations"));
  }
  rlwe::NoisePeaks peaks(*this, ciphertext.batch());
  Plaintext result = open(ciphertext, key, peaks);
  require_noise("decrypt", ciphertext, peaks, ciphertext.noise().log2_max);
  return result;
}

Plaintext ExactContext::reveal_from(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits,
                                    Seed&& seed) const {
  const Seed master = std::move(seed);
  rlwe::require_same_context("reveal", *key.context(), *ciphertext.context());
  rlwe::require_same_context("reveal", *this, *ciphertext.context());
  const rlwe::Flooding flooding = this->flooding(ciphertext, flooding_bits, 1);
  rlwe::spend_reveals(key.id(), ciphertext.batch());  // what is refused for what everybody knows costs nothing
  PolyArray phases = rlwe::phase(key, ciphertext);
  rlwe::NoisePeaks peaks(*this, ciphertext.batch());
  static_cast<void>(round(ciphertext, phases, peaks));  // only to look at the noise
  require_noise("reveal", ciphertext, peaks, flooding.log2_noise());
  flooding.add_to(phases, rlwe::flooding_seed(ciphertext, master));
  Plaintext result = round(ciphertext, phases, peaks);
  require_noise("reveal", ciphertext, peaks, flooding.log2_flooded());
  return result;
}

rlwe::Flooding ExactContext::flooding(const Ciphertext& ciphertext, unsigned flooding_bits, std::size_t parties) const {
  return {*this,
          ciphertext.noise(),
          own_gauge(ciphertext).log2_limit,
          flooding_bits,
          preserved_modulus(ciphertext.plain()),
          parties};
}

Plaintext ExactContext::open_flooded(const Ciphertext& ciphertext, const PolyArray& phases,
                                     const rlwe::Flooding& flooding) const {
  rlwe::require_same_context("threshold decryption", *this, *ciphertext.context());
  rlwe::NoisePeaks peaks(*this, ciphertext.batch());
  Plaintext result = round(ciphertext, phases, peaks);
  require_noise("threshold decryption", ciphertext, peaks, flooding.log2_flooded());
  return result;
}

double ExactContext::noise_headroom(const Ciphertext& ciphertext) const {
  return own_gauge(ciphertext).log2_limit + rlwe::log2_margin - ciphertext.noise().log2_max;
}

std::vector<unsigned> ExactContext::noise_budget(const Ciphertext& ciphertext, const rlwe::SecretKey& key) const {
  const PolyArray phases = rlwe::phase(key, ciphertext);
  const unsigned q_bits = phases.ring()->basis().product().bit_length();
  std::vector<unsigned> budgets;
  for (const BigUnsigned& noise : rlwe::largest_coefficients(phases, own_gauge(ciphertext).phase_multiple)) {
    const unsigned used = noise.bit_length() + 1;
    budgets.push_back(q_bits > used ? q_bits - used : 0);
  }
  return budgets;
}

std::vector<double> ExactContext::measured_noise(const Ciphertext& ciphertext, const rlwe::SecretKey& key) const {
  const std::uint64_t multiple = own_gauge(ciphertext).phase_multiple;
  std::vector<double> noises;
  for (const BigUnsigned& noise : rlwe::largest_coefficients(rlwe::phase(key, ciphertext), multiple)) {
    noises.push_back(noise.log2() - std::log2(static_cast<double>(multiple)));
  }
  return noises;
}

Ciphertext ExactContext::sum_with_plain(const char* operation, PlainSum sum, const Ciphertext& a,
                                        const Plaintext& b) const {
  rlwe::require_plain_operand(operation, a, b);
  rlwe::require_same_context(operation, *this, *a.context());
  const PlainSumShape shape{
      sum, a.level(), a.plain(), a.parts(), a.domain(), a.batch() < b.batch(), b.batch() < a.batch()};
  const auto lift = message_lift(shape.level, shape.plain, a.correction());
  const std::uint64_t flags = shape.one_c * 1U + shape.one_m * 2U + (shape.domain == Domain::transform) * 4U;
  const ExecutionPtr program =
      execution({operation, {shape.level.primes, shape.plain.number, shape.parts, flags, lift->id()}},
                [&] { return plain_sum_program(*this, shape, *lift); });
  PolyArray out = a.like(std::max(a.batch(), b.batch()), a.parts());
  const Operand operands[] = {out.view(), a.polynomials().view(), b.polynomials().view()};
  program->run(operands);
  return a.derived(std::move(out), parameters().noise().sum(a.noise(), message_noise(shape.plain)));
}

Ciphertext ExactContext::add_plain(const Ciphertext& a, const Plaintext& b) const {
  return sum_with_plain("add_plain", PlainSum::added, a, b);
}

Ciphertext ExactContext::subtract_plain(const Ciphertext& a, const Plaintext& b) const {
  return sum_with_plain("subtract_plain", PlainSum::subtracted, a, b);
}

void require_own(const rlwe::Scheme& scheme, const rlwe::Parameters& parameters) {
  if (&parameters.scheme() != &scheme) {
    throw ParameterError(
        message("a ", scheme.title(), " context needs ", scheme.title(), " parameters, not ", parameters.summary()));
  }
}

void require_own(const rlwe::Scheme& scheme, const rlwe::Context& context) {
  if (&context.scheme() != &scheme) {
    throw MismatchError(
        message("a ", scheme.title(), " operation was given an object of ", context.parameters().summary()));
  }
}

}  // namespace cyclotome::scheme
