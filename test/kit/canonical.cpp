// SPDX-License-Identifier: Apache-2.0
#include "canonical.hpp"

#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/randomness/sampling.hpp"
#include "cyclotome/rlwe/keys/encryption_program.hpp"
#include "cyclotome/rlwe/plain_product_program.hpp"
#include "cyclotome/rlwe/switching/key_switch_program.hpp"
#include "cyclotome/rlwe/switching/level_switch_program.hpp"
#include "cyclotome/rlwe/switching/linear_transform_program.hpp"
#include "cyclotome/scheme/bfv/decryption_program.hpp"
#include "cyclotome/scheme/bfv/product_program.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/programs.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/plain_sum_program.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "definition_engine.hpp"

namespace cyclotome::kit {

namespace {

/// The smallest primes that errors are residues of, and that have transforms.
std::vector<std::uint64_t> smallest_primes(std::size_t degree, std::size_t count) {
  std::vector<std::uint64_t> primes;
  for (std::uint64_t prime = 2 * degree + 1; primes.size() < count; prime += 2 * degree) {
    if (prime > error_bound && is_prime(prime)) primes.push_back(prime);
  }
  return primes;
}

/// The program that was made ready, for as long as it is looked at.
program::ProgramPtr program_of(const ExecutionPtr& execution) { return {execution, &execution->program()}; }

void add_common(std::vector<NamedProgram>& all, const rlwe::Context& c, const BaseConversion& scale) {
  const rlwe::Level top = c.max_level();
  const rlwe::PlainIndex first(0);
  all.push_back({"relinearize", program_of(rlwe::relinearization(c, {first, top, top, top}))});
  all.push_back({"rotate", program_of(rlwe::galois_turn(c, {first, top, top, top}, 3))});
  all.push_back({"hoisted digits", program_of(rlwe::hoisted_digits(c, top, first))});
  all.push_back({"hoisted turn", program_of(rlwe::hoisted_turn(c, top, first, 5))});
  all.push_back({"extended turn", program_of(rlwe::extended_turn(c, top, first, 5))});
  all.push_back({"extended hoisted turn", program_of(rlwe::extended_hoisted_turn(c, top, first, 5))});
  all.push_back({"extended weighted sums", program_of(rlwe::extended_weighted_sums(c, top, c.key_ring(), 3, 2))});
  all.push_back({"encrypt", program_of(rlwe::public_encryption(c, first, &scale))});
  all.push_back({"encrypt zero", program_of(rlwe::public_encryption(c, first, nullptr))});
  all.push_back({"encrypt under the secret key", program_of(rlwe::symmetric_encryption(c, first, &scale))});
  all.push_back({"encrypt zero under the secret key", program_of(rlwe::symmetric_encryption(c, first, nullptr))});
  const Domain native = c.native_domain();
  all.push_back({"phase", program_of(rlwe::phase_of(c, top, 2, native))});
  all.push_back({"phase of 3 parts", program_of(rlwe::phase_of(c, top, 3, native))});
  const auto plain_product = [&](const char* name, const rlwe::PlainProductShape& shape) {
    all.push_back({name, rlwe::plain_product_program(c, first, shape)});
  };
  plain_product("multiply by a plaintext", {top, 2, native, false, false});
  plain_product("multiply by one plaintext", {top, 3, native, false, true});
  plain_product("multiply one by plaintexts", {top, 2, native, true, false});
  all.push_back({"multiply by a prepared plaintext", rlwe::prepared_product_program(c, {top, 2, native, false, true})});
  using scheme::PlainSum;
  const auto plain_sum = [&](const char* name, const scheme::PlainSumShape& shape) {
    all.push_back({name, scheme::plain_sum_program(c, shape, scale)});
  };
  plain_sum("add a plaintext", {PlainSum::added, top, first, 2, native, false, false});
  plain_sum("add plaintexts to one", {PlainSum::added, top, first, 2, native, true, false});
  plain_sum("subtract one plaintext", {PlainSum::subtracted, top, first, 3, native, false, true});
  if (native == Domain::transform) return;
  constexpr Domain moved = Domain::transform;
  all.push_back({"phase of transforms", program_of(rlwe::phase_of(c, top, 2, moved))});
  plain_product("multiply transforms by a plaintext", {top, 2, moved, false, false});
  all.push_back(
      {"multiply transforms by a prepared plaintext", rlwe::prepared_product_program(c, {top, 2, moved, false, true})});
  plain_sum("add a plaintext to transforms", {PlainSum::added, top, first, 2, moved, false, false});
}

void add_bfv(std::vector<NamedProgram>& all, const bfv::Context& c) {
  using bfv::ProductMethod;
  const rlwe::Level top = c.max_level();
  const rlwe::PlainIndex first(0);
  const auto product = [&](const char* name, const bfv::ProductShape& shape) {
    all.push_back({name, bfv::product_program(c, shape)});
  };
  const auto hps = ProductMethod::hps_over_q, leveled = ProductMethod::hps_over_q_leveled;
  product("multiply and relinearize", {first, leveled, top, false, false, false, true});
  product("multiply", {first, hps, top, false, false, false, false});
  product("square", {first, hps, top, true, false, false, false});
  product("square and relinearize", {first, leveled, top, true, false, false, true});
  product("multiply by one", {first, leveled, top, false, false, true, true});
  product("multiply one", {first, leveled, top, false, true, false, true});
  product("multiply by BEHZ", {first, ProductMethod::behz, top, false, false, false, true});
  product("square by BEHZ", {first, ProductMethod::behz, top, true, false, false, false});
  if (top > rlwe::Level(1)) {
    const rlwe::Level lower(top.primes - 1);
    product("multiply in fewer primes", {first, leveled, lower, false, false, false, true});
    product("multiply by one in fewer primes", {first, leveled, lower, false, false, true, true});
    product("square in fewer primes", {first, leveled, lower, true, false, false, false});
    const rlwe::Level low(1);
    product("all in fewer primes", {first, leveled, lower, false, false, false, true, top, lower, lower});
    product("multiply in the fewest primes", {first, leveled, lower, false, true, false, true, lower, lower, low});
    product("square what was raised", {first, leveled, lower, true, false, false, true, low, low, lower});
    product("square, relinearize higher", {first, leveled, low, true, false, false, true, low, low, lower});
    product("multiply below the top", {first, leveled, lower, false, false, false, true, lower, lower, lower, lower});
    product("multiply below the top in fewer primes",
            {first, leveled, low, false, true, false, true, lower, low, low, lower});
    product("square below the top", {first, hps, lower, true, false, false, false, lower, lower, lower, lower});
    for (const rlwe::Level of : {top, lower}) {
      for (const auto factor : {bfv::Factor::first, bfv::Factor::second}) {
        all.push_back({"lift for sums of products", bfv::lift_program(c, first, of, of, lower, factor)});
      }
      all.push_back({"round a sum of products", bfv::rounding_program(c, first, of, lower)});
    }
    for (const rlwe::Level from : {top, lower, low}) {
      for (const rlwe::Level at : {lower, low}) {
        all.push_back({"relinearize in fewer primes", program_of(rlwe::relinearization(c, {first, top, from, at}))});
        all.push_back({"rotate in fewer primes", program_of(rlwe::galois_turn(c, {first, top, from, at}, 3))});
        all.push_back({"lower", program_of(rlwe::lowering(c, top, from, at, 2))});
      }
    }
    all.push_back({"raise", program_of(rlwe::raising(c, low, top, 3))});
  }
  all.push_back({"decrypt", program_of(bfv::decryption(c, c.max_level(), first, 2, Domain::coefficient))});
  all.push_back({"decrypt 3 parts", program_of(bfv::decryption(c, c.max_level(), first, 3, Domain::coefficient))});
  all.push_back({"decrypt transforms", program_of(bfv::decryption(c, c.max_level(), first, 2, Domain::transform))});
  all.push_back({"round", program_of(bfv::rounding(c, c.max_level(), first))});
}

void add_bgv(std::vector<NamedProgram>& all, const bgv::Context& c) {
  const rlwe::Level top = c.max_level();
  const rlwe::PlainIndex first(0);
  const auto product = [&](const char* name, const bgv::ProductShape& shape) {
    all.push_back({name, program_of(bgv::product(c, shape))});
  };
  product("multiply and relinearize", {first, top, top, top, false, false, false, true});
  product("multiply", {first, top, top, top, false, false, false, false});
  product("square", {first, top, top, top, true, false, false, true});
  product("multiply by one", {first, top, top, top, false, false, true, true});
  all.push_back({"decrypt", program_of(bgv::decryption(c, first, top, 2, 3))});
  all.push_back({"reduce", program_of(bgv::reduction(c, first, top, 3))});
  if (top == rlwe::Level(1)) return;
  const rlwe::Level lower(top.primes - 1);
  if (c.special_limbs() > 0) {
    all.push_back({"relinearize to a level", program_of(bgv::relinearization_to_level(c, first, top, lower))});
  }
  product("multiply at a lower level", {first, lower, top, lower, false, false, false, true});
  product("multiply one at a lower level", {first, lower, top, top, false, true, false, true});
  all.push_back({"switch modulus", program_of(bgv::level_switch(c, first, 2, top, lower))});
  all.push_back({"switch to the lowest level", program_of(bgv::level_switch(c, first, 3, top, rlwe::Level(1)))});
  all.push_back({"decrypt at a lower level", program_of(bgv::decryption(c, first, lower, 3, 3))});
  all.push_back({"decrypt at the lowest level", program_of(bgv::decryption(c, first, rlwe::Level(1), 2, 3))});
  all.push_back({"rotate at a lower level", program_of(rlwe::galois_turn(c, {first, lower, lower, lower}, 3))});
}

}  // namespace

std::vector<NamedProgram> canonical_programs(const rlwe::ContextPtr& context) {
  std::vector<NamedProgram> all;
  const BaseConversion scale(context->plain_ring(rlwe::PlainIndex(0))->basis(), context->ciphertext_ring()->basis(),
                             Lift::centred, {2});
  add_common(all, *context, scale);
  if (&context->scheme() == &bfv::scheme()) add_bfv(all, bfv::bfv_context(context));
  if (&context->scheme() == &bgv::scheme()) add_bgv(all, bgv::bgv_context(context));
  return all;
}

std::vector<NamedContext> small_contexts(std::size_t degree) {
  std::vector<NamedContext> all;
  for (const rlwe::Scheme* const scheme : {&bfv::scheme(), &bgv::scheme()}) {
    const auto add = [&](const char* name, Word word, std::size_t primes, std::size_t special, std::size_t digits,
                         std::vector<std::uint64_t> plain_moduli, bool tiny = false) {
      rlwe::ParametersLiteral p;
      p.scheme = scheme;
      p.degree = degree;
      p.word = word;
      p.plain_moduli = std::move(plain_moduli);
      p.moduli = tiny ? smallest_primes(degree, primes + special)
                      : primes_congruent_to_one(word == Word::u32 ? 29 : 50, 2 * degree, primes + special);
      p.special_moduli.assign(p.moduli.end() - static_cast<std::ptrdiff_t>(special), p.moduli.end());
      p.moduli.resize(primes);
      p.digits = digits;
      p.security = 0;  // small and fast: what is computed is looked at, not what it hides
      p.allow_insecure = true;
      const std::string kind = scheme == &bfv::scheme() ? "bfv " : "bgv ";
      all.push_back({kind + name, scheme::make_context(rlwe::Parameters(p), DefinitionEngine::create())});
    };
    add("3+1", Word::u64, 3, 1, 3, {65537});
    add("4+2 in 2 digits", Word::u64, 4, 2, 2, {65537});
    add("2+0", Word::u64, 2, 0, 2, {65537});
    add("2+0, two moduli", Word::u64, 2, 0, 2, {65537, 114689});
    add("3+1, two moduli", Word::u64, 3, 1, 3, {65537, 114689});
    add("1+1", Word::u64, 1, 1, 1, {257});
    add("4+1 in 32 bits", Word::u32, 4, 1, 4, {65537});
    add("3+1 tiny", Word::u64, 3, 1, 3, {3}, true);
  }
  return all;
}

}  // namespace cyclotome::kit
