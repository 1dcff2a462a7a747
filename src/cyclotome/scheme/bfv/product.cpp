// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/product.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::bfv {

namespace {

/// Items [first, first + count) of c; a batch of 1 stays one.
ConstView window(ConstView c, std::size_t first, std::size_t count) { return c.batch == 1 ? c : c.items(first, count); }

/// The factors of a product, over Q and an auxiliary basis. Without a second one it is the square of the first.
struct Factors {
  PolyArray first, second;
};

/// How ciphertexts become factors, and how the factors' product comes back to Q.
class Behz {
 public:
  Behz(const Context& context, rlwe::PlainIndex plain)
      : context_(context), tables_(context.behz()), scale_(*tables_.scales.at(plain.number)) {}
  const RingPtr& ring() const { return tables_.product_ring; }

  /// S0 and S1 of specification 5.5; both factors are treated alike.
  Factors lift(ConstView a, const ConstView* b) const { return {lift(a), b == nullptr ? PolyArray() : lift(*b)}; }
  void scale(View out, const PolyArray& product) const { context_.engine()->behz_scale(out, product.view(), scale_); }

 private:
  PolyArray lift(ConstView c) const {
    PolyArray result = context_.make(ring(), c.batch, 2);
    const RingPtr& q = context_.ciphertext_ring();
    context_.engine()->copy(result.view().limbs_at(0, *q), c);
    context_.engine()->behz_lift(result.view().limbs_at(q->limbs(), *tables_.auxiliary_ring), c, *tables_.lift);
    return result;
  }

  const Context& context_;
  const BehzTables& tables_;
  const BehzScale& scale_;
};

/// HPS over Q, in the first primes of Q only if the context's tables are those of a lower level: operands are switched
/// down to them, and the product's noise-free part comes back up exactly, multiplied by the dropped primes.
class HpsOverQ {
 public:
  HpsOverQ(const Context& context, rlwe::PlainIndex plain, rlwe::Level level)
      : context_(context), tables_(context.hps(level, plain)) {}
  const RingPtr& ring() const { return tables_.product.product_ring; }

  /// Also of a square: its factors differ.
  Factors lift(ConstView a, const ConstView* b) const {
    PolyArray low_a, low_b;
    if (tables_.drop != nullptr) {
      low_a = switched_down(a);
      a = std::as_const(low_a).view();
    }
    ConstView second = a;
    if (b != nullptr) second = *b;
    if (b != nullptr && tables_.drop != nullptr) {
      low_b = switched_down(*b);
      second = std::as_const(low_b).view();
    }
    Factors factors{context_.make(ring(), a.batch, 2), context_.make(ring(), second.batch, 2)};
    context_.engine()->hps_lift(factors.first.view(), factors.second.view(), a, second, tables_.product);
    return factors;
  }

  void scale(View out, PolyArray& product) const {
    const Ring& q = *tables_.product.ciphertext_ring;
    const View kept = out.limbs_at(0, q);
    context_.engine()->divide_and_round(kept, product.view().limbs_at(0, q),
                                        product.view().limbs_at(q.limbs(), *tables_.product.auxiliary_ring),
                                        tables_.product.scale);
    if (tables_.drop == nullptr) return;
    context_.engine()->multiply_scalars(kept, kept, tables_.raise_factors);
    context_.engine()->clear(out.limbs_at(kept.limbs(), *tables_.drop->dropped));
  }

 private:
  PolyArray switched_down(ConstView c) const {
    const Ring& kept = *tables_.drop->kept;
    PolyArray result = context_.make(tables_.drop->kept, c.batch, 2);
    context_.engine()->divide_and_round(result.view(), c.limbs_at(0, kept),
                                        c.limbs_at(kept.limbs(), *tables_.drop->dropped), *tables_.drop);
    return result;
  }

  const Context& context_;
  const HpsTables& tables_;
};

template <class Method>
void form_product(const Context& context, View out, ConstView a, const ConstView* b, const Method& method) {
  Engine& engine = *context.engine();
  const RingPtr& ring = method.ring();
  const std::size_t item_bytes = 7 * ring->limbs() * ring->degree() * bytes_of(ring->word());
  const std::size_t tile = engine.batch_tile(out.batch, item_bytes);
  for (std::size_t first = 0; first < out.batch; first += tile) {
    check_interrupt();
    const std::size_t count = std::min(tile, out.batch - first);
    const ConstView second = window(b == nullptr ? a : *b, first, count);
    Factors factors = method.lift(window(a, first, count), b == nullptr ? nullptr : &second);
    PolyArray product = context.make(ring, count, 3);
    PolyArray& other = factors.second.ring() == nullptr ? factors.first : factors.second;
    engine.multiply_ciphertexts(product.view(), factors.first.view(), other.view());
    method.scale(out.items(first, count), product);
  }
}

}  // namespace

void form_product(const Context& context, rlwe::PlainIndex plain, ProductMethod method, rlwe::Level level, View out,
                  ConstView a, const ConstView* b) {
  if (method == ProductMethod::behz) {
    form_product(context, out, a, b, Behz(context, plain));
  } else {
    form_product(context, out, a, b, HpsOverQ(context, plain, level));
  }
}

}  // namespace cyclotome::bfv
