// SPDX-License-Identifier: Apache-2.0
// How numbers get out of a phase, and what the context does by programs: nothing is rounded away.
#include "cyclotome/rlwe/keys/encryption.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/scheme/ckks/context.hpp"
#include "cyclotome/scheme/ckks/programs.hpp"

namespace cyclotome::ckks {

scheme::NoiseGauge Context::gauge(const Ciphertext& ciphertext) const {
  return {log2_noise_limit(parameters(), ciphertext.level()), parameters().log2_modulus(ciphertext.limbs()),
          peak_error(parameters().word(), ciphertext.limbs()), 1};
}

rlwe::Plaintext Context::round(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) const {
  PolyArray message = make_message(ciphertext);
  const Operand operands[] = {message.view(), peaks.view(), phases.view()};
  reduction(*this, ciphertext.level())->run(operands);
  return Plaintext(ciphertext.context(), ciphertext.plain(), std::move(message));
}

rlwe::Plaintext Context::open(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) const {
  return round(ciphertext, rlwe::phase(key, ciphertext), peaks);
}

rlwe::Plaintext Context::revealed(const Ciphertext& ciphertext, const rlwe::SecretKey& key,
                                  const rlwe::Flooding& flooding) const {
  PolyArray phases = rlwe::phase(key, ciphertext);
  flooding.add_to(phases, rlwe::flooding_seed(ciphertext, Seed::from_system()));
  rlwe::NoisePeaks peaks(*this, ciphertext.batch());
  Plaintext result = round(ciphertext, phases, peaks);
  const scheme::NoiseGauge noise = gauge(ciphertext);
  peaks.require("reveal", rlwe::log2_sum(ciphertext.noise().log2_max, flooding.log2_flooded()), noise.log2_unit,
                noise.error);
  return result;
}

/// The error stays in what is decrypted, and is linear in the secret: what floods exact messages does not hide it.
rlwe::Plaintext Context::reveal_from(const Ciphertext&, const rlwe::SecretKey&, unsigned, Seed&&) const {
  throw UnsupportedError(
      "reveal: how wrong real numbers may be is no fact of a ciphertext; the reveal of arrays of reals floods up to a "
      "precision");
}

/// An encryption of zero at the top level is one at every level.
rlwe::Ciphertext Context::rerandomize_from(const Ciphertext& a, const rlwe::PublicKey& key, Seed&& seed) const {
  Seed master = std::move(seed);
  rlwe::require_same_context("rerandomize", *a.context(), *key.context());
  const Ciphertext fresh =
      rlwe::deterministic::encrypt_zero(key, a.plain(), a.batch(), std::move(master), rlwe::Purpose::rerandomization);
  return rlwe::add(a, switch_to_level(fresh, a.level()));
}

rlwe::Ciphertext Context::switch_to_level(const Ciphertext& a, Level level) const {
  if (level.primes == 0 || level > a.level()) {
    throw ArgumentError(message("switch_to_level: a ciphertext of ", a.limbs(), " primes can't move to ", level,
                                "; levels only fall, to 1 at least"));
  }
  if (level == a.level()) return a;
  PolyArray out = make(level_ring(level), a.batch(), a.parts(), Domain::transform);
  engine()->copy(out.view(), a.polynomials().view().limbs_at(0, *level_ring(level)));
  return a.derived(std::move(out), a.noise());
}

rlwe::Ciphertext Context::multiply_relinearized(const Ciphertext& a, const Ciphertext& b,
                                                const rlwe::EvaluationKeys& keys) const {
  rlwe::require_multipliable(a, b);
  const Level level = a.level();
  if (level != b.level() || level.primes < 2) {
    throw ArgumentError(message("multiply: ciphertexts of levels ", level, " and ", b.level(),
                                "; a product takes one level, and one more below it"));
  }
  const std::size_t batch = std::max(a.batch(), b.batch());
  PolyArray out = make(level_ring(Level(level.primes - 1)), batch, 2, Domain::transform);
  const ConstView first = a.polynomials().view(), second = b.polynomials().view(),
                  key = rlwe::relinearization_key(a, keys);
  const bool square = first.data == second.data;
  std::vector<Operand> operands{out.view(), first};
  if (!square) operands.emplace_back(second);
  operands.emplace_back(key);
  product(*this, level, square ? Factor::same : Factor::other, a.batch() < batch, b.batch() < batch)->run(operands);
  const NoiseBound whole = parameters().noise().sum(parameters().noise().product(a.noise(), b.noise()),
                                                    key_switch(level, PlainIndex(0)).relinearization_noise());
  return a.derived(std::move(out), rescaled_noise(parameters(), whole, level));
}

rlwe::Ciphertext Context::square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys) const {
  return multiply_relinearized(a, a, keys);
}

}  // namespace cyclotome::ckks
