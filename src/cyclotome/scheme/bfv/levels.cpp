// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/levels.hpp"

#include <algorithm>
#include <vector>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/rlwe/switching/level_switch_program.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/noise.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"

namespace cyclotome::bfv {

using rlwe::Ciphertext;
using rlwe::Level;

namespace {

Ciphertext moved(const Ciphertext& a, Level level) {
  if (level == a.level()) return a;
  const Context& context = bfv_context(a.context());
  const Ciphertext x = rlwe::native(a);
  PolyArray result = context.make(context.level_ring(level), a.batch(), a.parts());
  const Operand operands[] = {result.view(), x.polynomials().view()};
  const ExecutionPtr way = level < a.level() ? rlwe::lowering(context, a.level(), a.raised_from(), level, a.parts())
                                             : rlwe::raising(context, a.level(), level, a.parts());
  way->run(operands);
  const NoiseBound noise = noise_at(context.parameters(), a.noise(), a.level(), level, a.parts());
  return a.derived(std::move(result), noise, a.raised_from());
}

}  // namespace

Ciphertext switch_to_level(const Ciphertext& a, Level level) {
  if (level.primes == 0 || level > a.level()) {
    throw ArgumentError(message("switch_to_level: a ciphertext of ", a.limbs(), " primes can't move to ", level,
                                "; levels only fall, to 1 at least"));
  }
  return moved(a, level);
}

Ciphertext lowered(const Ciphertext& a, Level level) { return moved(a, level); }

Ciphertext raised(const Ciphertext& a) { return moved(a, bfv_context(a.context()).max_level()); }

Ciphertext Context::add(const Ciphertext& a, const Ciphertext& b) const {
  if (a.level() == b.level()) return rlwe::add(a, b);
  const Level level = std::min(a.level(), b.level());
  return rlwe::add(moved(a, level), moved(b, level));
}

Ciphertext Context::subtract(const Ciphertext& a, const Ciphertext& b) const {
  if (a.level() == b.level()) return rlwe::subtract(a, b);
  const Level level = std::min(a.level(), b.level());
  return rlwe::subtract(moved(a, level), moved(b, level));
}

Ciphertext Context::concatenate(std::span<const Ciphertext* const> arrays) const {
  if (arrays.empty()) throw ArgumentError("concatenate: no ciphertexts were given");
  Level level = arrays[0]->level();
  for (const Ciphertext* const a : arrays) {
    rlwe::require_same_context("concatenate", *a->context(), *this);
    level = std::min(level, a->level());
  }
  std::vector<Ciphertext> members;
  for (const Ciphertext* const a : arrays) members.push_back(moved(*a, level));
  std::vector<const Ciphertext*> pointers;
  for (const Ciphertext& member : members) pointers.push_back(&member);
  return rlwe::concatenate(pointers);
}

Ciphertext Context::switch_to_level(const Ciphertext& a, Level level) const { return bfv::switch_to_level(a, level); }

Ciphertext Context::rerandomize_from(const Ciphertext& a, const rlwe::PublicKey& key, Seed&& seed) const {
  Seed master = std::move(seed);  // spent by calls that fail, too
  rlwe::require_same_context("rerandomize", *a.context(), *key.context());
  const Ciphertext zero =
      rlwe::deterministic::encrypt_zero(key, a.plain(), a.batch(), std::move(master), rlwe::Purpose::rerandomization);
  return rlwe::add(a, moved(zero, a.level()));
}

}  // namespace cyclotome::bfv
