// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys/encryption.hpp"

#include <span>
#include <vector>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/rlwe/keys/encryption_program.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"

namespace cyclotome::rlwe {

namespace {

/// What is encrypted: plaintext polynomials, how they get to Q, and what that adds to the noise.
struct Message {
  const Plaintext& plaintext;
  const BaseConversion& scale;
  const NoiseBound& noise;
};

const BaseConversion* scale_of(const Message* message) { return message == nullptr ? nullptr : &message->scale; }

/// Runs an encryption: of a message if there is one.
void run(const Execution& encryption, View result, ConstView key, const Message* message,
         std::span<const Seed* const> seeds) {
  std::vector<Operand> operands{result, key};
  if (message != nullptr) operands.emplace_back(message->plaintext.polynomials().view());
  encryption.run(operands, seeds);
}

NoiseBound with_message(const Context& context, const NoiseBound& zero, const Message* message) {
  return message == nullptr ? zero : context.parameters().noise().sum(zero, message->noise);
}

Ciphertext encrypted(const PublicKey& key, PlainIndex plain, std::size_t batch, const Seed& master, Purpose purpose,
                     const Message* message) {
  const Context& context = *key.context();
  const Seed seed = derive_seed(master, context.parameters(), {.purpose = purpose, .key = key.id(), .plain = plain});
  PolyArray result = context.make(context.ciphertext_ring(), batch, 2, context.native_domain());
  const Seed* const seeds[] = {&seed};
  run(*public_encryption(context, plain, scale_of(message)), result.view(), key.polynomials().view(), message, seeds);
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
  const Seed* const seeds[] = {&uniform, &error_seed};
  run(*symmetric_encryption(context, plain, scale_of(message)), result.view(), key.at_level(context.max_level()),
      message, seeds);
  return Ciphertext(key.context(), key.id(), plain, std::move(result),
                    with_message(context, symmetric_zero_noise(context.parameters(), plain), message), uniform_seed);
}

}  // namespace

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
  const Context& context = *key.context();
  PolyArray sum =
      context.make(context.level_ring(ciphertext.level()), ciphertext.batch(), 1, Domain::coefficient, true);
  const Operand operands[] = {sum.view(), ciphertext.polynomials().view(), s};
  phase_of(context, ciphertext.level(), ciphertext.parts(), ciphertext.domain())->run(operands);
  return sum;
}

}  // namespace cyclotome::rlwe
