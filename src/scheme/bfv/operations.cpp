// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/operations.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bfv/context.hpp"

namespace cyclotome::bfv {

namespace {

void require_multipliable(const Ciphertext& a, const Ciphertext& b) {
  rlwe::require_same_context("multiply", *a.context(), *b.context());
  rlwe::require_same_key("multiply", a.key(), b.key());
  if (a.plain() != b.plain()) {
    throw MismatchError(message("multiply: the operands have plaintext moduli number ", a.plain(), " and ", b.plain()));
  }
  if (a.parts() != 2 || b.parts() != 2) {
    throw ArgumentError(message("multiply: ciphertexts of ", a.parts(), " and ", b.parts(),
                                " parts; relinearise products to 2 parts before they are multiplied again"));
  }
  if (a.batch() != b.batch() && a.batch() != 1 && b.batch() != 1) {
    throw ArgumentError(message("multiply: batches of ", a.batch(), " and ", b.batch(),
                                " ciphertexts do not fit; they must be equal or 1"));
  }
}

/// Items [first, first + count) of c over Q and B_sk, transformed (S0 and S1, then the transforms of S2).
PolyArray lifted(const Context& context, const Ciphertext& c, std::size_t first, std::size_t count) {
  const ConstView all = c.polynomials().view();
  const ConstView items = c.batch() == 1 ? all : all.items(first, count);
  PolyArray result = context.make(context.product_ring(), items.batch, 2);
  const std::size_t k = context.ciphertext_ring()->limbs();
  context.engine()->copy(result.view().limbs_at(0, *context.ciphertext_ring()), items);
  context.engine()->behz_lift(result.view().limbs_at(k, *context.auxiliary_ring()), items, context.lift());
  result.to_transform();
  return result;
}

Ciphertext multiply_or_square(const Ciphertext& a, const Ciphertext* b) {
  const Context& context = bfv_context(a.context());
  Engine& engine = *context.engine();
  const RingPtr& ring = context.product_ring();
  const std::size_t batch = b == nullptr ? a.batch() : std::max(a.batch(), b->batch());
  PolyArray out = context.make(context.ciphertext_ring(), batch, 3);
  const std::size_t item_bytes = 7 * ring->limbs() * ring->degree() * bytes_of(ring->word());
  const std::size_t tile = engine.batch_tile(batch, item_bytes);
  for (std::size_t first = 0; first < batch; first += tile) {
    const std::size_t count = std::min(tile, batch - first);
    const PolyArray x = lifted(context, a, first, count);
    PolyArray product = context.make(ring, count, 3, Domain::transform);
    if (b == nullptr) {
      engine.tensor_product(product.view(), x.view(), x.view());
    } else {
      const PolyArray y = lifted(context, *b, first, count);
      engine.tensor_product(product.view(), x.view(), y.view());
    }
    product.to_coefficient();
    engine.behz_scale(out.view().items(first, count), product.view(), context.product_scale(a.plain()));
  }
  const rlwe::NoiseBound& second = b == nullptr ? a.noise() : b->noise();
  return a.derived(std::move(out), product_noise(a.noise(), second, context.degree(), a.plain_modulus(),
                                                 context.ciphertext_ring()->limbs(),
                                                 context.ciphertext_ring()->basis().product().log2()));
}

template <class Combine>
Ciphertext with_plain(const char* operation, const Ciphertext& a, const Plaintext& b, const Combine& combine) {
  rlwe::require_same_context(operation, *a.context(), *b.context());
  if (a.plain() != b.plain()) {
    throw MismatchError(
        message(operation, ": the operands have plaintext moduli number ", a.plain(), " and ", b.plain()));
  }
  if (a.batch() != b.batch() && a.batch() != 1 && b.batch() != 1) {
    throw ArgumentError(message(operation, ": ", a.batch(), " ciphertexts and ", b.batch(),
                                " plaintexts do not fit; the numbers must be equal or 1"));
  }
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

rlwe::NoiseBound product_noise(const rlwe::NoiseBound& a, const rlwe::NoiseBound& b, std::size_t degree,
                               std::uint64_t plain_modulus, std::size_t limbs, double log2_q) {
  // With phase_i = (q/t) m_i + e_i + q r_i the product's error is e_1 (m_2 + t r_2) + e_2 (m_1 + t r_1) + (t/q) e_1 e_2
  // and the scaling's error; m_i + t r_i = (t/q)(c_0 + c_1 s) up to e_i has coefficients of deviation t sqrt((1 +
  // 2n/3)/12).
  const double n = static_cast<double>(degree), log2_t = std::log2(static_cast<double>(plain_modulus));
  const std::uint32_t factors = std::max(a.secret_factors, b.secret_factors) + 1;
  const double growth = 0.5 * std::log2(n) + std::log2(static_cast<double>(factors) + 1);
  const double quotient = log2_t + std::log2(rlwe::rounding_deviation(degree));
  const double linear = rlwe::log2_sum(a.log2_deviation, b.log2_deviation) + quotient + growth;
  const double quadratic = a.log2_deviation + b.log2_deviation + log2_t - log2_q + growth;
  // Each of the three parts is off by less than k + 1 (FastBConv's overflow in S3 and the floor), times 1, s, s^2.
  const double s = 2.0 / 3.0 * n;
  const double scaling = std::log2((static_cast<double>(limbs) + 1) * (1 + std::sqrt(s) + std::sqrt(2.0) * s));
  return {rlwe::log2_sum(rlwe::log2_sum(linear, quadratic), scaling), factors};
}

Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) {
  require_multipliable(a, b);
  return multiply_or_square(a, &b);
}

Ciphertext square(const Ciphertext& a) {
  require_multipliable(a, a);
  return multiply_or_square(a, nullptr);
}

Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) {
  return with_plain("add_plain", a, b, [](Engine& engine, View body, ConstView m) { engine.add(body, body, m); });
}

Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b) {
  return with_plain("subtract_plain", a, b,
                    [](Engine& engine, View body, ConstView m) { engine.subtract(body, body, m); });
}

}  // namespace cyclotome::bfv
