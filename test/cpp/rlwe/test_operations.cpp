// SPDX-License-Identifier: Apache-2.0
// Operations as programs: what they touch is theirs, and the same each time, so that an engine may repeat it; products
// that are relinearised at once are the same residues as in two steps.
#include "auditing_engine.hpp"
#include "check.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/keys/encryption.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/context.hpp"
#include "cyclotome/scheme/bgv/operations.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "party.hpp"

using namespace cyclotome;
using check::AuditingEngine;
using check::Party;
using check::seed;
using rlwe::Ciphertext;

namespace {

rlwe::ParametersLiteral literal(const rlwe::Scheme* kind, Word word, std::size_t special_primes) {
  auto p = check::literal(word, special_primes);
  p.scheme = kind;
  p.plain_moduli = {check::plain_modulus, 786433};
  return p;
}

bool same(const Ciphertext& a, const Ciphertext& b) {
  return a.polynomials().ring() == b.polynomials().ring() && a.parts() == b.parts() &&
         a.polynomials().domain() == b.polynomials().domain() && a.correction() == b.correction() &&
         a.noise() == b.noise() && a.polynomials().to_host() == b.polynomials().to_host();
}

/// Every operation that is a program, on arrays of `batch` and of 1.
void run_all(const Party& party, std::size_t which, std::size_t batch, std::uint8_t start) {
  const Ciphertext a = party.encrypted(which, batch, start),
                   b = party.encrypted(which, 1, static_cast<std::uint8_t>(start + 1));
  scheme::deterministic::encrypt(party.plain(which, batch, start), party.secret, seed(start));
  rlwe::deterministic::encrypt_zero(party.key, rlwe::PlainIndex(which), batch, seed(start));
  rlwe::deterministic::encrypt_zero(party.secret, rlwe::PlainIndex(which), batch, seed(start));
  const Ciphertext product = scheme::multiply(a, b);
  scheme::multiply(a, a);
  scheme::multiply(b, a);
  scheme::square(a);
  const Ciphertext noisy = scheme::multiply_relinearized(a, b, party.evaluation);
  scheme::multiply(noisy, noisy);  // BFV's levelled product works in fewer primes
  scheme::multiply_relinearized(a, a, party.evaluation);
  scheme::square_relinearized(a, party.evaluation);
  rlwe::relinearize(product, party.evaluation);
  rlwe::apply_galois(a, 3, party.evaluation);
  rlwe::apply_galois(a, 9, party.evaluation);
  scheme::decrypt_unchecked(a, party.secret);
  scheme::decrypt_unchecked(product, party.secret);
  if (&party.context->parameters().scheme() != &bgv::scheme()) {
    for (const auto method : {bfv::ProductMethod::behz, bfv::ProductMethod::hps_over_q}) {
      bfv::multiply(a, b, method);
      bfv::square(a, method);
      bfv::multiply_relinearized(a, b, party.evaluation, method);
      bfv::square_relinearized(a, party.evaluation, method);
    }
    return;
  }
  const Ciphertext low = scheme::switch_to_level(a, rlwe::Level(2));
  scheme::switch_to_level(product, rlwe::Level(1));
  bgv::switch_modulus(a);
  scheme::decrypt_unchecked(low, party.secret);  // its correction factor is another one
  scheme::multiply(a, low);
  bgv::multiply(low, b, false);
  bgv::multiply_relinearized(a, low, party.evaluation, false);
  bgv::square_relinearized(low, party.evaluation, false);
  // The same level, and another correction factor yet.
  const auto lower = rlwe::relinearize(bgv::multiply(low, low, false), party.evaluation);
  scheme::decrypt_unchecked(lower, party.secret);
}

TEST(work_is_the_same_whenever_the_operation_is) {
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    const auto engine = std::make_shared<AuditingEngine>();
    for (const std::size_t special_primes : {0, 1, 2}) {
      const rlwe::Parameters parameters(literal(kind, Word::u32, special_primes));
      const auto context = scheme::make_context(parameters, engine), other = scheme::make_context(parameters, engine);
      for (const int round : {0, 1, 2}) {
        // Keys of each round lie elsewhere, and so do arrays; two contexts of one shape take turns.
        const Party party(round == 1 ? other : context, static_cast<std::uint8_t>(10 * round + 1));
        for (const std::size_t which : {0, 1}) {
          for (const std::size_t batch : {1, 3}) run_all(party, which, batch, static_cast<std::uint8_t>(50 + round));
        }
        engine->keep_memory();
      }
    }
    for (const auto& offence : engine->offences()) std::cout << "  " << offence << '\n';
    CHECK(engine->offences().empty());
    const bool bgv = kind == &bgv::scheme();
    for (const char* const name :
         {"encrypt", "encrypt under the secret key", "relinearize", "apply_galois", bgv ? "bgv.decrypt" : "bfv.decrypt",
          bgv ? "bgv.multiply" : "bfv.multiply", bgv ? "bgv.multiply_relinearized" : "bfv.multiply_relinearized",
          bgv ? "bgv.switch_modulus" : "bfv.multiply"}) {
      CHECK(engine->repeated().contains(name));
    }
  }
}

