// SPDX-License-Identifier: Apache-2.0
// No branch and no index depends on a secret: seeds, secret keys, errors and messages are declared undefined to
// valgrind, which then reports every jump and address that they reach. Run by CTest under valgrind where there is one
// ("secret_poisoning"); run by itself it only checks the results. What is public (public keys, ciphertexts, key ids) is
// declared defined again as it is made.
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_UNDEFINED(address, bytes) static_cast<void>(address)
#define VALGRIND_MAKE_MEM_DEFINED(address, bytes) static_cast<void>(address)
#endif

using namespace cyclotome;

namespace {

void declare_secret(const void* data, std::size_t bytes) { VALGRIND_MAKE_MEM_UNDEFINED(data, bytes); }
void declare_public(const void* data, std::size_t bytes) { VALGRIND_MAKE_MEM_DEFINED(data, bytes); }

void declare_public(const PolyArray& polynomials) { declare_public(polynomials.view().data, polynomials.bytes()); }
void declare_secret(const PolyArray& polynomials) { declare_secret(polynomials.view().data, polynomials.bytes()); }

Seed secret_seed() {
  std::array<std::uint8_t, 32> bytes = Seed::from_system().bytes();
  declare_secret(bytes.data(), bytes.size());
  return Seed(bytes);
}

rlwe::Parameters parameters(rlwe::SchemeKind scheme, Word word) {
  constexpr std::size_t degree = 1024;
  const auto primes = primes_congruent_to_one(word == Word::u32 ? 30 : 50, 2 * degree, 4);
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

/// Everything that touches secrets, once. Returns whether both decryptions gave the message.
bool exercise(rlwe::SchemeKind scheme, Word word) {
  const EnginePtr engine = CpuEngine::create(1);
  const rlwe::ContextPtr context = scheme::make_context(parameters(scheme, word), engine);
  const std::size_t n = context->degree();

  const rlwe::SecretKey secret = rlwe::SecretKey::generate(context, secret_seed());
  declare_public(&secret.id(), sizeof(rlwe::KeyId));
  const rlwe::PublicKey key = rlwe::PublicKey::generate(secret, secret_seed());
  declare_public(key.polynomials());
  declare_public(&key.uniform_seed(), sizeof(Seed));
  const rlwe::EvaluationKeys evaluation = rlwe::EvaluationKeys::generate(secret, true, {3}, secret_seed());
  declare_public(evaluation.relinearization().polynomials());
  declare_public(evaluation.galois(3).polynomials());

  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int64_t>(i % 201) - 100;
  const rlwe::Plaintext message = encode_residues(context, 0, Encoding::Kind::slots, values, 1, n);
  declare_secret(message.polynomials());

  bool equal = true;
  const auto check = [&](const rlwe::Ciphertext& ciphertext) {
    declare_public(ciphertext.polynomials());
    const rlwe::Ciphertext turned = rlwe::apply_galois(ciphertext, 3, evaluation);
    const rlwe::Plaintext opened = scheme::decrypt(ciphertext, secret);
    std::vector<std::int64_t> decoded = decode_residues(opened, Encoding::Kind::slots);
    declare_public(decoded.data(), decoded.size() * sizeof(decoded[0]));
    equal = equal && decoded == values;
    const rlwe::Plaintext revealed = scheme::reveal(ciphertext, secret, 8, secret_seed());
    std::vector<std::int64_t> shown = decode_residues(revealed, Encoding::Kind::slots);
    declare_public(shown.data(), shown.size() * sizeof(shown[0]));
    equal = equal && shown == values;
    // The same after a product, whose phase has three parts.
    const rlwe::Plaintext product = scheme::decrypt(scheme::multiply(turned, ciphertext), secret);
    declare_public(product.polynomials());
  };
  check(scheme::encrypt(message, key, secret_seed()));
  check(scheme::encrypt(message, secret, secret_seed()));

  std::vector<std::int8_t> coefficients = secret.coefficients();
  declare_public(coefficients.data(), coefficients.size());
  for (const auto c : coefficients) equal = equal && c >= -1 && c <= 1;
  return equal;
}

}  // namespace

TEST(no_branch_or_index_depends_on_a_secret) {
  for (const auto scheme : {rlwe::SchemeKind::bfv, rlwe::SchemeKind::bgv}) {
    for (const Word word : {Word::u32, Word::u64}) CHECK(exercise(scheme, word));
  }
}

int main() { return cyclotome::check::run(); }
