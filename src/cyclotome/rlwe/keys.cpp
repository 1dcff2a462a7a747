// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys.hpp"

#include <algorithm>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/secure_memory.hpp"
#include "cyclotome/rlwe/deterministic.hpp"
#include "cyclotome/rlwe/encryption.hpp"
#include "cyclotome/rlwe/key_check.hpp"

namespace cyclotome::rlwe {

namespace {

/// The secret of a seed, ternary coefficients over PQ; any number of them, by item.
PolyArray sample_secret(const ContextPtr& context, const Seed& seed, std::uint32_t item) {
  PolyArray s = context->make(context->key_ring(), 1, 1, Domain::coefficient, true);
  context->engine()->sample(s.view(), Law::ternary, seed, Stream::secret, item);
  return s;
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
  const auto drawn = [&](std::uint32_t item) {
    return sample_error(context, pair.ring(), pair.batch(), 1, 1, error_seed, Stream::switching_key_error, item);
  };
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

SecretKey SecretKey::from_coefficients(const ContextPtr& context, std::span<const std::int8_t> coefficients,
                                       const KeyId& id, KeyCheck check) {
  const std::size_t n = context->degree();
  if (coefficients.size() != n) {
    throw FormatError(message("a secret key of degree ", n, " has ", n, " coefficients, not ", coefficients.size()));
  }
  std::uint8_t wrong = 0;  // no early exit: the position of a secret coefficient must not show in time
  for (const std::int8_t c : coefficients) wrong |= static_cast<std::uint8_t>(c + 1) > 2 ? 1 : 0;
  if (wrong != 0)
    throw FormatError("a secret key holds a coefficient outside {-1, 0, 1}; the file is damaged or not a key");
  PolyArray s = context->make(context->key_ring(), 1, 1, Domain::coefficient, true);
  ZeroisingVector<std::uint64_t> residues(s.size(), Residence::locked);
  for (std::size_t i = 0; i < residues.size(); ++i) {
    residues[i] = small_residue<std::uint64_t>(coefficients[i % n], context->key_ring()->basis()[i / n]);
  }
  s.from_host(residues);
  if (check == KeyCheck::required && !declassify(secret_is_fit(s))) {
    throw FormatError(
        "this secret key is not one that this version makes, so the noise bounds of what it encrypts need not hold: "
        "one "
        "in twenty of format version 1 is like that, or it was altered. Load it with allow_unfit_key=True "
        "(KeyCheck::skipped) to decrypt what there is, then generate a new key and encrypt anew");
  }
  s.to_transform();
  return SecretKey(context, std::move(s), id);
}

ZeroisingVector<std::int8_t> SecretKey::coefficients() const {
  PolyArray s = s_.clone();
  s.to_coefficient();
  ZeroisingVector<std::uint64_t> residues(s.size(), Residence::locked);
  s.to_host(residues);
  const std::uint64_t q = context_->key_ring()->basis()[0];
  ZeroisingVector<std::int8_t> coefficients(context_->degree(), Residence::locked);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    // 0 -> 0, 1 -> 1, q - 1 -> -1, without a branch on the coefficient.
    coefficients[i] = static_cast<std::int8_t>(residues[i] - (q & mask_if<std::uint64_t>(residues[i] > 1)));
  }
  return coefficients;
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

const SwitchingKey& EvaluationKeys::relinearization() const {
  if (!relinearization_) {
    throw MissingKeyError("these evaluation keys hold no relinearisation key; generate them with relinearization=True");
  }
  return *relinearization_;
}

const SwitchingKey& EvaluationKeys::galois(std::uint64_t element) const {
  const auto found = galois_.find(element);
  if (found == galois_.end()) {
    throw MissingKeyError(message("these evaluation keys hold no Galois key for element ", element, " (they hold ",
                                  galois_.size(), "); ask for this rotation when the keys are generated"));
  }
  return found->second;
}

void expand_uniform(Engine& engine, View part, const PublicSeed& uniform_seed) {
  part.domain = Domain::transform;
  engine.sample(part, Law::uniform, uniform_seed.to_draw_with(), Stream::switching_key_uniform);
}

std::uint64_t row_rotation_element(const GaloisGroup& group, std::int64_t steps) {
  const GaloisGroup::Generator& rows = group.generators().front();
  return group.power(rows.element, steps % static_cast<std::int64_t>(rows.order));
}

std::uint64_t column_rotation_element(const GaloisGroup& group) noexcept { return group.generators().back().element; }

std::vector<std::uint64_t> doublings(const GaloisGroup& group, const GaloisGroup::Generator& generator) {
  if (!is_power_of_two(generator.order)) {
    throw ArgumentError(message("sums over slots double, and ", generator.element, " has order ", generator.order,
                                " in the Galois group, no power of two"));
  }
  std::vector<std::uint64_t> elements;
  for (std::size_t step = 1; step < generator.order; step *= 2) {
    elements.push_back(group.power(generator.element, static_cast<std::int64_t>(step)));
  }
  return elements;
}

std::vector<std::uint64_t> slot_sum_elements(const GaloisGroup& group) {
  std::vector<std::uint64_t> elements;
  for (const GaloisGroup::Generator& generator : group.generators()) {
    for (const std::uint64_t element : doublings(group, generator)) elements.push_back(element);
  }
  return elements;
}

}  // namespace cyclotome::rlwe
