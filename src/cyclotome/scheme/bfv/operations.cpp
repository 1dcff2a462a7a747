// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/product.hpp"

namespace cyclotome::bfv {

namespace {

/// Number of ciphertext primes that a product is formed in.
std::size_t level_of_product(const rlwe::Parameters& parameters, const rlwe::NoiseBound& a, const rlwe::NoiseBound& b,
                             ProductMethod method) {
  return method == ProductMethod::hps_over_q_leveled ? product_level(parameters, a, b) : parameters.moduli().size();
}

/// a b, or a^2 without b; relinearised if there are keys. All in one operation.
Ciphertext product(const Ciphertext& a, const Ciphertext* b, const rlwe::EvaluationKeys* keys, ProductMethod method) {
  const Context& context = bfv_context(a.context());
  const rlwe::Parameters& parameters = context.parameters();
  Engine& engine = *context.engine();
  const std::size_t plain = a.plain(), batch = b == nullptr ? a.batch() : std::max(a.batch(), b->batch());
  const rlwe::NoiseBound& second_noise = b == nullptr ? a.noise() : b->noise();
  const std::size_t limbs = level_of_product(parameters, a.noise(), second_noise, method);
  const rlwe::NoiseBound noise = product_noise(parameters, plain, a.noise(), second_noise, method);
  PolyArray result = context.make(context.ciphertext_ring(), batch, keys == nullptr ? 3 : 2);
  const View out = result.view();
  // Key and second factor come last, where there are any.
  ConstView operands[] = {out, a.polynomials().view(), {}, {}};
  std::size_t count = 2;
  const ConstView* second = nullptr;
  if (b != nullptr) {
    operands[count] = b->polynomials().view();
    second = &operands[count++];
  }
  const std::array<std::uint64_t, 4> constants{context.id(), plain, limbs, static_cast<std::uint64_t>(method)};
  if (keys == nullptr) {
    engine.run({"bfv.multiply", constants, std::span(operands, count)},
               [&] { form_product(context, plain, method, limbs, out, operands[1], second); });
    return a.derived(std::move(result), noise);
  }
  const ConstView key = operands[count++] = rlwe::relinearization_key(a, *keys);
  const rlwe::KeySwitch& key_switch = context.key_switch(a.limbs(), plain);
  engine.run({"bfv.multiply_relinearized", constants, std::span(operands, count)}, [&] {
    PolyArray parts = context.make(context.ciphertext_ring(), batch, 3);
    form_product(context, plain, method, limbs, parts.view(), operands[1], second);
    key_switch.relinearize(engine, out, parts.view(), key);
  });
  return a.derived(std::move(result), parameters.noise().sum(noise, key_switch.noise()));
}

}  // namespace

Ciphertext multiply(const Ciphertext& a, const Ciphertext& b, ProductMethod method) {
  rlwe::require_multipliable(a, b);
  return product(a, &b, nullptr, method);
}

Ciphertext square(const Ciphertext& a, ProductMethod method) {
  rlwe::require_multipliable(a, a);
  return product(a, nullptr, nullptr, method);
}

Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b, const rlwe::EvaluationKeys& keys,
                                 ProductMethod method) {
  rlwe::require_multipliable(a, b);
  return product(a, &b, &keys, method);
}

Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys, ProductMethod method) {
  rlwe::require_multipliable(a, a);
  return product(a, nullptr, &keys, method);
}

Ciphertext Context::multiply(const Ciphertext& a, const Ciphertext& b) const { return bfv::multiply(a, b); }

Ciphertext Context::square(const Ciphertext& a) const { return bfv::square(a); }

Ciphertext Context::multiply_relinearized(const Ciphertext& a, const Ciphertext& b,
                                          const rlwe::EvaluationKeys& keys) const {
  return bfv::multiply_relinearized(a, b, keys);
}

Ciphertext Context::square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys) const {
  return bfv::square_relinearized(a, keys);
}

}  // namespace cyclotome::bfv
