// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/encapsulation/encapsulation_keys.hpp"

#include <algorithm>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"

namespace cyclotome::rlwe {

namespace {

/// Small coefficients over the ring of keys under s~, transformed.
PolyArray transformed(const Context& context, const RingPtr& ring, std::span<const std::int8_t> coefficients) {
  PolyArray out(context.engine(), ring, 1, 1, Domain::coefficient, true);
  out.lock();
  ZeroisingVector<std::uint64_t> residues(out.size(), Residence::locked);
  for (std::size_t i = 0; i < residues.size(); ++i) {
    const std::size_t n = coefficients.size();
    residues[i] = small_residue<std::uint64_t>(coefficients[i % n], ring->basis()[i / n]);
  }
  out.from_host(residues);
  out.to_transform();
  return out;
}

/// (-(a s~ + e) + P s, a) over P and q, the first primes of either kind.
PolyArray key_to_sparse(const SecretKey& secret, const PolyArray& sparse, const PublicSeed& uniform_seed,
                        const Seed& error_seed) {
  const Context& context = *secret.context();
  Engine& engine = *context.engine();
  const RingPtr& ring = sparse.ring();
  PolyArray key(context.engine(), ring, 1, 2, Domain::transform);
  expand_uniform(engine, key.view().part(1), uniform_seed);
  PolyArray error(context.engine(), ring, 1, 1, Domain::coefficient, true);
  engine.sample(error.view(), Law::error, error_seed, Stream::switching_key_error);
  error.to_transform();
  PolyArray target = transformed(context, ring, secret.coefficients());
  const std::uint64_t p = ring->basis()[0], q = ring->basis()[1];
  const std::uint64_t factors[] = {0, p % q};
  engine.multiply_scalars(target.view(), target.view(), factors);
  engine.multiply_accumulate(error.view(), std::as_const(key).view().part(1), sparse.view());
  engine.subtract(key.view().part(0), std::as_const(target).view(), std::as_const(error).view());
  return key;
}

void require_exact_multiples(const Context& context) {
  if (context.preserved_modulus(PlainIndex(0)) == 1) return;
  throw UnsupportedError(message("sparse secrets serve schemes whose messages stand in the high part of the phase, ",
                                 "as BFV's do; these parameters are ", context.parameters().summary()));
}

}  // namespace

RingPtr encapsulation_ring(const Context& context) {
  return context.special_ring()->slice(0, 1)->joined(*context.level_ring(Level(1)));
}

EncapsulationKeys EncapsulationKeys::generate(const SecretKey& secret) {
  return deterministic::generate_encapsulation_keys(secret, Seed::from_system());
}

EncapsulationKeys deterministic::generate_encapsulation_keys(const SecretKey& secret, Seed&& seed) {
  const Seed master = std::move(seed);
  const ContextPtr& context = secret.context();
  const Parameters& parameters = context->parameters();
  const unsigned weight = sparse_secret_weight(parameters);
  require_exact_multiples(*context);
  const auto derived = [&](Purpose purpose, Half half = Half::whole) {
    return derive_seed(master, parameters, {.purpose = purpose, .key = secret.id(), .half = half});
  };
  const ZeroisingVector<std::int8_t> sparse =
      draw_sparse_secret(context->degree(), weight, derived(Purpose::sparse_secret));
  const PublicSeed uniform_seed = PublicSeed::publish(derived(Purpose::encapsulation_key, Half::uniform));
  PolyArray to_sparse = key_to_sparse(secret, transformed(*context, encapsulation_ring(*context), sparse), uniform_seed,
                                      derived(Purpose::encapsulation_key, Half::error));
  KeyId sparse_id;
  const Seed id_seed = derived(Purpose::sparse_key_id);
  std::copy_n(id_seed.bytes().begin(), sparse_id.size(), sparse_id.begin());
  const PolyArray target = transformed(*context, context->key_ring(), sparse);
  RekeyingKey back(context, generate_switching_key(secret, target.view(), derived(Purpose::release_key)), sparse_id,
                   secret.id());
  return EncapsulationKeys(weight, std::move(to_sparse), uniform_seed, std::move(back));
}

EncapsulationKeys moved(const EncapsulationKeys& keys, const ContextPtr& context) {
  const EnginePtr& engine = present(context)->engine();
  const SwitchingKey& back = keys.back().key();
  return EncapsulationKeys(keys.weight(), keys.to_sparse().to(engine), keys.uniform_seed(),
                           RekeyingKey(context, SwitchingKey(back.polynomials().to(engine), back.uniform_seed()),
                                       keys.back().from(), keys.id()));
}

EvaluationKeys with_encapsulation(const EvaluationKeys& keys, const EncapsulationKeys& encapsulation) {
  require_same_context("evaluation keys", *keys.context(), *encapsulation.context());
  require_same_key("evaluation keys", keys.id(), encapsulation.id());
  std::optional<SwitchingKey> relinearization;
  if (keys.has_relinearization()) relinearization = keys.relinearization();
  return EvaluationKeys(keys.context(), std::move(relinearization), keys.all_galois(), keys.id(),
                        std::make_shared<const EncapsulationKeys>(encapsulation));
}

}  // namespace cyclotome::rlwe
