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

double log2_product(const std::vector<std::uint64_t>& moduli, std::size_t first) {
  double sum = 0;
  for (std::size_t i = first; i < moduli.size(); ++i) sum += std::log2(static_cast<double>(moduli[i]));
  return sum;
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
  return a.derived(std::move(result), rlwe::with_error(noise, key_switch.noise_deviation()));
}

template <class Combine>
Ciphertext with_plain(const char* operation, const Ciphertext& a, const Plaintext& b, const Combine& combine) {
  rlwe::require_plain_operand(operation, a, b);
  const Context& context = bfv_context(a.context());
  Engine& engine = *context.engine();
  PolyArray scaled = context.make(context.ciphertext_ring(), b.batch(), 1);
  engine.convert(scaled.view(), b.polynomials().view(), context.message_scale(b.plain()));
  PolyArray out = context.make(context.ciphertext_ring(), std::max(a.batch(), b.batch()), a.parts());
  engine.copy(out.view(), a.polynomials().view());
  const View body = out.view().part(0);
  combine(engine, body, scaled.view());
  return a.derived(std::move(out), rlwe::with_error(a.noise(), 0.5));
}

}  // namespace

rlwe::NoiseBound product_noise(const rlwe::Parameters& parameters, std::size_t plain, const rlwe::NoiseBound& first,
                               const rlwe::NoiseBound& second, ProductMethod method) {
  const std::size_t degree = parameters.degree(), k = parameters.moduli().size();
  rlwe::NoiseBound a = first, b = second;
  if (const std::size_t limbs = level_of_product(parameters, a, b, method); limbs < k) {
    // The operands' switch to a lower level, in units of all of Q. What else is rounded there is small beside it.
    const double dropped = log2_product(parameters.moduli(), limbs);
    const rlwe::NoiseBound rounding{std::log2(rlwe::rounding_deviation(degree)) + dropped, 1};
    a = rlwe::sum(a, rounding);
    b = rlwe::sum(b, rounding);
  }
  // With phase_i = (q/t) m_i + e_i + q r_i the product's error is e_1 (m_2 + t r_2) + e_2 (m_1 + t r_1) + (t/q) e_1 e_2
  // and the scaling's error; m_i + t r_i = (t/q)(c_0 + c_1 s) up to e_i has coefficients of deviation t sqrt((1 +
  // 2n/3)/12).
  const double n = static_cast<double>(degree), log2_q = log2_product(parameters.moduli(), 0);
  const double log2_t = std::log2(static_cast<double>(parameters.plain_moduli().at(plain)));
  const std::uint32_t factors = std::max(a.secret_factors, b.secret_factors) + 1;
  const double growth = 0.5 * std::log2(n) + std::log2(static_cast<double>(factors) + 1);
  const double quotient = log2_t + std::log2(rlwe::rounding_deviation(degree));
  const double linear = rlwe::log2_sum(a.log2_deviation, b.log2_deviation) + quotient + growth;
  const double quadratic = a.log2_deviation + b.log2_deviation + log2_t - log2_q + growth;
  // Each of the three parts is off by less than k + 1 (BEHZ: FastBConv's overflow in S3 and the floor) or 1/2 (HPS),
  // times 1, s, s^2.
  const double s = 2.0 / 3.0 * n, each = method == ProductMethod::behz ? static_cast<double>(k) + 1 : 1.0;
  const double scaling = std::log2(each * (1 + std::sqrt(s) + std::sqrt(2.0) * s));
  double result = rlwe::log2_sum(rlwe::log2_sum(linear, quadratic), scaling);
  if (method != ProductMethod::behz) {
    // Rounding p y / q moves the second factor by (q/p)/2 < 2^-5 in each part, times the first factor's quotient.
    result = rlwe::log2_sum(result, quotient + std::log2(rlwe::rounding_deviation(degree)) - 4 + growth);
  }
  return {result, factors};
}

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

Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) {
  return with_plain("add_plain", a, b, [](Engine& engine, View body, ConstView m) { engine.add(body, body, m); });
}

Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b) {
  return with_plain("subtract_plain", a, b,
                    [](Engine& engine, View body, ConstView m) { engine.subtract(body, body, m); });
}

}  // namespace cyclotome::bfv
