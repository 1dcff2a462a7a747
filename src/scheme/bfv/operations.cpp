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

/// Items [first, first + count) of c; a batch of 1 stays one.
ConstView window(const Ciphertext& c, std::size_t first, std::size_t count) {
  const ConstView all = c.polynomials().view();
  return c.batch() == 1 ? all : all.items(first, count);
}

/// How operands become transforms over Q and an auxiliary basis, and how their tensor product comes back to Q.
class Behz {
 public:
  Behz(const Context& context, std::size_t plain)
      : context_(context), tables_(context.behz()), scale_(*tables_.scales.at(plain)) {}
  const RingPtr& ring() const { return tables_.product_ring; }

  /// S0 and S1 of specification 5.5; both factors are treated alike.
  PolyArray first(ConstView c) const {
    PolyArray result = context_.make(ring(), c.batch, 2);
    const RingPtr& q = context_.ciphertext_ring();
    context_.engine()->copy(result.view().limbs_at(0, *q), c);
    context_.engine()->behz_lift(result.view().limbs_at(q->limbs(), *tables_.auxiliary_ring), c, *tables_.lift);
    result.to_transform();
    return result;
  }
  PolyArray second(ConstView c) const { return first(c); }
  static constexpr bool factors_alike = true;

  void scale(View out, const PolyArray& product) const { context_.engine()->behz_scale(out, product.view(), scale_); }

 private:
  const Context& context_;
  const BehzTables& tables_;
  const BehzScale& scale_;
};

class HpsOverQ {
 public:
  HpsOverQ(const Context& context, std::size_t plain) : context_(context), tables_(context.hps(plain)) {}
  const RingPtr& ring() const { return tables_.product_ring; }

  PolyArray first(ConstView c) const {
    PolyArray result = context_.make(ring(), c.batch, 2);
    context_.engine()->copy(ciphertext_limbs(result), c);
    context_.engine()->convert(auxiliary_limbs(result), c, tables_.extend);
    result.to_transform();
    return result;
  }
  PolyArray second(ConstView c) const {
    PolyArray result = context_.make(ring(), c.batch, 2);
    context_.engine()->convert(auxiliary_limbs(result), c, tables_.exchange);
    context_.engine()->convert(ciphertext_limbs(result), auxiliary_limbs(result), tables_.restore);
    result.to_transform();
    return result;
  }
  static constexpr bool factors_alike = false;

  void scale(View out, PolyArray& product) const {
    context_.engine()->divide_and_round(out, ciphertext_limbs(product), auxiliary_limbs(product), tables_.scale);
  }

 private:
  View ciphertext_limbs(PolyArray& a) const { return a.view().limbs_at(0, *tables_.ciphertext_ring); }
  View auxiliary_limbs(PolyArray& a) const {
    return a.view().limbs_at(tables_.ciphertext_ring->limbs(), *tables_.auxiliary_ring);
  }

  const Context& context_;
  const HpsProduct& tables_;
};

/// b: the second factor, or null to square a.
template <class Method>
PolyArray product(const Context& context, const Ciphertext& a, const Ciphertext* b) {
  const Method method(context, a.plain());
  Engine& engine = *context.engine();
  const RingPtr& ring = method.ring();
  const std::size_t batch = b == nullptr ? a.batch() : std::max(a.batch(), b->batch());
  PolyArray out = context.make(context.ciphertext_ring(), batch, 3);
  const std::size_t item_bytes = 7 * ring->limbs() * ring->degree() * bytes_of(ring->word());
  const std::size_t tile = engine.batch_tile(batch, item_bytes);
  for (std::size_t first = 0; first < batch; first += tile) {
    const std::size_t count = std::min(tile, batch - first);
    const PolyArray x = method.first(window(a, first, count));
    PolyArray tensor = context.make(ring, count, 3, Domain::transform);
    if (b == nullptr && Method::factors_alike) {
      engine.tensor_product(tensor.view(), x.view(), x.view());
    } else {
      const PolyArray y = method.second(window(b == nullptr ? a : *b, first, count));
      engine.tensor_product(tensor.view(), x.view(), y.view());
    }
    tensor.to_coefficient();
    method.scale(out.view().items(first, count), tensor);
  }
  return out;
}

Ciphertext multiply_or_square(const Ciphertext& a, const Ciphertext* b, ProductMethod method) {
  const Context& context = bfv_context(a.context());
  PolyArray out = method == ProductMethod::behz ? product<Behz>(context, a, b) : product<HpsOverQ>(context, a, b);
  const RingPtr& q = context.ciphertext_ring();
  return a.derived(std::move(out), product_noise(a.noise(), b == nullptr ? a.noise() : b->noise(), context.degree(),
                                                 a.plain_modulus(), q->limbs(), q->basis().product().log2(), method));
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
                               std::uint64_t plain_modulus, std::size_t limbs, double log2_q, ProductMethod method) {
  // With phase_i = (q/t) m_i + e_i + q r_i the product's error is e_1 (m_2 + t r_2) + e_2 (m_1 + t r_1) + (t/q) e_1 e_2
  // and the scaling's error; m_i + t r_i = (t/q)(c_0 + c_1 s) up to e_i has coefficients of deviation t sqrt((1 +
  // 2n/3)/12).
  const double n = static_cast<double>(degree), log2_t = std::log2(static_cast<double>(plain_modulus));
  const std::uint32_t factors = std::max(a.secret_factors, b.secret_factors) + 1;
  const double growth = 0.5 * std::log2(n) + std::log2(static_cast<double>(factors) + 1);
  const double quotient = log2_t + std::log2(rlwe::rounding_deviation(degree));
  const double linear = rlwe::log2_sum(a.log2_deviation, b.log2_deviation) + quotient + growth;
  const double quadratic = a.log2_deviation + b.log2_deviation + log2_t - log2_q + growth;
  // Each of the three parts is off by less than k + 1 (BEHZ: FastBConv's overflow in S3 and the floor) or 1/2 (HPS),
  // times 1, s, s^2.
  const double s = 2.0 / 3.0 * n, each = method == ProductMethod::behz ? static_cast<double>(limbs) + 1 : 1.0;
  const double scaling = std::log2(each * (1 + std::sqrt(s) + std::sqrt(2.0) * s));
  double result = rlwe::log2_sum(rlwe::log2_sum(linear, quadratic), scaling);
  if (method == ProductMethod::hps_over_q) {
    // Rounding p y / q moves the second factor by (q/p)/2 < 2^-5 in each part, times the first factor's quotient.
    result = rlwe::log2_sum(result, quotient + std::log2(rlwe::rounding_deviation(degree)) - 4 + growth);
  }
  return {result, factors};
}

Ciphertext multiply(const Ciphertext& a, const Ciphertext& b, ProductMethod method) {
  require_multipliable(a, b);
  return multiply_or_square(a, &b, method);
}

Ciphertext square(const Ciphertext& a, ProductMethod method) {
  require_multipliable(a, a);
  return multiply_or_square(a, nullptr, method);
}

Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) {
  return with_plain("add_plain", a, b, [](Engine& engine, View body, ConstView m) { engine.add(body, body, m); });
}

Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b) {
  return with_plain("subtract_plain", a, b,
                    [](Engine& engine, View body, ConstView m) { engine.subtract(body, body, m); });
}

}  // namespace cyclotome::bfv
