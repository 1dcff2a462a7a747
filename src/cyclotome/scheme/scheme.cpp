// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/scheme.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/encryption.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"
#include "cyclotome/scheme/bgv/context.hpp"
#include "cyclotome/scheme/bgv/encryption.hpp"
#include "cyclotome/scheme/bgv/operations.hpp"
#include "cyclotome/scheme/deterministic.hpp"

namespace cyclotome::scheme {

namespace {

bool is_bgv(const rlwe::ContextPtr& context) { return context->parameters().scheme() == rlwe::SchemeKind::bgv; }

}  // namespace

rlwe::ContextPtr make_context(const rlwe::Parameters& parameters, const EnginePtr& engine) {
  if (parameters.scheme() == rlwe::SchemeKind::bgv) return bgv::Context::create(parameters, engine);
  return bfv::Context::create(parameters, engine);
}

Ciphertext encrypt(const Plaintext& plaintext, const rlwe::PublicKey& key) {
  return is_bgv(key.context()) ? bgv::encrypt(plaintext, key) : bfv::encrypt(plaintext, key);
}

Ciphertext encrypt(const Plaintext& plaintext, const rlwe::SecretKey& key) {
  return is_bgv(key.context()) ? bgv::encrypt(plaintext, key) : bfv::encrypt(plaintext, key);
}

Plaintext decrypt(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  return is_bgv(key.context()) ? bgv::decrypt(ciphertext, key) : bfv::decrypt(ciphertext, key);
}

Plaintext reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits) {
  return is_bgv(key.context()) ? bgv::reveal(ciphertext, key, flooding_bits)
                               : bfv::reveal(ciphertext, key, flooding_bits);
}

Plaintext decrypt_unchecked(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  return is_bgv(key.context()) ? bgv::decrypt_unchecked(ciphertext, key) : bfv::decrypt_unchecked(ciphertext, key);
}

double noise_headroom(const Ciphertext& ciphertext) {
  return is_bgv(ciphertext.context()) ? bgv::noise_headroom(ciphertext) : bfv::noise_headroom(ciphertext);
}

std::vector<unsigned> noise_budget(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  return is_bgv(key.context()) ? bgv::noise_budget(ciphertext, key) : bfv::noise_budget(ciphertext, key);
}

std::vector<double> measured_noise(const Ciphertext& ciphertext, const rlwe::SecretKey& key) {
  return is_bgv(key.context()) ? bgv::measured_noise(ciphertext, key) : bfv::measured_noise(ciphertext, key);
}

Ciphertext add(const Ciphertext& a, const Ciphertext& b) {
  return is_bgv(a.context()) ? bgv::add(a, b) : rlwe::add(a, b);
}

Ciphertext subtract(const Ciphertext& a, const Ciphertext& b) {
  return is_bgv(a.context()) ? bgv::subtract(a, b) : rlwe::subtract(a, b);
}

Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) {
  return is_bgv(a.context()) ? bgv::add_plain(a, b) : bfv::add_plain(a, b);
}

Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b) {
  return is_bgv(a.context()) ? bgv::subtract_plain(a, b) : bfv::subtract_plain(a, b);
}

Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) {
  return is_bgv(a.context()) ? bgv::multiply(a, b) : bfv::multiply(a, b);
}

Ciphertext square(const Ciphertext& a) { return is_bgv(a.context()) ? bgv::square(a) : bfv::square(a); }

Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b, const rlwe::EvaluationKeys& keys) {
  return is_bgv(a.context()) ? bgv::multiply_relinearized(a, b, keys) : bfv::multiply_relinearized(a, b, keys);
}

Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys) {
  return is_bgv(a.context()) ? bgv::square_relinearized(a, keys) : bfv::square_relinearized(a, keys);
}

Ciphertext concatenate(std::span<const Ciphertext* const> arrays) {
  return !arrays.empty() && is_bgv(arrays[0]->context()) ? bgv::concatenate(arrays) : rlwe::concatenate(arrays);
}

Ciphertext rerandomize(const Ciphertext& a, const rlwe::PublicKey& key) {
  return is_bgv(a.context()) ? bgv::rerandomize(a, key) : rlwe::rerandomize(a, key);
}

Ciphertext deterministic::encrypt(const Plaintext& plaintext, const rlwe::PublicKey& key, Seed&& seed) {
  return is_bgv(key.context()) ? bgv::deterministic::encrypt(plaintext, key, std::move(seed))
                               : bfv::deterministic::encrypt(plaintext, key, std::move(seed));
}

Ciphertext deterministic::encrypt(const Plaintext& plaintext, const rlwe::SecretKey& key, Seed&& seed) {
  return is_bgv(key.context()) ? bgv::deterministic::encrypt(plaintext, key, std::move(seed))
                               : bfv::deterministic::encrypt(plaintext, key, std::move(seed));
}

Plaintext deterministic::reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits,
                                Seed&& seed) {
  return is_bgv(key.context()) ? bgv::deterministic::reveal(ciphertext, key, flooding_bits, std::move(seed))
                               : bfv::deterministic::reveal(ciphertext, key, flooding_bits, std::move(seed));
}

Ciphertext deterministic::rerandomize(const Ciphertext& a, const rlwe::PublicKey& key, Seed&& seed) {
  return is_bgv(a.context()) ? bgv::deterministic::rerandomize(a, key, std::move(seed))
                             : rlwe::deterministic::rerandomize(a, key, std::move(seed));
}

Ciphertext switch_to_level(const Ciphertext& a, std::size_t limbs) {
  if (is_bgv(a.context())) return bgv::switch_to_level(a, limbs);
  throw ArgumentError(message("switch_to_level: ciphertexts of ", a.context()->parameters().summary(),
                              " have one level only; BGV's have several"));
}

}  // namespace cyclotome::scheme
