// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bgv/operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <span>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/rlwe/members.hpp"
#include "cyclotome/scheme/bgv/alignment.hpp"
#include "cyclotome/scheme/bgv/context.hpp"
#include "cyclotome/scheme/bgv/noise.hpp"
#include "cyclotome/scheme/bgv/programs.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"

namespace cyclotome::bgv {

namespace {

using rlwe::Level;
using rlwe::NoiseCalculus;

Phase phase_of(const Ciphertext& c) { return {c.noise(), c.level(), c.correction(), c.parts()}; }

/// c times a small factor, which its correction factor takes up: the same message. Nothing is copied for factor 1.
Ciphertext rescaled(const Ciphertext& c, std::int64_t factor) {
  if (factor == 1) return c;
  const Modulus<std::uint64_t> t(c.plain_modulus().value);
  const Ciphertext scaled = rlwe::multiply_scalar(c, factor);
  return scaled.derived(scaled.polynomials(), scaled.noise(), t.multiply(c.correction(), t.reduce_signed(factor)));
}

/// c at a level, for what only reads it: c itself where it is there.
Ciphertext lowered(const Ciphertext& c, Level level) { return c.level() == level ? c : switch_to_level(c, level); }

/// best_product_level, from public numbers.
Level best_level(const rlwe::Parameters& parameters, rlwe::PlainIndex plain, const Phase& a, const Phase& b) {
  const Level top = std::min(a.level, b.level);
  Level best = top;
  double best_headroom = -1e300;
  NoiseBound first = noise_at(parameters, plain, a, top), second = noise_at(parameters, plain, b, top);
  for (Level level = top; level.primes >= 1; --level.primes) {
    const double left = headroom(parameters, product_noise(parameters, first, second), level);
    if (left > best_headroom) {
      best_headroom = left;
      best = level;
    }
    if (level == Level(1)) break;
    first = switched_noise(parameters, plain, first, level, a.parts);
    second = switched_noise(parameters, plain, second, level, b.parts);
  }
  return best;
}

/// What is public about members of one level and correction factor.
Phase phase_of(std::span<const rlwe::Member> members) {
  Phase phase = phase_of(*members[0].array);
  phase.noise = rlwe::require_together("sum_products", members);
  return phase;
}

/// The bound of c at a lower level, and its correction factor there.
NoiseBound noise_at(const Ciphertext& c, Level level) {
  return noise_at(c.context()->parameters(), c.plain(), phase_of(c), level);
}
std::uint64_t correction_at(const Ciphertext& c, Level level) {
  return correction_at(c.context()->parameters(), c.plain(), phase_of(c), level);
}

/// Both operands at one level and correction factor.
std::pair<Ciphertext, Ciphertext> aligned(const Ciphertext& a, const Ciphertext& b) {
  rlwe::require_same_context("add", *a.context(), *b.context());
  const bool swapped = a.limbs() < b.limbs();
  const Ciphertext &high = swapped ? b : a, &low = swapped ? a : b;
  const Level level = low.level();
  const Alignment by = a.plain() == b.plain()
                           ? alignment(a.context()->parameters(), a.plain(), phase_of(high), phase_of(low))
                           : Alignment{};
  Ciphertext first = rescaled(lowered(rescaled(high, by.before), level), by.after), second = rescaled(low, by.other);
  if (swapped) return {std::move(second), std::move(first)};
  return {std::move(first), std::move(second)};
}

/// a b at a level that both reach; relinearised if there are keys.
Ciphertext multiplied(const Ciphertext& a, const Ciphertext& b, Level level, const rlwe::EvaluationKeys* keys) {
  const Context& context = bgv_context(a.context());
  const rlwe::PlainIndex plain = a.plain();
  const std::size_t batch = std::max(a.batch(), b.batch());
  const rlwe::Parameters& parameters = context.parameters();
  NoiseBound noise = product_noise(parameters, noise_at(a, level), noise_at(b, level));
  const std::uint64_t correction =
      Modulus<std::uint64_t>(a.plain_modulus().value).multiply(correction_at(a, level), correction_at(b, level));
  PolyArray result = context.make(context.level_ring(level), batch, keys == nullptr ? 3 : 2, Domain::transform);
  const ConstView first = a.polynomials().view(), second = b.polynomials().view();
  const bool square = second.data == first.data;
  std::array<Operand, 4> operands{result.view(), first, first, first};
  std::size_t count = 2;
  if (!square) operands[count++] = second;
  if (keys != nullptr) {
    operands[count++] = rlwe::relinearization_key(a, *keys);
    noise = parameters.noise().sum(noise, context.key_switch(level, plain).relinearization_noise());
  }
  product(context, {plain, level, a.level(), b.level(), square, a.batch() < batch, b.batch() < batch, keys != nullptr})
      ->run(std::span(operands).first(count));
  return a.derived(std::move(result), noise, correction);
}

Level level_of_product(const Ciphertext& a, const Ciphertext& b, bool automatic) {
  return automatic ? best_product_level(a, b) : std::min(a.level(), b.level());
}

}  // namespace

Ciphertext switch_modulus(const Ciphertext& a) {
  if (a.limbs() < 2) throw ArgumentError("a ciphertext of one prime can't be switched to fewer; it has no level left");
  return switch_to_level(a, Level(a.limbs() - 1));
}

Ciphertext switch_to_level(const Ciphertext& a, Level level) {
  if (level.primes == 0 || level > a.level()) {
    throw ArgumentError(message("switch_to_level: a ciphertext of ", a.limbs(), " primes can't move to ", level,
                                "; levels only fall, to 1 at least"));
  }
  if (level == a.level()) return a.derived(a.polynomials().clone(), a.noise());
  const Context& context = bgv_context(a.context());
  PolyArray result = context.make(context.level_ring(level), a.batch(), a.parts(), Domain::transform);
  const Operand operands[] = {result.view(), a.polynomials().view()};
  level_switch(context, a.plain(), a.parts(), a.level(), level)->run(operands);
  return a.derived(std::move(result), noise_at(a, level), correction_at(a, level));
}

Level best_product_level(const Ciphertext& a, const Ciphertext& b) {
  return best_level(bgv_context(a.context()).parameters(), a.plain(), phase_of(a), phase_of(b));
}

Ciphertext Context::add(const Ciphertext& a, const Ciphertext& b) const {
  const auto [x, y] = aligned(a, b);
  return rlwe::add(x, y);
}

Ciphertext Context::subtract(const Ciphertext& a, const Ciphertext& b) const {
  const auto [x, y] = aligned(a, b);
  return rlwe::subtract(x, y);
}

Ciphertext multiply(const Ciphertext& a, const Ciphertext& b, bool automatic) {
  rlwe::require_multipliable(a, b);
  return multiplied(a, b, level_of_product(a, b, automatic), nullptr);
}

Ciphertext square(const Ciphertext& a, bool automatic) { return multiply(a, a, automatic); }

Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b, const rlwe::EvaluationKeys& keys,
                                 bool automatic) {
  rlwe::require_multipliable(a, b);
  return multiplied(a, b, level_of_product(a, b, automatic), &keys);
}

Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys, bool automatic) {
  return multiply_relinearized(a, a, keys, automatic);
}

