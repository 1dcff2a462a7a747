// SPDX-License-Identifier: Apache-2.0
// Whether the time of the schemes' operations depends on secrets (dudect.hpp). All instruction sets of the machine,
// AVX-512 among them, which valgrind does not know.
#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "dudect.hpp"
#include "seed.hpp"

using namespace cyclotome;

namespace {

using dudect::copies;
using dudect::degree;
using dudect::keep;
using dudect::leaks;
using dudect::Operation;

rlwe::Parameters parameters(const rlwe::Scheme* scheme, Word word) {
  const auto primes = primes_congruent_to_one(word == Word::u32 ? 30 : 49, 2 * degree, 3);
  rlwe::ParametersLiteral literal;
  literal.scheme = scheme;
  literal.degree = degree;
  literal.word = word;
  literal.plain_moduli = {12289};
  literal.special_moduli = {primes[0]};
  literal.moduli = {primes.begin() + 1, primes.end()};
  literal.allow_insecure = true;
  return rlwe::Parameters(literal);
}

/// The secrets of both classes, and what belongs to them.
struct Secrets {
  std::vector<std::vector<std::int64_t>> values;
  std::vector<rlwe::Plaintext> messages;
  std::vector<rlwe::SecretKey> keys;
  std::vector<rlwe::PublicKey> public_keys;
  std::vector<rlwe::Ciphertext> ciphertexts;  // of random values, but for class 0 under its key of zeros
};

Secrets secrets_of(const rlwe::ContextPtr& context, std::size_t which) {
  std::mt19937_64 random(std::random_device{}());
  Secrets made;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    std::vector<std::int64_t> values(degree, 0);
    std::vector<std::int8_t> coefficients(degree, 0);
    for (auto& v : values) v = which == 0 ? 0 : static_cast<std::int64_t>(random() % 12289) - 6144;
    for (auto& c : coefficients) c = static_cast<std::int8_t>(which == 0 ? 0 : static_cast<int>(random() % 3) - 1);
    made.messages.push_back(encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, 1, degree));
    made.values.push_back(std::move(values));
    made.keys.push_back(rlwe::SecretKey::from_coefficients(context, coefficients, {}, rlwe::KeyCheck::skipped));
    made.public_keys.push_back(rlwe::PublicKey::generate(made.keys.back()));
    made.ciphertexts.push_back(scheme::encrypt(made.messages.back(), made.keys.back()));
  }
  return made;
}

void check_operations(const rlwe::Scheme* kind, Word word, cpu::InstructionSet set) {
  const rlwe::ContextPtr context = scheme::make_context(parameters(kind, word), CpuEngine::create(1, set));
  const Secrets both[2] = {secrets_of(context, 0), secrets_of(context, 1)};
  const std::string where = message(kind->name(), " ", bits_of(word), " bits ", cpu::name_of(set), ": ");
  const auto seed = [] { return check::seed(1); };  // one for all, so that only secrets differ
  const auto check_one = [&](const char* name, const Operation& operation) { CHECK(!leaks(where + name, operation)); };
  check_one("encode", [&](std::size_t c, std::size_t i) {
    keep(encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, both[c].values[i], 1, degree));
  });
  check_one("decode",
            [&](std::size_t c, std::size_t i) { keep(decode_residues(both[c].messages[i], Encoding::Kind::slots)); });
  check_one("encrypt, public key", [&](std::size_t c, std::size_t i) {
    keep(scheme::deterministic::encrypt(both[c].messages[i], both[0].public_keys[i], seed()));
  });
  check_one("encrypt, secret key", [&](std::size_t c, std::size_t i) {
    keep(scheme::deterministic::encrypt(both[c].messages[i], both[c].keys[i], seed()));
  });
  check_one("public key", [&](std::size_t c, std::size_t i) {
    keep(rlwe::deterministic::generate_public_key(both[c].keys[i], seed()));
  });
  check_one("relinearisation key", [&](std::size_t c, std::size_t i) {
    keep(rlwe::deterministic::generate_evaluation_keys(both[c].keys[i], true, {}, seed()));
  });
  check_one("decrypt", [&](std::size_t c, std::size_t i) {
    keep(scheme::decrypt_unchecked(both[c].ciphertexts[i], both[c].keys[i]));
  });
  check_one("reveal", [&](std::size_t c, std::size_t i) {
    keep(scheme::deterministic::reveal(both[c].ciphertexts[i], both[c].keys[i], 8, seed()));
  });
}

}  // namespace

TEST(a_branch_on_every_value_is_seen) { CHECK(dudect::sees_a_branch()); }

TEST(no_operations_time_depends_on_a_secret) {
  for (const auto set : cpu::instruction_sets()) {
    for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
      for (const Word word : {Word::u32, Word::u64}) check_operations(kind, word, set);
    }
  }
}

int main() { return cyclotome::check::run(); }
