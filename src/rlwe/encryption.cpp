// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/encryption.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

namespace {

NoiseBound fresh_noise(const Context& context, std::size_t plain) {
  const bool special = context.special_limbs() != 0;
  return public_key_noise(context.degree(), special ? static_cast<double>(context.encryption_ring()->basis()[0]) : 1.0,
                          context.error_multiplier(), static_cast<double>(context.preserved_modulus(plain)));
}

}  // namespace

PolyArray sample_error(const Context& context, const RingPtr& ring, std::size_t batch, std::size_t parts,
                       const Seed& seed, Stream stream, std::uint32_t first_item) {
  PolyArray error = context.make(ring, batch, parts, Domain::coefficient, true);
  context.engine()->sample(error.view(), Law::error, seed, stream, first_item);
  if (context.low_digits()) {
    std::vector<std::uint64_t> factors;
    for (const auto q : ring->basis().values()) factors.push_back(context.error_multiplier_mod(q));
    context.engine()->multiply_scalars(error.view(), error.view(), factors);
  }
  return error;
}

Ciphertext encrypt_zero(const PublicKey& key, std::size_t plain, std::size_t batch, const Seed& seed) {
  const ContextPtr& context = key.context();
  Engine& engine = *context->engine();
  const RingPtr& ring = context->encryption_ring();
  const DivideAndRound* const rounding = context->encryption_rounding(plain);
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
    const PolyArray error = sample_error(*context, ring, count, 2, seed, Stream::encryption_error, item);
    engine.add(masked.view(), masked.view(), error.view());
    const View out = result.view().items(first, count);
    if (rounding == nullptr) {
      engine.copy(out, masked.view());
    } else {
      engine.divide_and_round(out, masked.view().limbs_at(1, *context->ciphertext_ring()),
                              masked.view().limbs_at(0, *rounding->dropped), *rounding);
    }
  }
  if (context->native_domain() == Domain::transform) result.to_transform();
  return Ciphertext(context, key.id(), plain, std::move(result), fresh_noise(*context, plain));
}

Ciphertext encrypt_zero(const SecretKey& key, std::size_t plain, std::size_t batch, const Seed& seed) {
  const ContextPtr& context = key.context();
  Engine& engine = *context->engine();
  const RingPtr& ring = context->ciphertext_ring();
  const Domain native = context->native_domain();
  const Seed uniform_seed = derive_seed(seed, 5, 0), error_seed = derive_seed(seed, 6, 0);
  PolyArray result = context->make(ring, batch, 2, native);
  expand_symmetric_uniform(engine, result.view().part(1), uniform_seed);
  PolyArray body = context->make(ring, batch, 1, native, true);
  engine.copy(body.view(), result.view().part(1));
  body.to_transform();
  engine.multiply(body.view(), body.view(), key.at_level(ring->limbs()));
  PolyArray error = sample_error(*context, ring, batch, 1, error_seed, Stream::symmetric_error, 0);
  if (native == Domain::coefficient) {
    body.to_coefficient();
  } else {
    error.to_transform();
  }
  engine.add(body.view(), body.view(), error.view());
  engine.negate(result.view().part(0), body.view());
  return Ciphertext(context, key.id(), plain, std::move(result),
                    {std::log2(context->error_multiplier() * error_deviation), 0}, uniform_seed);
}

Ciphertext with_message(Ciphertext zero, const Plaintext& plaintext, const BaseConversion& scale, double deviation) {
  const ContextPtr context = zero.context();
  const NoiseBound noise = with_error(zero.noise(), deviation);
  const KeyId id = zero.key();
  const std::optional<Seed> uniform_seed = zero.uniform_seed();
  PolyArray result = std::move(zero).polynomials();
  PolyArray message = context->make(result.ring(), plaintext.batch(), 1, Domain::coefficient, true);
  context->engine()->convert(message.view(), plaintext.polynomials().view(), scale);
  if (result.domain() == Domain::transform) message.to_transform();
  const View body = result.view().part(0);
  context->engine()->add(body, body, message.view());
  return Ciphertext(context, id, plaintext.plain(), std::move(result), noise, uniform_seed);
}

void expand_symmetric_uniform(Engine& engine, View part, const Seed& uniform_seed) {
  engine.sample(part, Law::uniform, uniform_seed, Stream::symmetric_uniform);
}

PolyArray phase(const SecretKey& key, const Ciphertext& ciphertext) {
  require_same_context("decrypt", *key.context(), *ciphertext.context());
  require_same_key("decrypt", key.id(), ciphertext.key());
  const Context& context = *key.context();
  Engine& engine = *context.engine();
  const PolyArray& c = ciphertext.polynomials();
  const ConstView s = key.at_level(c.limbs());
  // Horner's rule in s over the transforms of c_1, c_2, ...; c_0 is added in its own domain.
  const auto part = [&](std::size_t j) {
    PolyArray copy = context.make(c.ring(), c.batch(), 1, c.domain(), true);
    engine.copy(copy.view(), c.view().part(j));
    copy.to_transform();
    return copy;
  };
  PolyArray sum = part(c.parts() - 1);
  for (std::size_t j = c.parts() - 1; j-- > 1;) {
    engine.multiply(sum.view(), sum.view(), s);
    engine.add(sum.view(), sum.view(), part(j).view());
  }
  engine.multiply(sum.view(), sum.view(), s);
  if (c.domain() == Domain::coefficient) sum.to_coefficient();
  engine.add(sum.view(), sum.view(), c.view().part(0));
  sum.to_coefficient();
  return sum;
}

}  // namespace cyclotome::rlwe