Ciphertext Context::multiply(const Ciphertext& a, const Ciphertext& b) const { return bgv::multiply(a, b); }

Ciphertext Context::square(const Ciphertext& a) const { return bgv::square(a); }

Ciphertext Context::sum_products(std::span<const rlwe::Member> a, std::span<const rlwe::Member> b,
                                 std::size_t group) const {
  const Ciphertext& head = *a[0].array;
  const Phase x = phase_of(a), y = phase_of(b);
  if (x.level != y.level || best_level(parameters(), head.plain(), x, y) != x.level) {
    return rlwe::Context::sum_products(a, b, group);
  }
  PolyArray out = head.like(a.size() / group, 3);
  engine()->sum_products(out.view(), rlwe::views_of(a), rlwe::views_of(b), group);
  NoiseBound noise = parameters().noise().tidy(product_noise(parameters(), x.noise, y.noise));
  if (group > 1) noise = NoiseCalculus::times(noise, static_cast<double>(group));
  const Modulus<std::uint64_t> t(head.plain_modulus().value);
  return head.derived(std::move(out), noise, t.multiply(x.correction, y.correction));
}

Ciphertext Context::multiply_relinearized(const Ciphertext& a, const Ciphertext& b,
                                          const rlwe::EvaluationKeys& keys) const {
  return bgv::multiply_relinearized(a, b, keys);
}

