// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/bootstrapping/bootstrapping.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/keys/lattice.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/rlwe/parameters/plain_moduli.hpp"
#include "cyclotome/rlwe/switching/levelled.hpp"
#include "cyclotome/scheme/bfv/bootstrapping/kept_factors.hpp"
#include "cyclotome/scheme/bfv/bootstrapping/operations.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/levels.hpp"
#include "cyclotome/scheme/bfv/noise.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::bfv {

using rlwe::Ciphertext;
using rlwe::EvaluationKeys;
using rlwe::Level;
using rlwe::NoiseCalculus;
using rlwe::Parameters;
using rlwe::PlainIndex;

namespace {

/// p of a plaintext modulus that can be refreshed.
std::uint64_t checked_prime(const Parameters& parameters, PlainIndex plain) {
  if (&parameters.scheme() != &scheme() || parameters.cyclotomic() != 0) {
    throw UnsupportedError(message("refreshing takes BFV over x^n + 1; these are ", parameters.summary()));
  }
  const std::uint64_t p = parameters.plain_modulus(plain).value;
  const unsigned most_bits = parameters.word() == Word::u32 ? 15 : 30;
  if (!is_prime(p) || p % parameters.ring()->transform_step() != 1 || p >= std::uint64_t{1} << most_bits) {
    throw UnsupportedError(message("refreshing takes plaintext moduli that are primes, 1 modulo ",
                                   parameters.ring()->transform_step(), " and below 2^", most_bits, ", not ", p,
                                   "; Parameters.bootstrappable has such"));
  }
  return p;
}

/// The lattice of `parameters` with another plaintext modulus, on an engine.
rlwe::ContextPtr with_modulus(const Parameters& parameters, std::uint64_t t, const EnginePtr& engine) {
  return scheme::make_context(Parameters(scheme(), parameters.lattice(), rlwe::PlainModuli({t})), engine);
}

/// The only plaintext modulus of such a context.
constexpr PlainIndex only{0};

/// The factors of a map that an outer step takes, as one plaintext of an item for each inner step.
rlwe::Plaintext outer_factors(const rlwe::ContextPtr& context, const SlotMap& map, bool swap,
                              const rlwe::RotationGrid& grid, std::size_t outer, const SlotTransform& transform) {
  const std::size_t n = context->degree(), half = n / 2;
  std::vector<std::uint64_t> all;
  for (const std::uint64_t inner : grid.inner) {
    const auto found = map.find({swap, (grid.outer[outer] + inner) % half});
    std::vector<std::uint64_t> polynomial(n, 0);
    if (found != map.end()) {
      std::vector<std::uint64_t> turned(n);  // they are turned together with what they are multiplied by
      for (std::size_t i = 0; i < n; ++i) {
        turned[i] = found->second[i / half * half + (i % half + half - grid.outer[outer]) % half];
      }
      polynomial = transform.coefficients(turned);
    }
    all.insert(all.end(), polynomial.begin(), polynomial.end());
  }
  PolyArray made = context->make(context->plain_ring(only), grid.inner.size(), 1);
  made.from_host(all);
  return rlwe::Plaintext(context, only, std::move(made));
}

std::size_t one_switch(std::uint64_t step) { return step == 0 ? 0 : 1; }

}  // namespace

std::vector<std::uint64_t> bootstrapping_elements(const Parameters& parameters) {
  for (std::size_t i = 0; i < parameters.plain_moduli().size(); ++i) {
    static_cast<void>(checked_prime(parameters, PlainIndex(i)));
  }
  const GaloisGroup& group = parameters.ring()->galois();
  std::vector<std::uint64_t> elements{rlwe::column_rotation_element(group)};
  for (const std::uint64_t step : SlotStages(parameters.degree()).rotations()) {
    elements.push_back(rlwe::row_rotation_element(group, static_cast<std::int64_t>(step)));
  }
  std::ranges::sort(elements);
  return elements;
}

