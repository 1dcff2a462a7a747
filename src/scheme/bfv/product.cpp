// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/product.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cyclotome::bfv {

namespace {

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

/// HPS over Q, in the first primes of Q only if the context's tables are those of a lower level: operands are switched
/// down to them, and the product's noise-free part comes back up exactly, multiplied by the dropped primes.
class HpsOverQ {
 public:
  HpsOverQ(const Context& context, std::size_t plain, std::size_t limbs)
      : context_(context), tables_(context.hps(limbs, plain)) {}
  const RingPtr& ring() const { return tables_.product.product_ring; }

  PolyArray first(ConstView c) const {
    PolyArray result = context_.make(ring(), c.batch, 2);
    const View q = ciphertext_limbs(result);
    switch_down(q, c);
    context_.engine()->convert(auxiliary_limbs(result), q, tables_.product.extend);
    result.to_transform();
    return result;
  }
  PolyArray second(ConstView c) const {
    PolyArray result = context_.make(ring(), c.batch, 2);
    const View q = ciphertext_limbs(result), p = auxiliary_limbs(result);
    switch_down(q, c);
    context_.engine()->convert(p, q, tables_.product.exchange);
    context_.engine()->convert(q, p, tables_.product.restore);
    result.to_transform();
    return result;
  }
  static constexpr bool factors_alike = false;

  void scale(View out, PolyArray& product) const {
    const View kept = out.limbs_at(0, *tables_.product.ciphertext_ring);
    context_.engine()->divide_and_round(kept, ciphertext_limbs(product), auxiliary_limbs(product),
                                        tables_.product.scale);
    if (tables_.drop == nullptr) return;
    context_.engine()->multiply_scalars(kept, kept, tables_.raise_factors);
    context_.engine()->clear(out.limbs_at(kept.limbs(), *tables_.drop->dropped));
  }

 private:
  View ciphertext_limbs(PolyArray& a) const { return a.view().limbs_at(0, *tables_.product.ciphertext_ring); }
  View auxiliary_limbs(PolyArray& a) const {
    return a.view().limbs_at(tables_.product.ciphertext_ring->limbs(), *tables_.product.auxiliary_ring);
  }
  void switch_down(View out, ConstView c) const {
    if (tables_.drop == nullptr) {
      context_.engine()->copy(out, c);
    } else {
      context_.engine()->divide_and_round(out, c.limbs_at(0, *tables_.drop->kept),
                                          c.limbs_at(out.limbs(), *tables_.drop->dropped), *tables_.drop);
    }
  }

  const Context& context_;
  const HpsTables& tables_;
};

template <class Method>
PolyArray form_product(const Context& context, const Ciphertext& a, const Ciphertext* b, const Method& method) {
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

}  // namespace

PolyArray product_polynomials(const Ciphertext& a, const Ciphertext* b, ProductMethod method, std::size_t limbs) {
  const Context& context = bfv_context(a.context());
  if (method == ProductMethod::behz) return form_product(context, a, b, Behz(context, a.plain()));
  return form_product(context, a, b, HpsOverQ(context, a.plain(), limbs));
}

std::size_t product_level(const rlwe::Parameters& parameters, const rlwe::NoiseBound& a, const rlwe::NoiseBound& b) {
  const auto& q = parameters.moduli();
  const rlwe::NoiseBound& larger = a.log2_deviation < b.log2_deviation ? b : a;
  // After j products the bound has a factor of j! for rare cases that the noise itself seldom has; Stirling's formula.
  const double j = std::max(1.0, static_cast<double>(larger.secret_factors));
  const double rare = std::max(0.0, j * std::log2(j / std::numbers::e) + 0.5 * std::log2(2 * std::numbers::pi * j));
  double allowed = larger.log2_deviation - rare - 3 - std::log2(rlwe::rounding_deviation(parameters.degree()));
  std::size_t limbs = q.size();
  while (limbs > 1) {
    allowed -= std::log2(static_cast<double>(q[limbs - 1]));
    if (allowed < 0) break;
    --limbs;
  }
  return limbs;
}

}  // namespace cyclotome::bfv