Ciphertext Context::square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys) const {
  return bgv::square_relinearized(a, keys);
}

Ciphertext Context::switch_to_level(const Ciphertext& a, rlwe::Level level) const {
  return bgv::switch_to_level(a, level);
}

Ciphertext Context::relinearize_to_level(const Ciphertext& a, const rlwe::EvaluationKeys& keys,
                                         rlwe::Level level) const {
  const bool at_once = a.parts() == 3 && level.primes > 0 && level < a.level() && special_limbs() > 0 &&
                       error_multiples(a.plain()).factor() == 1;
  if (!at_once) return rlwe::Context::relinearize_to_level(a, keys, level);
  rlwe::require_same_context("relinearize", *a.context(), *this);
  const ConstView key = rlwe::relinearization_key(a, keys);
  PolyArray result = make(level_ring(level), a.batch(), 2, Domain::transform);
  const Operand operands[] = {result.view(), a.polynomials().view(), key};
  relinearization_to_level(*this, a.plain(), a.level(), level)->run(operands);
  // One rounding less than by the two steps, whose bound therefore holds.
  Phase phase = phase_of(a);
  phase.parts = 2;
  phase.noise = parameters().noise().sum(a.noise(), key_switch(a.level(), a.plain()).relinearization_noise());
  return a.derived(std::move(result), noise_at(parameters(), a.plain(), phase, level), correction_at(a, level));
}

Ciphertext Context::concatenate(std::span<const Ciphertext* const> arrays) const {
  if (arrays.empty()) throw ArgumentError("concatenate: no ciphertexts were given");
  const Ciphertext& head = *arrays[0];
  Level level = head.level();
  for (const Ciphertext* const a : arrays) {
    rlwe::require_same_context("concatenate", *a->context(), *head.context());
    level = std::min(level, a->level());
  }
  std::vector<Ciphertext> members;
  for (const Ciphertext* const a : arrays) {
    Ciphertext member = lowered(*a, level);
    if (!members.empty() && member.correction() != members[0].correction() && a->plain() == head.plain()) {
      const auto [factor, common] =
          balanced_factors(member.correction(), members[0].correction(), member.plain_modulus());
      member = rescaled(member, factor);
      for (Ciphertext& earlier : members) earlier = rescaled(earlier, common);
    }
    members.push_back(std::move(member));
  }
  std::vector<const Ciphertext*> pointers;
  for (const Ciphertext& member : members) pointers.push_back(&member);
  return rlwe::concatenate(pointers);
}

Ciphertext Context::rerandomize_from(const Ciphertext& a, const rlwe::PublicKey& key, Seed&& seed) const {
  Seed master = std::move(seed);
  rlwe::require_same_context("rerandomize", *a.context(), *key.context());
  // The phase of an encryption of zero is a multiple of t, whatever the correction factor is taken to be.
  const Ciphertext fresh =
      rlwe::deterministic::encrypt_zero(key, a.plain(), a.batch(), std::move(master), rlwe::Purpose::rerandomization);
  const Ciphertext zero = bgv::switch_to_level(fresh, a.level());
  return rlwe::add(a, zero.derived(zero.polynomials(), zero.noise(), a.correction()));
}

}  // namespace cyclotome::bgv
