// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/operations.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::study::ltv {

namespace {

const Arithmetic& arithmetic_of(const Ciphertext& a) { return *a.parameters->arithmetic(); }

void require_same_parameters(const char* operation, const Parameters& a, const Parameters& b) {
  if (&a == &b || a.fingerprint() == b.fingerprint()) return;
  throw MismatchError(message(operation, ": one operand has the parameters ", a.summary(), "; the other has ",
                              b.summary(), "; use one set for both"));
}

void require_same_key(const char* operation, const KeyId& a, const KeyId& b) {
  if (a == b) return;
  throw MismatchError(message(operation, ": the operands belong to different keys; use those that one keygen made"));
}

void require_like(const char* operation, const Ciphertext& a, const Ciphertext& b) {
  require_same_parameters(operation, *a.parameters, *b.parameters);
  require_same_key(operation, a.key, b.key);
  if (a.level() != b.level()) {
    throw MismatchError(message(operation, ": the operands are at levels ", a.level(), " and ", b.level(),
                                "; bring both to one by switch_modulus, or reduce_to where noise is small"));
  }
}

Polynomial polynomial_of(const Parameters& parameters, const Bits& bits, std::size_t primes) {
  if (bits.size() != parameters.degree()) {
    throw ArgumentError(message("plaintext: ", bits.size(), " bits; a polynomial has n = ", parameters.degree()));
  }
  ZeroisingVector<std::int64_t> values(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i] > 1)
      throw RangeError(message("plaintext: ", static_cast<int>(bits[i]), " is no bit; plaintexts are 0 and 1"));
    values[i] = bits[i];
  }
  return parameters.arithmetic()->of_small(values, primes);
}

double switched_key_noise(const Ciphertext& a) {
  const Parameters& parameters = *a.parameters;
  return parameters.noise().key_switch(a.log2_phase, parameters.arithmetic()->basis().bits(a.polynomial.primes),
                                       parameters.window());
}

}  // namespace

Polynomial times_key(const Polynomial& a, const SwitchingKey& key) {
  const Parameters& parameters = *key.parameters();
  const Arithmetic& arithmetic = *parameters.arithmetic();
  const Polynomial raw = arithmetic.icrt(a);
  Polynomial sum = arithmetic.ntt_zero(a.primes);
  for (unsigned digit = 0; digit < parameters.digits(a.primes); ++digit) {
    arithmetic.multiply_add(sum, arithmetic.digit_ntt(raw, digit, parameters.window()), key.digits()[digit]);
  }
  return arithmetic.intt(sum);
}

Ciphertext encrypt(const Bits& bits, const PublicKey& key, std::size_t level) {
  const ParametersPtr& parameters = key.parameters();
  if (level >= parameters->levels()) {
    throw ArgumentError(message("encrypt: level ", level, "; there are 0 to ", parameters->levels() - 1));
  }
  const std::size_t primes = parameters->primes_at(level);
  const Polynomial plain = polynomial_of(*parameters, bits, primes);
  const Seed seed = derive_seed(Seed::from_system(), *parameters, "encryption", key.id());
  return {parameters, key.id(), parameters->arithmetic()->add(mask(key, seed, 0, primes), plain), 1,
          parameters->noise().fresh()};
}

Ciphertext add(const Ciphertext& a, const Ciphertext& b) {
  require_like("add", a, b);
  const Estimate sum = a.parameters->noise().added(a.estimate(), b.estimate());
  return {a.parameters, a.key, arithmetic_of(a).add(a.polynomial, b.polynomial), sum.key_power, sum.log2_phase};
}

Ciphertext add_plain(const Ciphertext& a, const Bits& bits) {
  const Parameters& parameters = *a.parameters;
  const Polynomial plain = polynomial_of(parameters, bits, a.polynomial.primes);
  const std::vector<double> values(bits.begin(), bits.end());
  const Estimate sum = parameters.noise().with_plain(a.estimate(), parameters.ring().mean_square(values));
  return {a.parameters, a.key, arithmetic_of(a).add(a.polynomial, plain), sum.key_power, sum.log2_phase};
}

Ciphertext multiply_plain(const Ciphertext& a, const Bits& bits) {
  const Parameters& parameters = *a.parameters;
  const Polynomial plain = polynomial_of(parameters, bits, a.polynomial.primes);
  std::vector<double> values(bits.begin(), bits.end());
  const double square = parameters.ring().mean_square(values);
  return {a.parameters, a.key, arithmetic_of(a).multiply(a.polynomial, plain), a.key_power,
          a.log2_phase + std::log2(std::max(square, 1e-300))};
}

Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) {
  require_like("multiply", a, b);
  if (a.key_power != 1 || b.key_power != 1) {
    throw ArgumentError("multiply: a factor is a product that was not relinearised yet; relinearise it first");
  }
  return {a.parameters, a.key, arithmetic_of(a).multiply(a.polynomial, b.polynomial), 2,
          NoiseModel::product(a.log2_phase, b.log2_phase)};
}

Ciphertext relinearize(const Ciphertext& a, const SwitchingKey& key) {
  require_same_parameters("relinearise", *a.parameters, *key.parameters());
  require_same_key("relinearise", a.key, key.id());
  if (key.element() != 0) {
    throw MissingKeyError(
        message("relinearise: the key moves slots by x^", key.element(), "; give the one of relinearisation"));
  }
  if (a.key_power == 1) return a;
  return {a.parameters, a.key, arithmetic_of(a).barrett(times_key(a.polynomial, key)), 1, switched_key_noise(a)};
}

Ciphertext automorphism(const Ciphertext& a, const SwitchingKey& key) {
  require_same_parameters("automorphism", *a.parameters, *key.parameters());
  require_same_key("automorphism", a.key, key.id());
  if (key.element() == 0) throw MissingKeyError("automorphism: the key relinearises; give one that moves slots");
  if (a.key_power != 1) {
    throw ArgumentError(
        "automorphism: the ciphertext is a product that was not relinearised yet; relinearise it first");
  }
  const Polynomial moved = arithmetic_of(a).automorphism(a.polynomial, key.element());
  return {a.parameters, a.key, arithmetic_of(a).barrett(times_key(moved, key)), 1, switched_key_noise(a)};
}

Ciphertext switch_modulus(const Ciphertext& a) {
  if (a.polynomial.primes == 1) {
    throw ArgumentError(message("switch_modulus: level ", a.level(),
                                " is the last one; take parameters with more primes, or a ",
                                "circuit of fewer products"));
  }
  const Arithmetic& arithmetic = arithmetic_of(a);
  const double log2_p = std::log2(static_cast<double>(arithmetic.basis().prime(a.polynomial.primes - 1)));
  return {a.parameters, a.key, arithmetic.switched(a.polynomial), a.key_power,
          a.parameters->noise().switched(a.log2_phase, log2_p, a.key_power)};
}

Ciphertext reduce_to(const Ciphertext& a, std::size_t level) {
  if (level < a.level() || level >= a.parameters->levels()) {
    throw ArgumentError(message("reduce_to: from level ", a.level(), " to ", level, "; levels grow, up to ",
                                a.parameters->levels() - 1));
  }
  return {a.parameters, a.key, arithmetic_of(a).restricted(a.polynomial, a.parameters->primes_at(level)), a.key_power,
          a.log2_phase};
}

}  // namespace cyclotome::study::ltv