Bootstrapping::Bootstrapping(const Parameters& parameters, PlainIndex plain, const EnginePtr& engine)
    : prime_(checked_prime(parameters, plain)),
      weight_(rlwe::sparse_secret_weight(parameters)),
      stages_(parameters.degree()),
      removal_(weight_ / 2, prime_) {
  context_ = with_modulus(parameters, prime_, engine);
  companion_ = with_modulus(parameters, prime_ * prime_, engine);
  to_coefficients_ = groups(context_, SlotDirection::to_coefficients);
  std::ranges::reverse(to_coefficients_);
  to_slots_ = groups(companion_, SlotDirection::to_slots);
  find_bounds();
}

std::vector<Bootstrapping::Group> Bootstrapping::groups(const rlwe::ContextPtr& context,
                                                        SlotDirection direction) const {
  const SlotTransform transform(*context->parameters().ring(), prime_, direction == SlotDirection::to_slots ? 2 : 1);
  std::vector<Group> made;
  for (std::size_t number = 0; number < stages_.count(); ++number) {
    const SlotMap map = stages_.map(number, direction, transform);
    Group group{.grid = &stages_.grid(number),
                .factors = {},
                .norms = {},
                .kept = {std::make_shared<KeptFactors>(), std::make_shared<KeptFactors>()}};
    for (const bool swap : {false, true}) {
      if (std::ranges::none_of(map, [&](const auto& entry) { return entry.first.swap == swap; })) continue;
      const auto which = static_cast<std::size_t>(swap);
      for (std::size_t outer = 0; outer < group.grid->outer.size(); ++outer) {
        check_interrupt();
        group.factors[which].push_back(outer_factors(context, map, swap, *group.grid, outer, transform));
        group.norms[which].push_back(group.factors[which].back().norms());
      }
    }
    made.push_back(std::move(group));
  }
  return made;
}

Ciphertext Bootstrapping::mapped(const Ciphertext& a, const Group& group, const EvaluationKeys& keys) {
  std::optional<Ciphertext> sum;
  for (const bool swap : {false, true}) {
    const std::vector<rlwe::Plaintext>& factors = group.factors[static_cast<std::size_t>(swap)];
    if (factors.empty()) continue;
    const Ciphertext turned = swap ? rlwe::rotate_columns(a, keys) : a;
    const Level at = rlwe::rotation_level(turned);
    const auto kept = group.kept[static_cast<std::size_t>(swap)]->at(at, factors);
    const auto factor = [&](std::size_t outer) {
      return kept ? (*kept)[outer] : rlwe::ExtendedPlaintext(factors[outer], at);
    };
    const Ciphertext part =
        rlwe::linear_transform(turned, *group.grid, factor, keys, kept ? rlwe::Factors::kept : rlwe::Factors::made);
    sum = sum ? scheme::add(*sum, part) : part;
  }
  return *sum;
}

Bootstrapping::State Bootstrapping::mapped(const State& a, const Group& group, const Parameters& parameters) {
  const auto model = scheme().noise_model(parameters, only);
  std::optional<State> sum;
  for (const bool swap : {false, true}) {
    const std::vector<rlwe::PlainNorms>& norms = group.norms[static_cast<std::size_t>(swap)];
    if (norms.empty()) continue;
    State part = swap ? model->rotated(a) : a;
    part.noise = rlwe::linear_transform_noise(parameters, only, part.level, part.noise, *group.grid, norms, one_switch);
    sum = sum ? model->added(*sum, part) : part;
  }
  return *sum;
}

double Bootstrapping::log2_remainder(State a) const {
  const Parameters& parameters = context_->parameters();
  for (const Group& group : to_coefficients_) a = mapped(a, group, parameters);
  const rlwe::NoiseBound at_one_prime = noise_at(parameters, a.noise, a.level, Level(1));
  const double p = std::log2(static_cast<double>(prime_));
  return rlwe::encapsulated_noise(parameters, at_one_prime, weight_).log2_max + 2 * p - parameters.log2_modulus(1);
}

bool Bootstrapping::is_in_time(const State& a) const { return log2_remainder(a) < -1 - 0x1p-20; }

