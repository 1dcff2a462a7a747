// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/context.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/rlwe/members.hpp"
#include "cyclotome/rlwe/operations.hpp"

// What a context does unless its scheme does it otherwise.
namespace cyclotome::rlwe {

namespace {

[[noreturn]] void refuse_product(const char* operation, const Context& context) {
  throw UnsupportedError(message(operation, ": ", context.scheme().title(), " has no products of ciphertexts; use a ",
                                 "scheme that has, such as bfv"));
}

}  // namespace

Ciphertext Context::encrypt(const Plaintext& plaintext, const PublicKey& key) const {
  return encrypt_from(plaintext, key, Seed::from_system());
}

Ciphertext Context::encrypt(const Plaintext& plaintext, const SecretKey& key) const {
  return encrypt_from(plaintext, key, Seed::from_system());
}

Plaintext Context::reveal(const Ciphertext& ciphertext, const SecretKey& key, unsigned flooding_bits) const {
  return reveal_from(ciphertext, key, flooding_bits, Seed::from_system());
}

Ciphertext Context::add(const Ciphertext& a, const Ciphertext& b) const { return rlwe::add(a, b); }

Ciphertext Context::subtract(const Ciphertext& a, const Ciphertext& b) const { return rlwe::subtract(a, b); }

Ciphertext Context::multiply(const Ciphertext&, const Ciphertext&) const { refuse_product("multiply", *this); }

Ciphertext Context::square(const Ciphertext&) const { refuse_product("square", *this); }

Ciphertext Context::sum_products(std::span<const Member> a, std::span<const Member> b, std::size_t group) const {
  const auto same = [](const Member& x, const Member& y) { return x.array == y.array && x.number == y.number; };
  const Ciphertext x = gather(a);
  const Ciphertext products = std::ranges::equal(a, b, same) ? square(x) : multiply(x, gather(b));
  return group == 1 ? products : sum_groups(products, group);
}

Ciphertext Context::multiply_relinearized(const Ciphertext&, const Ciphertext&, const EvaluationKeys&) const {
  refuse_product("multiply", *this);
}

Ciphertext Context::square_relinearized(const Ciphertext&, const EvaluationKeys&) const {
  refuse_product("square", *this);
}

Ciphertext Context::multiply_by(std::string_view method, const Ciphertext& a, const Ciphertext* b,
                                const EvaluationKeys* keys) const {
  if (!method.empty()) {
    throw ArgumentError(message("multiply: ", scheme().title(), " has one way to multiply, and none by the name of '",
                                method, "'; leave the method out"));
  }
  if (keys == nullptr) return b == nullptr ? square(a) : multiply(a, *b);
  return b == nullptr ? square_relinearized(a, *keys) : multiply_relinearized(a, *b, *keys);
}

Ciphertext Context::concatenate(std::span<const Ciphertext* const> arrays) const { return rlwe::concatenate(arrays); }

Ciphertext Context::rerandomize(const Ciphertext& a, const PublicKey& key) const {
  return rerandomize_from(a, key, Seed::from_system());
}

Ciphertext Context::rerandomize_from(const Ciphertext& a, const PublicKey& key, Seed&& seed) const {
  return deterministic::rerandomize(a, key, std::move(seed));
}

Ciphertext Context::switch_to_level(const Ciphertext&, Level) const {
  throw ArgumentError(message("switch_to_level: ciphertexts of ", parameters_.summary(), " have one level only"));
}

Ciphertext Context::relinearize_to_level(const Ciphertext& a, const EvaluationKeys& keys, Level level) const {
  const Ciphertext relinearized = relinearize(a, keys);
  return relinearized.level() == level ? relinearized : switch_to_level(relinearized, level);
}

}  // namespace cyclotome::rlwe