TEST(relinearising_at_once_is_the_same_as_after_the_product) {
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    for (const Word word : {Word::u32, Word::u64}) {
      for (const std::size_t special_primes : {0, 1}) {
        const rlwe::Parameters parameters(literal(kind, word, special_primes));
        const Party party(scheme::make_context(parameters, CpuEngine::create(2)), 1);
        const auto& keys = party.evaluation;
        const Ciphertext a = party.encrypted(0, 3, 20), b = party.encrypted(0, 1, 30);
        CHECK(same(scheme::multiply_relinearized(a, b, keys), rlwe::relinearize(scheme::multiply(a, b), keys)));
        CHECK(same(scheme::multiply_relinearized(b, a, keys), rlwe::relinearize(scheme::multiply(b, a), keys)));
        CHECK(same(scheme::multiply_relinearized(a, a, keys), rlwe::relinearize(scheme::multiply(a, a), keys)));
        CHECK(same(scheme::square_relinearized(a, keys), rlwe::relinearize(scheme::square(a), keys)));
        const auto values =
            decode_residues(scheme::decrypt(scheme::square_relinearized(b, keys), party.secret), Encoding::Kind::slots);
        const auto plain = decode_residues(party.plain(0, 1, 30), Encoding::Kind::slots);
        bool right = values.size() == plain.size();
        for (std::size_t i = 0; right && i < plain.size(); ++i)
          right = values[i] == check::centred(plain[i] * plain[i]);
        CHECK(right);
        if (kind == &bgv::scheme()) {
          const Ciphertext low = scheme::switch_to_level(a, rlwe::Level(a.limbs() - 1));
          for (const bool automatic : {false, true}) {
            CHECK(same(bgv::multiply_relinearized(low, b, keys, automatic),
                       rlwe::relinearize(bgv::multiply(low, b, automatic), keys)));
          }
        } else {
          for (const auto method : {bfv::ProductMethod::behz, bfv::ProductMethod::hps_over_q}) {
            CHECK(same(bfv::multiply_relinearized(a, b, keys, method),
                       rlwe::relinearize(bfv::multiply(a, b, method), keys)));
            CHECK(same(bfv::square_relinearized(a, keys, method), rlwe::relinearize(bfv::square(a, method), keys)));
          }
        }
      }
    }
  }
}

TEST(relinearising_at_once_refuses_what_does_not_fit) {
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    const rlwe::Parameters parameters(literal(kind, Word::u32, 1));
    const auto context = scheme::make_context(parameters, CpuEngine::create(1));
    const Party party(context, 1), stranger(context, 11);
    const auto without = rlwe::deterministic::generate_evaluation_keys(party.secret, false, {3}, seed(5));
    const Ciphertext a = party.encrypted(0, 1, 20), product = scheme::multiply(a, a);
    CHECK_THROWS(MissingKeyError, scheme::multiply_relinearized(a, a, without));
    CHECK_THROWS(MissingKeyError, scheme::square_relinearized(a, without));
    CHECK_THROWS(MismatchError, scheme::multiply_relinearized(a, a, stranger.evaluation));
    CHECK_THROWS(MismatchError, scheme::multiply_relinearized(a, stranger.encrypted(0, 1, 20), party.evaluation));
    CHECK_THROWS(MismatchError, scheme::multiply_relinearized(a, party.encrypted(1, 1, 20), party.evaluation));
    CHECK_THROWS(ArgumentError, scheme::multiply_relinearized(product, a, party.evaluation));
    CHECK_THROWS(ArgumentError, scheme::square_relinearized(product, party.evaluation));
    CHECK_THROWS(MismatchError, scheme::decrypt(a, stranger.secret));
  }
}

}  // namespace

int main() { return check::run(); }