double Bootstrapping::late_by(const State& a) const {
  const auto fits = [&](double bits) {
    return is_in_time({NoiseCalculus::scaled(a.noise, -bits), a.level, a.correction});
  };
  if (fits(0)) return 0;
  double less = 0, more = 8192;
  if (!fits(more)) return more;
  while (more - less > 0x1p-6) {
    const double middle = (less + more) / 2;
    (fits(middle) ? more : less) = middle;
  }
  return more;
}

double Bootstrapping::late_by(const Ciphertext& a) const { return late_by({a.noise(), a.level(), a.correction()}); }

Level Bootstrapping::least_level(const Ciphertext& a) const {
  for (Level level(1); level < a.level(); ++level.primes) {
    const rlwe::NoiseBound there = noise_at(context_->parameters(), a.noise(), a.level(), level);
    if (is_in_time({there, level, a.correction()})) return level;
  }
  return a.level();
}

void Bootstrapping::find_bounds() {
  const Parameters &small = context_->parameters(), &large = companion_->parameters();
  const NoiseCalculus& calculus = large.noise();
  const auto model = scheme().noise_model(large, only);
  State a{calculus.chosen(rlwe::sparse_rounding(weight_)), companion_->max_level()};
  a = model->rotated(a);  // a key switch, as the way back to the usual secret is one
  for (const Group& group : to_slots_) a = mapped(a, group, large);
  a = removal_.apply(NoiseOperations{*model}, a);
  refreshed_noise_ = a.noise;
  const auto own = scheme().noise_model(small, only);
  refreshed_headroom_ = own->headroom(a);
  const double late = late_by(a);
  if (late > 0) {
    throw ParameterError(message("a refreshed ciphertext would have ", late, " bits of noise too many to be refreshed ",
                                 "again: these primes leave no room; take Parameters.bootstrappable, or more ",
                                 "ciphertext primes and a first one of at least twice the bits of ", prime_,
                                 " and 18 more"));
  }
  double less = 0, more = refreshed_headroom_;
  while (more - less > 0x1p-6) {
    const double middle = (less + more) / 2;
    (late_by(State{NoiseCalculus::scaled(a.noise, middle), a.level, 1}) > 0 ? more : less) = middle;
  }
  least_headroom_ = refreshed_headroom_ - less;
}

void Bootstrapping::require_keys(const EvaluationKeys& keys) const {
  static_cast<void>(keys.relinearization());
  constexpr const char* way_out = "; generate them with keygen(parameters, bootstrap=True)";
  if (!keys.encapsulation()) {
    throw MissingKeyError(message("refresh: these evaluation keys hold no keys of a sparse secret", way_out));
  }
  if (keys.encapsulation()->weight() > weight_) {
    throw MismatchError(message("refresh: the keys lead through a sparse secret of weight ",
                                keys.encapsulation()->weight(), ", these parameters through one of ", weight_));
  }
  for (const std::uint64_t element : bootstrapping_elements(context_->parameters())) {
    if (keys.has_galois(element)) continue;
    throw MissingKeyError(message("refresh: these evaluation keys hold no Galois key for element ", element, way_out));
  }
}

Ciphertext Bootstrapping::slots_to_coefficients(const Ciphertext& a, const EvaluationKeys& keys) const {
  Ciphertext x = a;
  for (const Group& group : to_coefficients_) x = mapped(x, group, keys);
  return x;
}

rlwe::Encapsulated Bootstrapping::lowered(const Ciphertext& a, const rlwe::EncapsulationKeys& keys) const {
  return rlwe::encapsulate(switch_to_level(rlwe::native(a), Level(1)), keys);
}

std::vector<std::uint64_t> Bootstrapping::rounded(const rlwe::Encapsulated& a) const {
  std::vector<std::uint64_t> residues = a.polynomials.to_host();
  const std::uint64_t q = context_->parameters().moduli().front(), square = prime_ * prime_;
  for (std::uint64_t& c : residues) {
    c = static_cast<std::uint64_t>((static_cast<u128>(c) * square + q / 2) / q) % square;  // q is odd: never a tie
  }
  return residues;
}

