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

/// `batch` encryptions of zero; of the polynomials `message` (over Q, coefficient domain), if there are any. Where the
/// result is kept transformed, message and errors are transformed together.
PolyArray masked(const PublicKey& key, std::size_t plain, std::size_t batch, const Seed& seed,
                 const PolyArray* message) {
  const ContextPtr& context = key.context();
  Engine& engine = *context->engine();
  const RingPtr& ring = context->encryption_ring();
  const DivideAndRound* const rounding = context->encryption_rounding(plain);
  const std::size_t dropped = rounding == nullptr ? 0 : 1;
  const Domain native = context->native_domain();
  const ConstView pair = key.polynomials().view().limbs_at(context->special_limbs() - dropped, *ring);
  PolyArray result =
      context->make(context->ciphertext_ring(), batch, 2, rounding == nullptr ? native : Domain::coefficient);
  const std::size_t item_bytes = 5 * ring->limbs() * ring->degree() * bytes_of(ring->word());
  const std::size_t tile = engine.batch_tile(batch, item_bytes);
  for (std::size_t first = 0; first < batch; first += tile) {
    const std::size_t count = std::min(tile, batch - first);
    const auto item = static_cast<std::uint32_t>(first);
    PolyArray u = context->make(ring, count, 1, Domain::coefficient, true);
    engine.sample(u.view(), Law::ternary, seed, Stream::encryption_ternary, item);
    PolyArray error = sample_error(*context, ring, count, 2, seed, Stream::encryption_error, item);
    const View out = result.view().items(first, count);
    std::optional<ConstView> text;
    if (message != nullptr) text = message->view().items(first, count);
    if (rounding != nullptr) {
      PolyArray product = context->make(ring, count, 2, Domain::coefficient, true);
      engine.multiply_key(product.view(), u.view(), pair, error.view());
      engine.divide_and_round(out, product.view().limbs_at(1, *context->ciphertext_ring()),
                              product.view().limbs_at(0, *rounding->dropped), *rounding, text);
      continue;
    }
    if (text) engine.add(error.view().part(0), error.view().part(0), *text);
    if (native == Domain::coefficient) {
      engine.multiply_key(out, u.view(), pair, error.view());
    } else {
      engine.multiply(out, u.to_transform().view(), pair);
      engine.add(out, out, error.to_transform().view());
    }
  }
  if (native == Domain::transform) result.to_transform();
  return result;
}

/// The same under the secret key, `a` expanded from `uniform_seed`.
PolyArray masked(const SecretKey& key, std::size_t batch, const Seed& uniform_seed, const Seed& error_seed,
                 const PolyArray* message) {
  const ContextPtr& context = key.context();
  Engine& engine = *context->engine();
  const RingPtr& ring = context->ciphertext_ring();
  const Domain native = context->native_domain();
  PolyArray result = context->make(ring, batch, 2, native);
  expand_symmetric_uniform(engine, result.view().part(1), uniform_seed);
  PolyArray body = context->make(ring, batch, 1, native, true);
  engine.copy(body.view(), result.view().part(1));
  body.to_transform();
  engine.multiply(body.view(), body.view(), key.at_level(ring->limbs()));
  PolyArray error = sample_error(*context, ring, batch, 1, error_seed, Stream::symmetric_error, 0);
  if (message != nullptr) engine.subtract(error.view(), error.view(), message->view());
  if (native == Domain::coefficient) {
    body.to_coefficient();
  } else {
    error.to_transform();
  }
  engine.add(body.view(), body.view(), error.view());
  engine.negate(result.view().part(0), body.view());
  return result;
}

Ciphertext encrypted(const PublicKey& key, std::size_t plain, std::size_t batch, const Seed& seed,
                     const PolyArray* message, double deviation) {
  const NoiseBound fresh = fresh_noise(*key.context(), plain);
  return Ciphertext(key.context(), key.id(), plain, masked(key, plain, batch, seed, message),
                    message == nullptr ? fresh : with_error(fresh, deviation));
}

Ciphertext encrypted(const SecretKey& key, std::size_t plain, std::size_t batch, const Seed& seed,
                     const PolyArray* message, double deviation) {
  const Seed uniform_seed = derive_seed(seed, 5, 0), error_seed = derive_seed(seed, 6, 0);
  const NoiseBound fresh{std::log2(key.context()->error_multiplier() * error_deviation), 0};
  return Ciphertext(key.context(), key.id(), plain, masked(key, batch, uniform_seed, error_seed, message),
                    message == nullptr ? fresh : with_error(fresh, deviation), uniform_seed);
}

template <class Key>
Ciphertext with_message(const Key& key, const Plaintext& plaintext, const BaseConversion& scale, double deviation,
                        const Seed& seed) {
  const Context& context = *key.context();
  PolyArray message = context.make(context.ciphertext_ring(), plaintext.batch(), 1, Domain::coefficient, true);
  context.engine()->convert(message.view(), plaintext.polynomials().view(), scale);
  return encrypted(key, plaintext.plain(), plaintext.batch(), seed, &message, deviation);
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
  return encrypted(key, plain, batch, seed, nullptr, 0);
}

Ciphertext encrypt_zero(const SecretKey& key, std::size_t plain, std::size_t batch, const Seed& seed) {
  return encrypted(key, plain, batch, seed, nullptr, 0);
}

Ciphertext encrypt_message(const PublicKey& key, const Plaintext& plaintext, const BaseConversion& scale,
                           double deviation, const Seed& seed) {
  return with_message(key, plaintext, scale, deviation, seed);
}

Ciphertext encrypt_message(const SecretKey& key, const Plaintext& plaintext, const BaseConversion& scale,
                           double deviation, const Seed& seed) {
  return with_message(key, plaintext, scale, deviation, seed);
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
  if (c.domain() == Domain::coefficient && c.parts() == 2) {
    PolyArray sum = context.make(c.ring(), c.batch(), 1, Domain::coefficient, true);
    engine.multiply_key(sum.view(), c.view().part(1), s, c.view().part(0));
    return sum;
  }
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
