// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/encryption.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

namespace {

NoiseBound fresh_noise(const Context& context) {
  const bool special = context.encryption_rounding() != nullptr;
  return public_key_noise(context.degree(), special ? static_cast<double>(context.encryption_ring()->basis()[0]) : 1.0);
}

}  // namespace

Ciphertext encrypt_zero(const PublicKey& key, std::size_t plain, std::size_t batch, const Seed& seed) {
  const ContextPtr& context = key.context();
  Engine& engine = *context->engine();
  const RingPtr& ring = context->encryption_ring();
  const DivideAndRound* const rounding = context->encryption_rounding();
  const std::size_t dropped = rounding == nullptr ? 0 : 1;
  const ConstView pair = key.polynomials().view().limbs_at(context->special_limbs() - dropped, *ring);
  PolyArray result = context->make(context->ciphertext_ring(), batch, 2);
  const std::size_t item_bytes = 5 * ring->limbs() * ring->degree() * bytes_of(ring->word());
  const std::size_t tile = engine.batch_tile(batch, item_bytes);
  for (std::size_t first = 0; first < batch; first += tile) {
    const std::size_t count = std::min(tile, batch - first);
    const auto item = static_cast<std::uint32_t>(first);
    PolyArray u = context->make(ring, count, 1, Domain::coefficient, true);
    engine.sample(u.view(), Law::ternary, seed, Stream::encryption_ternary, item);
    u.to_transform();
    PolyArray masked = context->make(ring, count, 2, Domain::transform, true);
    engine.multiply(masked.view(), u.view(), pair);
    masked.to_coefficient();
    PolyArray error = context->make(ring, count, 2, Domain::coefficient, true);
    engine.sample(error.view(), Law::error, seed, Stream::encryption_error, item);
    engine.add(masked.view(), masked.view(), error.view());
    const View out = result.view().items(first, count);
    if (rounding == nullptr) {
      engine.copy(out, masked.view());
    } else {
      engine.divide_and_round(out, masked.view().limbs_at(1, *context->ciphertext_ring()),
                              masked.view().limbs_at(0, *rounding->dropped), *rounding);
    }
  }
  return Ciphertext(context, key.id(), plain, std::move(result), fresh_noise(*context));
}

Ciphertext encrypt_zero(const SecretKey& key, std::size_t plain, std::size_t batch, const Seed& seed) {
  const ContextPtr& context = key.context();
  Engine& engine = *context->engine();
  const RingPtr& ring = context->ciphertext_ring();
  const Seed uniform_seed = derive_seed(seed, 5, 0), error_seed = derive_seed(seed, 6, 0);
  PolyArray result = context->make(ring, batch, 2);
  expand_symmetric_uniform(engine, result.view().part(1), uniform_seed);
  PolyArray body = context->make(ring, batch, 1, Domain::coefficient, true);
  engine.copy(body.view(), result.view().part(1));
  body.to_transform();
  engine.multiply(body.view(), body.view(), key.over_ciphertext_ring());
  body.to_coefficient();
  PolyArray error = context->make(ring, batch, 1, Domain::coefficient, true);
  engine.sample(error.view(), Law::error, error_seed, Stream::symmetric_error);
  engine.add(body.view(), body.view(), error.view());
  engine.negate(result.view().part(0), body.view());
  return Ciphertext(context, key.id(), plain, std::move(result), {std::log2(error_deviation), 0}, uniform_seed);
}

void expand_symmetric_uniform(Engine& engine, View part, const Seed& uniform_seed) {
  engine.sample(part, Law::uniform, uniform_seed, Stream::symmetric_uniform);
}

PolyArray phase(const SecretKey& key, const Ciphertext& ciphertext) {
  require_same_context("decrypt", *key.context(), *ciphertext.context());
  require_same_key("decrypt", key.id(), ciphertext.key());
  const Context& context = *key.context();
  Engine& engine = *context.engine();
  const ConstView c = ciphertext.polynomials().view();
  // Horner's rule in s over the transforms of c_1, c_2, ...; c_0 is added as coefficients.
  PolyArray sum = context.make(context.ciphertext_ring(), c.batch, 1, Domain::coefficient, true);
  engine.copy(sum.view(), c.part(c.parts - 1));
  sum.to_transform();
  PolyArray next = context.make(context.ciphertext_ring(), c.batch, 1, Domain::coefficient, true);
  for (std::size_t j = c.parts - 1; j-- > 1;) {
    engine.multiply(sum.view(), sum.view(), key.over_ciphertext_ring());
    next.set_domain(Domain::coefficient);
    engine.copy(next.view(), c.part(j));
    next.to_transform();
    engine.add(sum.view(), sum.view(), next.view());
  }
  engine.multiply(sum.view(), sum.view(), key.over_ciphertext_ring());
  sum.to_coefficient();
  engine.add(sum.view(), sum.view(), c.part(0));
  return sum;
}

}  // namespace cyclotome::rlwe
