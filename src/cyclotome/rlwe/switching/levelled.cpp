// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/switching/levelled.hpp"

#include <algorithm>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"
#include "cyclotome/rlwe/switching/key_switch_program.hpp"
#include "cyclotome/rlwe/switching/level_switch_program.hpp"

namespace cyclotome::rlwe {

Level rotation_level(const Ciphertext& a) {
  return key_switch_level(a.context()->parameters(), a.noise(), a.level(), 2,
                          a.context()->key_switch(a.level(), a.plain()).noise());
}

PolyArray at_level(const Ciphertext& a, Level at) {
  if (at == a.level()) return a.polynomials();
  PolyArray low = a.context()->make(a.context()->level_ring(at), a.batch(), a.parts());
  const Operand operands[] = {low.view(), a.polynomials().view()};
  lowering(*a.context(), a.level(), a.raised_from(), at, a.parts())->run(operands);
  return low;
}

PolyArray from_level(const Ciphertext& like, PolyArray low) {
  const Level at(low.limbs());
  if (at == like.level()) return low;
  PolyArray result = like.like(low.batch(), low.parts());
  const Operand operands[] = {result.view(), std::as_const(low).view()};
  raising(*like.context(), at, like.level(), low.parts())->run(operands);
  return result;
}

Level relinearization_level(const Ciphertext& a) {
  return Relinearization(*a.context(), a.plain(), a.level(), a.noise()).at;
}

NoiseBound relinearized_noise(const Ciphertext& a, Level at) {
  const NoiseBound added = a.context()->key_switch(at, a.plain()).relinearization_noise();
  return key_switched_noise(a.context()->parameters(), a.noise(), a.level(), at, 3, added);
}

Ciphertext relinearize_in(const Ciphertext& given, const EvaluationKeys& keys, Level at) {
  if (given.parts() != 3) throw ArgumentError(message("relinearize takes ciphertexts of 3 parts, not ", given.parts()));
  require_same_context("relinearize", *given.context(), *keys.context());
  require_same_key("relinearize", given.key(), keys.id());
  const ConstView key = keys.relinearization().polynomials().view();
  const Ciphertext a = native(given);
  PolyArray result = a.like(a.batch(), 2);
  const Operand operands[] = {result.view(), a.polynomials().view(), key};
  relinearization(*a.context(), {a.plain(), a.level(), a.raised_from(), at})->run(operands);
  return a.derived(std::move(result), relinearized_noise(a, at), at);
}

namespace {

/// Whether all residues of some items of one part modulo one prime are zero, or the first ones of them.
template <class W>
bool is_zero(const PolyArray& c, std::size_t part, std::size_t limb, std::size_t items, std::size_t residues) {
  const ConstView view = std::as_const(c).view();
  std::vector<W> words(residues);
  for (std::size_t item = 0; item < items; ++item) {
    c.engine()->download_runs(words.data(), view.limb<W>(item, part, limb), residues * sizeof(W), 0, 1);
    if (std::ranges::any_of(words, [](W word) { return word != 0; })) return false;
  }
  return true;
}

template <class W>
bool is_zero(const PolyArray& c, std::size_t limb) {
  const std::size_t few = std::min<std::size_t>(c.degree(), 8);  // decide for every other ciphertext
  for (std::size_t part = 0; part < c.parts(); ++part) {
    if (!is_zero<W>(c, part, limb, 1, few)) return false;
  }
  for (std::size_t part = 0; part < c.parts(); ++part) {
    if (!is_zero<W>(c, part, limb, c.batch(), c.degree())) return false;
  }
  return true;
}

}  // namespace

Ciphertext with_raised_from(Ciphertext a) {
  if (!a.context()->scheme().raises_levels() || a.uniform_seed()) return a;
  const PolyArray& c = a.polynomials();
  const Level from = with_word(c.word(), [&]<class W>(W) {
    std::size_t limbs = c.limbs();
    while (limbs > 1 && is_zero<W>(c, limbs - 1)) --limbs;
    return Level(limbs);
  });
  return from == a.level() ? a : a.derived(c, a.noise(), from);
}

}  // namespace cyclotome::rlwe
