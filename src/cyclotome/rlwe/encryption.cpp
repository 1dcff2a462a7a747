// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/encryption.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/limb_values.hpp"
#include "cyclotome/rlwe/deterministic.hpp"
#include "cyclotome/rlwe/parameter_noise.hpp"

namespace cyclotome::rlwe {

namespace {

/// What is encrypted: plaintext polynomials, how they get to Q, and what that adds to the noise.
struct Message {
  const Plaintext& plaintext;
  const BaseConversion& scale;
  const NoiseBound& noise;
};

/// The message over Q, coefficient domain; an empty array without one.
PolyArray scaled_message(const Context& context, const Message* message) {
  if (message == nullptr) return {};
  const ConstView m = message->plaintext.polynomials().view();
  PolyArray scaled = context.make(context.ciphertext_ring(), m.batch, 1, Domain::coefficient, true);
  context.engine()->convert(scaled.view(), m, message->scale);
  return scaled;
}

/// Runs `fill`, which writes encryptions to `result`, as one operation.
template <class Fill>
void run_encryption(const char* name, const Context& context, PlainIndex plain, ConstView result, ConstView key,
                    const Message* message, std::span<const Seed* const> seeds, const Fill& fill) {
  ConstView operands[] = {result, key, {}};
  if (message != nullptr) operands[2] = message->plaintext.polynomials().view();
  context.engine()->run({name, {context.id(), plain.number}, std::span(operands, message == nullptr ? 2 : 3), seeds},
                        fill);
}

/// out (transforms) = (u pair + error) factor, and the text added.
void multiply_key_by(Engine& engine, View out, PolyArray& u, ConstView pair, PolyArray& error, std::uint64_t factor,
                     const std::optional<ConstView>& text) {
  engine.multiply(out, u.to_transform().view(), pair);
  engine.add(out, out, error.to_transform().view());
  multiply_by(engine, out, factor);
  if (!text) return;
  u.set_domain(Domain::coefficient);
  engine.copy(u.view(), *text);
  engine.add(out.part(0), out.part(0), u.to_transform().view());
}

/// `result` = encryptions of zero under the public key `pair`; of the polynomials `message` (over Q, coefficient
/// domain), if there are any. Where the result is kept transformed, message and errors are transformed together.
void mask(const Context& context, PlainIndex plain, View result, ConstView pair, const Seed& seed,
          const PolyArray& message) {
  Engine& engine = *context.engine();
  const RingPtr& ring = context.encryption_ring();
  const DivideAndRound* const rounding = context.encryption_rounding(plain);
  const ErrorMultiples multiples = context.error_multiples(plain);
  const std::size_t dropped = rounding == nullptr ? 0 : 1;
  const Domain native = result.domain;
  pair = pair.limbs_at(context.special_limbs() - dropped, *ring);
  if (rounding != nullptr) result.domain = Domain::coefficient;
  const std::size_t item_bytes = 5 * ring->limbs() * ring->degree() * bytes_of(ring->word());
  const std::size_t tile = engine.batch_tile(result.batch, item_bytes);
  for (std::size_t first = 0; first < result.batch; first += tile) {
    check_interrupt();
    const std::size_t count = std::min(tile, result.batch - first);
    const auto item = static_cast<std::uint32_t>(first);
    PolyArray u = context.make(ring, count, 1, Domain::coefficient, true);
    engine.sample(u.view(), Law::ternary, seed, Stream::encryption_ternary, item);
    PolyArray error = sample_error(context, ring, count, 2, multiples.of_keys, seed, Stream::encryption_error, item);
    const View out = result.items(first, count);
    std::optional<ConstView> text;
    if (message.ring() != nullptr) text = message.view().items(first, count);
    if (rounding != nullptr) {
      PolyArray product = context.make(ring, count, 2, Domain::coefficient, true);
      engine.multiply_key(product.view(), u.view(), pair, error.view());
      engine.divide_and_round(out, product.view().limbs_at(1, *context.ciphertext_ring()),
                              product.view().limbs_at(0, *rounding->dropped), *rounding, text);
      continue;
    }
    if (multiples.factor() != 1) {
      multiply_key_by(engine, out, u, pair, error, multiples.factor(), text);
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
  if (native == Domain::transform && rounding != nullptr) engine.forward(result);
}

/// The same under the secret key `s` over Q, part 1 expanded from `uniform_seed`.
void mask(const Context& context, std::uint64_t multiple, View result, ConstView s, const PublicSeed& uniform_seed,
          const Seed& error_seed, const PolyArray& message) {
  Engine& engine = *context.engine();
  const RingPtr& ring = context.ciphertext_ring();
  expand_symmetric_uniform(engine, result.part(1), uniform_seed);
  PolyArray body = context.make(ring, result.batch, 1, result.domain, true);
  engine.copy(body.view(), result.part(1));
  body.to_transform();
  engine.multiply(body.view(), body.view(), s);
  PolyArray error = sample_error(context, ring, result.batch, 1, multiple, error_seed, Stream::symmetric_error, 0);
  if (message.ring() != nullptr) engine.subtract(error.view(), error.view(), message.view());
  if (result.domain == Domain::coefficient) {
    body.to_coefficient();
  } else {
    error.to_transform();
  }
  engine.add(body.view(), body.view(), error.view());
  engine.negate(result.part(0), body.view());
}

NoiseBound with_message(const Context& context, const NoiseBound& zero, const Message* message) {
  return message == nullptr ? zero : context.parameters().noise().sum(zero, message->noise);
}

Ciphertext encrypted(const PublicKey& key, PlainIndex plain, std::size_t batch, const Seed& master, Purpose purpose,
                     const Message* message) {
  const Context& context = *key.context();
  const Seed seed = derive_seed(master, context.parameters(), {.purpose = purpose, .key = key.id(), .plain = plain});
  PolyArray result = context.make(context.ciphertext_ring(), batch, 2, context.native_domain());
  const View out = result.view();
  const ConstView pair = key.polynomials().view();
  const Seed* const seeds[] = {&seed};
  run_encryption("encrypt", context, plain, out, pair, message, seeds,
                 [&] { mask(context, plain, out, pair, seed, scaled_message(context, message)); });
  return Ciphertext(key.context(), key.id(), plain, std::move(result),
                    with_message(context, public_zero_noise(context.parameters(), plain), message));
}

Ciphertext encrypted(const SecretKey& key, PlainIndex plain, std::size_t batch, const Seed& master, Purpose purpose,
                     const Message* message) {
  const Context& context = *key.context();
  const SeedLabel label{.purpose = purpose, .key = key.id(), .plain = plain};
  const Seed uniform = derive_seed(master, context.parameters(), label.of(Half::uniform));
  const Seed error_seed = derive_seed(master, context.parameters(), label.of(Half::error));
  const PublicSeed uniform_seed = PublicSeed::publish(uniform);
  PolyArray result = context.make(context.ciphertext_ring(), batch, 2, context.native_domain());
  const View out = result.view();
  const ConstView s = key.at_level(context.max_level());
  const Seed* const seeds[] = {&uniform, &error_seed};
  run_encryption("encrypt under the secret key", context, plain, out, s, message, seeds, [&] {
    mask(context, context.preserved_modulus(plain), out, s, uniform_seed, error_seed, scaled_message(context, message));
  });
  return Ciphertext(key.context(), key.id(), plain, std::move(result),
                    with_message(context, symmetric_zero_noise(context.parameters(), plain), message), uniform_seed);
}

}  // namespace

void multiply_by(Engine& engine, View a, std::uint64_t factor) {
  if (factor == 1) return;
  const auto factors = per_limb(a.ring->basis(), [&](std::uint64_t q) { return factor % q; });
  engine.multiply_scalars(a, a, factors);
}

PolyArray sample_error(const Context& context, const RingPtr& ring, std::size_t batch, std::size_t parts,
                       std::uint64_t multiple, const Seed& seed, Stream stream, std::uint32_t first_item) {
  PolyArray error = context.make(ring, batch, parts, Domain::coefficient, true);
  context.engine()->sample(error.view(), Law::error, seed, stream, first_item);
  multiply_by(*context.engine(), error.view(), multiple);
  return error;
}

Ciphertext encrypt_zero(const PublicKey& key, PlainIndex plain, std::size_t batch) {
  return deterministic::encrypt_zero(key, plain, batch, Seed::from_system());
}

Ciphertext encrypt_zero(const SecretKey& key, PlainIndex plain, std::size_t batch) {
  return deterministic::encrypt_zero(key, plain, batch, Seed::from_system());
}

Ciphertext deterministic::encrypt_zero(const PublicKey& key, PlainIndex plain, std::size_t batch, Seed&& seed,
                                       Purpose purpose) {
  const Seed master = std::move(seed);
  return encrypted(key, plain, batch, master, purpose, nullptr);
}

Ciphertext deterministic::encrypt_zero(const SecretKey& key, PlainIndex plain, std::size_t batch, Seed&& seed) {
  const Seed master = std::move(seed);
  return encrypted(key, plain, batch, master, Purpose::symmetric_zero, nullptr);
}

Ciphertext deterministic::encrypt_message(const PublicKey& key, const Plaintext& plaintext, const BaseConversion& scale,
                                          const NoiseBound& noise, Seed&& seed) {
  const Seed master = std::move(seed);
  const Message message{plaintext, scale, noise};
  return encrypted(key, plaintext.plain(), plaintext.batch(), master, Purpose::public_encryption, &message);
}

Ciphertext deterministic::encrypt_message(const SecretKey& key, const Plaintext& plaintext, const BaseConversion& scale,
                                          const NoiseBound& noise, Seed&& seed) {
  const Seed master = std::move(seed);
  const Message message{plaintext, scale, noise};
  return encrypted(key, plaintext.plain(), plaintext.batch(), master, Purpose::symmetric_encryption, &message);
}

void expand_symmetric_uniform(Engine& engine, View part, const PublicSeed& uniform_seed) {
  engine.sample(part, Law::uniform, uniform_seed.to_draw_with(), Stream::symmetric_uniform);
}

ConstView decryption_key(const SecretKey& key, const Ciphertext& ciphertext) {
  require_same_context("decrypt", *key.context(), *ciphertext.context());
  require_same_key("decrypt", key.id(), ciphertext.key());
  return key.at_level(ciphertext.level());
}

PolyArray phase(const SecretKey& key, const Ciphertext& ciphertext) {
  const ConstView s = decryption_key(key, ciphertext);
  return phase(*key.context(), ciphertext.polynomials().view(), s);
}

PolyArray phase(const Context& context, ConstView c, ConstView s) {
  Engine& engine = *context.engine();
  const RingPtr& ring = context.level_ring(Level(c.limbs()));
  PolyArray sum = context.make(ring, c.batch, 1, Domain::coefficient, true);
  if (c.domain == Domain::coefficient && c.parts == 2) {
    engine.multiply_key(sum.view(), c.part(1), s, c.part(0));
    return sum;
  }
  sum.set_domain(Domain::transform);
  // Horner's rule in s over the transforms of c_1, c_2, ...; c_0 is added in its own domain.
  PolyArray moved;
  const auto transformed = [&](std::size_t j) {
    if (c.domain == Domain::transform) return c.part(j);
    moved = context.make(ring, c.batch, 1, c.domain, true);
    engine.copy(moved.view(), c.part(j));
    return ConstView(moved.to_transform().view());
  };
  engine.multiply(sum.view(), transformed(c.parts - 1), s);
  for (std::size_t j = c.parts - 1; j-- > 1;) {
    engine.add(sum.view(), sum.view(), transformed(j));
    engine.multiply(sum.view(), sum.view(), s);
  }
  if (c.domain == Domain::coefficient) sum.to_coefficient();
  engine.add(sum.view(), sum.view(), c.part(0));
  sum.to_coefficient();
  return sum;
}

}  // namespace cyclotome::rlwe
