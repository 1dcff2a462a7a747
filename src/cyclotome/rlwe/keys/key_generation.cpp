// SPDX-License-Identifier: Apache-2.0
// How keys are drawn: the generators of every key, with randomness from the system or from a seed.
#include <algorithm>
#include <optional>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/rlwe/keys/key_material.hpp"

namespace cyclotome::rlwe {

namespace {

/// The same with a and e from seeds derived for `label`. Returns the seed of a.
PublicSeed fill_from(const SecretKey& secret, PolyArray& pair, const Seed& master, const SeedLabel& label) {
  const Parameters& parameters = secret.context()->parameters();
  const auto uniform_seed = PublicSeed::publish(derive_seed(master, parameters, label.of(Half::uniform)));
  const Seed error_seed = derive_seed(master, parameters, label.of(Half::error));
  const bool checked = label.purpose == Purpose::public_key;
  fill_zero_encryptions(secret, pair, uniform_seed, error_seed, checked ? ErrorCheck::required : ErrorCheck::none);
  return uniform_seed;
}

/// target: w of SwitchingKey, which says what it is for in `label`.
SwitchingKey make_switching_key(const SecretKey& secret, ConstView target, const Seed& master, const SeedLabel& label) {
  const ContextPtr& context = secret.context();
  PolyArray pairs = context->make(context->key_ring(), context->key_switch().digits(), 2, Domain::transform);
  const PublicSeed uniform_seed = fill_from(secret, pairs, master, label);
  add_gadget_multiples(*context, pairs.view(), target);
  return SwitchingKey(std::move(pairs), uniform_seed);
}

/// What a secret key's seed gives besides its coefficients.
KeyId id_from(const Seed& master, const Parameters& parameters) {
  const Seed id_seed = derive_seed(master, parameters, {.purpose = Purpose::key_id});
  KeyId id;
  std::copy_n(id_seed.bytes().begin(), id.size(), id.begin());
  return id;
}

Seed secret_seed_from(const Seed& master, const Parameters& parameters) {
  return derive_seed(master, parameters, {.purpose = Purpose::secret_key});
}

PublicKey make_public_key(const SecretKey& secret, const Seed& master) {
  const ContextPtr& context = secret.context();
  PolyArray pair = context->make(context->key_ring(), 1, 2, Domain::transform);
  const PublicSeed uniform_seed = fill_from(secret, pair, master, {.purpose = Purpose::public_key, .key = secret.id()});
  return PublicKey(context, std::move(pair), uniform_seed, secret.id());
}

}  // namespace

SecretKey SecretKey::generate(const ContextPtr& context) {
  return deterministic::generate_secret_key(context, Seed::from_system());
}

SecretKey deterministic::generate_secret_key(const ContextPtr& context, Seed&& seed) {
  const Seed master = std::move(seed);
  const Parameters& parameters = context->parameters();
  const KeyId id = id_from(master, parameters);
  return SecretKey(context, fit_secret(context, secret_seed_from(master, parameters)), id);
}

KeyPair KeyPair::generate(const ContextPtr& context) {
  return deterministic::generate_key_pair(context, Seed::from_system(), Seed::from_system());
}

KeyPair deterministic::generate_key_pair(const ContextPtr& context, Seed&& secret_seed, Seed&& public_seed) {
  const Seed of_secret = std::move(secret_seed), of_public = std::move(public_seed);
  const Parameters& parameters = context->parameters();
  const KeyId id = id_from(of_secret, parameters);
  std::optional<KeyPair> pair;
  // The public key's own check waits for the device; that of the secret has ended then, too.
  until_fit_secret(context, secret_seed_from(of_secret, parameters), [&](PolyArray s) {
    SecretKey secret(context, std::move(s), id);
    PublicKey public_key = make_public_key(secret, of_public);
    pair.emplace(KeyPair{std::move(secret), std::move(public_key)});
  });
  return *std::move(pair);
}

PublicKey PublicKey::generate(const SecretKey& secret) {
  return deterministic::generate_public_key(secret, Seed::from_system());
}

PublicKey deterministic::generate_public_key(const SecretKey& secret, Seed&& seed) {
  const Seed master = std::move(seed);
  return make_public_key(secret, master);
}

SwitchingKey SwitchingKey::generate(const SecretKey& secret, ConstView target) {
  return deterministic::generate_switching_key(secret, target, Seed::from_system());
}

SwitchingKey deterministic::generate_switching_key(const SecretKey& secret, ConstView target, Seed&& seed) {
  const Seed master = std::move(seed);
  return make_switching_key(secret, target, master, {.purpose = Purpose::switching_key, .key = secret.id()});
}

RekeyingKey RekeyingKey::generate(const SecretKey& from, const SecretKey& to) {
  return deterministic::generate_rekeying_key(from, to, Seed::from_system());
}

RekeyingKey deterministic::generate_rekeying_key(const SecretKey& from, const SecretKey& to, Seed&& seed) {
  require_same_context("rekeying key", *from.context(), *to.context());
  if (from.id() == to.id()) {
    throw ArgumentError("a rekeying key leads from one secret key to another; these two are the same key");
  }
  return RekeyingKey(to.context(), generate_switching_key(to, from.over_key_ring(), std::move(seed)), from.id(),
                     to.id());
}

EvaluationKeys EvaluationKeys::generate(const SecretKey& secret, bool relinearization,
                                        const std::vector<std::uint64_t>& galois_elements) {
  return deterministic::generate_evaluation_keys(secret, relinearization, galois_elements, Seed::from_system());
}

EvaluationKeys deterministic::generate_evaluation_keys(const SecretKey& secret, bool relinearization,
                                                       const std::vector<std::uint64_t>& galois_elements, Seed&& seed) {
  const Seed master = std::move(seed);
  const ContextPtr& context = secret.context();
  Engine& engine = *context->engine();
  PolyArray target = context->make(context->key_ring(), 1, 1, Domain::transform, true);
  target.lock();  // what derives from the secret is here until all keys are made
  const auto make = [&](Purpose purpose, std::uint64_t element) {
    return make_switching_key(secret, target.view(), master,
                              {.purpose = purpose, .key = secret.id(), .element = element});
  };
  std::optional<SwitchingKey> relinearization_made;
  if (relinearization) {
    engine.multiply(target.view(), secret.over_key_ring(), secret.over_key_ring());
    relinearization_made = make(Purpose::relinearization_key, 0);
  }
  std::map<std::uint64_t, SwitchingKey> galois;
  for (const auto element : galois_elements) {
    if (const GaloisGroup& group = context->galois(); !group.contains(element)) {
      throw ArgumentError(message("Galois element ", element, " must be ", group.requirement()));
    }
    if (element == 1 || galois.contains(element)) continue;
    engine.automorphism(target.view(), secret.over_key_ring(), element);
    galois.emplace(element, make(Purpose::galois_key, element));
  }
  return EvaluationKeys(context, std::move(relinearization_made), std::move(galois), secret.id());
}

}  // namespace cyclotome::rlwe
