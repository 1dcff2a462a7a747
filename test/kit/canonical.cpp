// SPDX-License-Identifier: Apache-2.0
#include "canonical.hpp"

#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/sampling.hpp"
#include "cyclotome/rlwe/encryption_program.hpp"
#include "cyclotome/rlwe/key_switch_program.hpp"
#include "cyclotome/rlwe/plain_product_program.hpp"
#include "cyclotome/scheme/bfv/decryption_program.hpp"
#include "cyclotome/scheme/bfv/product_program.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/programs.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
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

void add_common(std::vector<NamedProgram>& all, const rlwe::Context& c, const BaseConversion& scale) {
  const std::size_t top = c.max_level();
  all.push_back({"relinearize", rlwe::relinearization(c, top, 0)->program_pointer()});
  all.push_back({"rotate", rlwe::galois_turn(c, top, 0, 3)->program_pointer()});
  all.push_back({"hoisted digits", rlwe::hoisted_digits(c, top, 0)->program_pointer()});
  all.push_back({"hoisted turn", rlwe::hoisted_turn(c, top, 0, 5)->program_pointer()});
  all.push_back({"encrypt", rlwe::public_encryption(c, 0, &scale)->program_pointer()});
  all.push_back({"encrypt zero", rlwe::public_encryption(c, 0, nullptr)->program_pointer()});
  all.push_back({"encrypt under the secret key", rlwe::symmetric_encryption(c, 0, &scale)->program_pointer()});
  all.push_back({"encrypt zero under the secret key", rlwe::symmetric_encryption(c, 0, nullptr)->program_pointer()});
  all.push_back({"phase", rlwe::phase_of(c, top, 2)->program_pointer()});
  all.push_back({"phase of 3 parts", rlwe::phase_of(c, top, 3)->program_pointer()});
  all.push_back({"multiply by a plaintext", rlwe::plain_product_program(c, top, 0, 2, false, false)});
  all.push_back({"multiply by one plaintext", rlwe::plain_product_program(c, top, 0, 3, false, true)});
  all.push_back({"multiply one by plaintexts", rlwe::plain_product_program(c, top, 0, 2, true, false)});
}

void add_bfv(std::vector<NamedProgram>& all, const bfv::Context& c) {
  using bfv::ProductMethod;
  const std::size_t top = c.max_level();
  const auto product = [&](const char* name, const bfv::ProductShape& shape) {
    all.push_back({name, bfv::product_program(c, shape)});
  };
  const auto hps = ProductMethod::hps_over_q, leveled = ProductMethod::hps_over_q_leveled;
  product("multiply and relinearize", {0, leveled, top, false, false, false, true});
  product("multiply", {0, hps, top, false, false, false, false});
  product("square", {0, hps, top, true, false, false, false});
  product("square and relinearize", {0, leveled, top, true, false, false, true});
  product("multiply by one", {0, leveled, top, false, false, true, true});
  product("multiply one", {0, leveled, top, false, true, false, true});
  product("multiply by BEHZ", {0, ProductMethod::behz, top, false, false, false, true});
  product("square by BEHZ", {0, ProductMethod::behz, top, true, false, false, false});
  if (top > 1) {
    product("multiply in fewer primes", {0, leveled, top - 1, false, false, false, true});
    product("multiply by one in fewer primes", {0, leveled, top - 1, false, false, true, true});
    product("square in fewer primes", {0, leveled, top - 1, true, false, false, false});
  }
  all.push_back({"decrypt", bfv::decryption(c, 0, 2)->program_pointer()});
  all.push_back({"decrypt 3 parts", bfv::decryption(c, 0, 3)->program_pointer()});
  all.push_back({"round", bfv::rounding(c, 0)->program_pointer()});
}

void add_bgv(std::vector<NamedProgram>& all, const bgv::Context& c) {
  const std::size_t top = c.max_level();
  const auto product = [&](const char* name, const bgv::ProductShape& shape) {
    all.push_back({name, bgv::product(c, shape)->program_pointer()});
  };
  product("multiply and relinearize", {0, top, top, top, false, false, false, true});
  product("multiply", {0, top, top, top, false, false, false, false});
  product("square", {0, top, top, top, true, false, false, true});
  product("multiply by one", {0, top, top, top, false, false, true, true});
  all.push_back({"decrypt", bgv::decryption(c, 0, top, 2, 3)->program_pointer()});
  all.push_back({"reduce", bgv::reduction(c, 0, top, 3)->program_pointer()});
  if (top < 2) return;
  product("multiply at a lower level", {0, top - 1, top, top - 1, false, false, false, true});
  product("multiply one at a lower level", {0, top - 1, top, top, false, true, false, true});
  all.push_back({"switch modulus", bgv::level_switch(c, 0, 2, top, top - 1)->program_pointer()});
  all.push_back({"switch to the lowest level", bgv::level_switch(c, 0, 3, top, 1)->program_pointer()});
  all.push_back({"decrypt at a lower level", bgv::decryption(c, 0, top - 1, 3, 3)->program_pointer()});
  all.push_back({"decrypt at the lowest level", bgv::decryption(c, 0, 1, 2, 3)->program_pointer()});
  all.push_back({"rotate at a lower level", rlwe::galois_turn(c, top - 1, 0, 3)->program_pointer()});
}

}  // namespace

std::vector<NamedProgram> canonical_programs(const rlwe::ContextPtr& context) {
  std::vector<NamedProgram> all;
  const BaseConversion scale(context->plain_ring(0)->basis(), context->ciphertext_ring()->basis(), Lift::centred, {2});
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
