// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys/key_material.hpp"

#include <optional>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/tables/limb_values.hpp"
#include "cyclotome/rlwe/noise/key_check.hpp"

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

/// Errors (sigma 3.24) of a key, coefficient domain; any number of them, by item. seed: derived for the object that
/// they belong to.
PolyArray sample_errors(const Context& context, std::size_t batch, const Seed& seed, std::uint32_t item) {
  PolyArray errors = context.make(context.key_ring(), batch, 1, Domain::coefficient, true);
  context.engine()->sample(errors.view(), Law::error, seed, Stream::switching_key_error, item);
  return errors;
}

/// Calls draw(item), which returns the check of what it drew, until one passes. What comes after the check may be asked
/// for before it is known how it ends.
template <class Draw>
void until_fit(const Draw& draw) {
  for (std::uint32_t item = 0; item < most_key_draws; ++item) {
    if (declassify(draw(item).passed())) return;
  }
  throw EngineError(message("none of ", most_key_draws, " draws of a key was fit, which honest randomness makes ",
                            "impossible: the device or the operating system's generator is defective"));
}

/// Errors as keys have them.
void finish_errors(const Context& context, PolyArray& errors) {
  multiply_by(*context.engine(), errors.view(), context.error_multiples(PlainIndex(0)).of_keys);
  errors.to_transform();
}

}  // namespace

void until_fit_secret(const ContextPtr& context, const Seed& seed, const std::function<void(PolyArray)>& use) {
  until_fit([&](std::uint32_t item) {
    PolyArray s = sample_secret(context, seed, item);
    auto check = KeyCheckUnderWay::of_secret(s);
    s.to_transform();
    use(std::move(s));
    return check;
  });
}

PolyArray fit_secret(const ContextPtr& context, const Seed& seed) {
  std::optional<PolyArray> found;
  until_fit_secret(context, seed, [&](PolyArray s) { found = std::move(s); });
  return *std::move(found);
}

PolyArray key_errors(const Context& context, std::size_t batch, const Seed& seed) {
  PolyArray errors = sample_errors(context, batch, seed, 0);
  finish_errors(context, errors);
  return errors;
}

void fill_zero_encryptions(const SecretKey& secret, PolyArray& pair, const PublicSeed& uniform_seed,
                           const Seed& error_seed, ErrorCheck check) {
  const Context& context = *secret.context();
  Engine& engine = *pair.engine();
  const auto encrypt_with = [&](PolyArray& error) {
    engine.multiply_accumulate(error.view(), pair.view().part(1), secret.over_key_ring());
    engine.negate(pair.view().part(0), error.view());
  };
  expand_uniform(engine, pair.view().part(1), uniform_seed);
  if (check == ErrorCheck::none) {
    PolyArray error = key_errors(context, pair.batch(), error_seed);
    return encrypt_with(error);
  }
  until_fit([&](std::uint32_t item) {
    PolyArray error = sample_errors(context, pair.batch(), error_seed, item);
    auto under_way = KeyCheckUnderWay::of_error(error);
    finish_errors(context, error);
    encrypt_with(error);
    return under_way;
  });
}

void add_gadget_multiples(const Context& context, View pairs, ConstView target) {
  const KeySwitch& key_switch = context.key_switch();
  Engine& engine = *context.engine();
  PolyArray term = context.make(context.key_ring(), 1, 1, Domain::transform, true);
  for (std::size_t j = 0; j < key_switch.digits(); ++j) {
    engine.multiply_scalars(term.view(), target, key_switch.gadget_factors(j));
    const View body = pairs.items(j).part(0);
    engine.add(body, body, term.view());
  }
}

}  // namespace cyclotome::rlwe