Ciphertext Bootstrapping::raised(const std::vector<std::uint64_t>& residues,
                                 const rlwe::EncapsulationKeys& keys) const {
  const std::size_t n = companion_->degree(), batch = residues.size() / n / 2;
  const NoiseCalculus& calculus = companion_->parameters().noise();
  Engine& engine = *companion_->engine();
  PolyArray up = companion_->make(companion_->ciphertext_ring(), batch, 2);
  for (std::size_t part = 0; part < 2; ++part) {
    PolyArray values = companion_->make(companion_->plain_ring(only), batch, 1);
    for (std::size_t item = 0; item < batch; ++item) {
      values.from_host(item, std::span(residues).subspan((2 * item + part) * n, n));
    }
    // round(Q c/p^2), as a message is added to an encryption: here to one of nothing.
    PolyArray nothing = companion_->make(companion_->ciphertext_ring(), batch, 2);
    engine.clear(nothing.view());
    const Ciphertext lifted =
        scheme::add_plain(Ciphertext(companion_, keys.back().from(), only, std::move(nothing), {}),
                          rlwe::Plaintext(companion_, only, std::move(values)));
    engine.copy(up.view().part(part), lifted.polynomials().view().part(0));
  }
  return rlwe::released(companion_, only, std::move(up), calculus.chosen(rlwe::sparse_rounding(weight_)), keys);
}

Ciphertext Bootstrapping::coefficients_to_slots(const Ciphertext& a, const EvaluationKeys& keys) const {
  Ciphertext x = a;
  for (const Group& group : to_slots_) x = mapped(x, group, keys);
  return x;
}

Ciphertext Bootstrapping::without_digit(const Ciphertext& a, const EvaluationKeys& keys) const {
  return removal_.apply(CiphertextOperations{keys}, a);
}

Ciphertext Bootstrapping::refresh(const Ciphertext& a, const EvaluationKeys& given) const {
  require_keys(given);
  if (const double late = late_by(a); late > 0) {
    const auto tenths = [](double bits) { return std::ceil(bits * 10) / 10; };
    throw NoiseError(message("refresh: ", tenths(late), " bits too late: noise leaves ",
                             tenths(scheme::noise_headroom(a)), " bits of headroom, and with these parameters ",
                             "refreshing takes about ", tenths(least_headroom_),
                             "; refresh an operand of the last operation instead of its result"));
  }
  const EvaluationKeys keys = rlwe::on_context(given, context_), squared = rlwe::on_context(given, companion_);
  const rlwe::EncapsulationKeys& encapsulation = *given.encapsulation();
  const Ciphertext moved(context_, a.key(), only, rlwe::native(a).polynomials(), a.noise());
  // All but the first prime goes in the end: what is not needed for the noise on the way goes before it is worked on.
  const Ciphertext own = switch_to_level(moved, least_level(a));
  const std::vector<std::uint64_t> digits = rounded(lowered(slots_to_coefficients(own, keys), encapsulation));
  const Ciphertext slots = coefficients_to_slots(raised(digits, encapsulation), squared);
  const Ciphertext result = rlwe::native(without_digit(slots, squared));
  return Ciphertext(a.context(), a.key(), a.plain(), result.polynomials(), result.noise());
}

Ciphertext refresh(const Ciphertext& a, const EvaluationKeys& keys) {
  rlwe::require_same_context("refresh", *a.context(), *keys.context());
  rlwe::require_same_key("refresh", a.key(), keys.id());
  static_cast<void>(checked_prime(a.context()->parameters(), a.plain()));
  if (a.parts() != 2) {
    throw ArgumentError(message("refresh takes ciphertexts of 2 parts, not ", a.parts(), "; relinearise first"));
  }
  return bootstrapping_of(a.context(), a.plain()).refresh(a, keys);
}

const Bootstrapping& bootstrapping_of(const rlwe::ContextPtr& context, PlainIndex plain) {
  return bfv_context(context).bootstrapping(
      plain, [&] { return std::make_shared<const Bootstrapping>(context->parameters(), plain, context->engine()); });
}

}  // namespace cyclotome::bfv
