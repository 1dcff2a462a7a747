// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/scheme.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/deterministic.hpp"

namespace cyclotome::scheme {

rlwe::ContextPtr make_context(const rlwe::Parameters& parameters, const EnginePtr& engine) {
  return parameters.scheme().make_context(parameters, present(engine));
}

Ciphertext encrypt(const Plaintext& plaintext, const rlwe::PublicKey& key) {
  return key.context()->encrypt(plaintext, key);
}

Ciphertext encrypt(const Plaintext& plaintext, const rlwe::SecretKey& key) {
  return key.context()->encrypt(plaintext, key);
}

Plaintext decrypt(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  return key.context()->decrypt(ciphertext, key);
}

Plaintext decrypt_unchecked(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  return key.context()->decrypt_unchecked(ciphertext, key);
}

Plaintext reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits) {
  return key.context()->reveal(ciphertext, key, flooding_bits);
}

double noise_headroom(const Ciphertext& ciphertext) { return ciphertext.context()->noise_headroom(ciphertext); }

std::vector<unsigned> noise_budget(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  return key.context()->noise_budget(ciphertext, key);
}

std::vector<double> measured_noise(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  return key.context()->measured_noise(ciphertext, key);
}

Ciphertext add(const Ciphertext& a, const Ciphertext& b) { return a.context()->add(a, b); }

Ciphertext subtract(const Ciphertext& a, const Ciphertext& b) { return a.context()->subtract(a, b); }

Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) { return a.context()->add_plain(a, b); }

Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b) { return a.context()->subtract_plain(a, b); }

Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) { return a.context()->multiply(a, b); }

Ciphertext square(const Ciphertext& a) { return a.context()->square(a); }

Ciphertext multiply_by(std::string_view method, const Ciphertext& a, const Ciphertext* b,
                       const rlwe::EvaluationKeys* keys) {
  return a.context()->multiply_by(method, a, b, keys);
}

Ciphertext sum_products(std::span<const rlwe::Member> a, std::span<const rlwe::Member> b, std::size_t group) {
  rlwe::require_multipliable(a, b);
  if (group == 0 || a.size() % group != 0) {
    throw ArgumentError(message("sum_products: ", a.size(), " products make no groups of ", group));
  }
  return a[0].array->context()->sum_products(a, b, group);
}

Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b, const rlwe::EvaluationKeys& keys) {
  return a.context()->multiply_relinearized(a, b, keys);
}

Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys) {
  return a.context()->square_relinearized(a, keys);
}

Ciphertext concatenate(std::span<const Ciphertext* const> arrays) {
  if (arrays.empty()) throw ArgumentError("concatenate: no ciphertexts were given");
  return arrays[0]->context()->concatenate(arrays);
}

Ciphertext rerandomize(const Ciphertext& a, const rlwe::PublicKey& key) { return a.context()->rerandomize(a, key); }

Ciphertext switch_to_level(const Ciphertext& a, rlwe::Level level) { return a.context()->switch_to_level(a, level); }

Ciphertext relinearize_to_level(const Ciphertext& a, const rlwe::EvaluationKeys& keys, rlwe::Level level) {
  return a.context()->relinearize_to_level(a, keys, level);
}

Ciphertext deterministic::encrypt(const Plaintext& plaintext, const rlwe::PublicKey& key, Seed&& seed) {
  return rlwe::Seeded::encrypt(*key.context(), plaintext, key, std::move(seed));
}

Ciphertext deterministic::encrypt(const Plaintext& plaintext, const rlwe::SecretKey& key, Seed&& seed) {
  return rlwe::Seeded::encrypt(*key.context(), plaintext, key, std::move(seed));
}

Plaintext deterministic::reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits,
                                Seed&& seed) {
  return rlwe::Seeded::reveal(*key.context(), ciphertext, key, flooding_bits, std::move(seed));
}

Ciphertext deterministic::rerandomize(const Ciphertext& a, const rlwe::PublicKey& key, Seed&& seed) {
  return rlwe::Seeded::rerandomize(*a.context(), a, key, std::move(seed));
}

}  // namespace cyclotome::scheme
