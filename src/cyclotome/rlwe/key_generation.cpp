// SPDX-License-Identifier: Apache-2.0
// How keys are drawn: the generators of every key, with randomness from the system or from a seed.
#include <algorithm>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/limb_values.hpp"
#include "cyclotome/rlwe/deterministic.hpp"
#include "cyclotome/rlwe/key_check.hpp"

namespace cyclotome::rlwe {

namespace {

/// The secret of a seed, ternary coefficients over PQ; any number of them, by item.
PolyArray sample_secret(const ContextPtr& context, const Seed& seed, std::uint32_t item) {
  PolyArray s = context->make(context->key_ring(), 1, 1, Domain::coefficient, true);
  context->engine()->sample(s.view(), Law::ternary, seed, Stream::secret, item);
  return s;
}

/// a *= factor, a small public integer.
void multiply_by(Engine& engine, View a, std::uint64_t factor) {
  if (factor == 1) return;
  const auto factors = per_limb(a.ring->basis(), [&](std::uint64_t q) { return factor % q; });
  engine.multiply_scalars(a, a, factors);
}

/// Errors (sigma 3.24) for the pairs of a key, coefficient domain; any number of them, by item. seed: derived for the
/// object that they belong to.
PolyArray sample_errors(const Context& context, const PolyArray& pairs, const Seed& seed, std::uint32_t item) {
  PolyArray errors = context.make(pairs.ring(), pairs.batch(), 1, Domain::coefficient, true);
  context.engine()->sample(errors.view(), Law::error, seed, Stream::switching_key_error, item);
  return errors;
}

/// draw(item) for the first item that is fit.
template <class Draw>
PolyArray first_fit(const Draw& draw, bool (*is_fit)(const PolyArray&)) {
  for (std::uint32_t item = 0; item < most_key_draws; ++item) {
    PolyArray drawn = draw(item);
    if (declassify(is_fit(drawn))) return drawn;
  }
  throw EngineError(message("none of ", most_key_draws, " draws of a key was fit, which honest randomness makes ",
                            "impossible: the device or the operating system's generator is defective"));
}

/// Fills `pair` (any batch, 2 parts, transform domain) with (-(a s + e), a), a and e from seeds derived for `label`.
/// Returns the seed of a.
PublicSeed fill_zero_encryptions(const SecretKey& secret, PolyArray& pair, const Seed& master, const SeedLabel& label) {
  const Context& context = *secret.context();
  Engine& engine = *pair.engine();
  const auto uniform_seed = PublicSeed::publish(derive_seed(master, context.parameters(), label.of(Half::uniform)));
  const Seed error_seed = derive_seed(master, context.parameters(), label.of(Half::error));
  expand_uniform(engine, pair.view().part(1), uniform_seed);
  const auto drawn = [&](std::uint32_t item) { return sample_errors(context, pair, error_seed, item); };
  PolyArray error = label.purpose == Purpose::public_key ? first_fit(drawn, error_is_fit) : drawn(0);
  multiply_by(engine, error.view(), context.error_multiples(PlainIndex(0)).of_keys);
  error.to_transform();
  engine.multiply_accumulate(error.view(), pair.view().part(1), secret.over_key_ring());
  engine.negate(pair.view().part(0), error.view());
  return uniform_seed;
}

/// target: w of SwitchingKey, which says what it is for in `label`.
SwitchingKey make_switching_key(const SecretKey& secret, ConstView target, const Seed& master, const SeedLabel& label) {
  const ContextPtr& context = secret.context();
  const KeySwitch& key_switch = context->key_switch();
  Engine& engine = *context->engine();
  PolyArray pairs = context->make(context->key_ring(), key_switch.digits(), 2, Domain::transform);
  const PublicSeed uniform_seed = fill_zero_encryptions(secret, pairs, master, label);
  PolyArray term = context->make(context->key_ring(), 1, 1, Domain::transform, true);
  for (std::size_t j = 0; j < key_switch.digits(); ++j) {
    engine.multiply_scalars(term.view(), target, key_switch.gadget_factors(j));
    const View body = pairs.view().items(j).part(0);
    engine.add(body, body, term.view());
  }
  return SwitchingKey(std::move(pairs), uniform_seed);
}

}  // namespace

SecretKey SecretKey::generate(const ContextPtr& context) {
  return deterministic::generate_secret_key(context, Seed::from_system());
}

SecretKey deterministic::generate_secret_key(const ContextPtr& context, Seed&& seed) {
  const Seed master = std::move(seed);
  const Parameters& parameters = context->parameters();
  const Seed id_seed = derive_seed(master, parameters, {.purpose = Purpose::key_id});
  KeyId id;
  std::copy_n(id_seed.bytes().begin(), id.size(), id.begin());
  const Seed secret_seed = derive_seed(master, parameters, {.purpose = Purpose::secret_key});
  PolyArray s = first_fit([&](std::uint32_t item) { return sample_secret(context, secret_seed, item); }, secret_is_fit);
  s.to_transform();
  return SecretKey(context, std::move(s), id);
}

PublicKey PublicKey::generate(const SecretKey& secret) {
  return deterministic::generate_public_key(secret, Seed::from_system());
}

PublicKey deterministic::generate_public_key(const SecretKey& secret, Seed&& seed) {
  const Seed master = std::move(seed);
  const ContextPtr& context = secret.context();
  PolyArray pair = context->make(context->key_ring(), 1, 2, Domain::transform);
  const PublicSeed uniform_seed =
      fill_zero_encryptions(secret, pair, master, {.purpose = Purpose::public_key, .key = secret.id()});
  return PublicKey(context, std::move(pair), uniform_seed, secret.id());
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
