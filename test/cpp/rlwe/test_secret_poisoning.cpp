// SPDX-License-Identifier: Apache-2.0
// No branch and no index depends on a secret: seeds, secret keys, errors, values and messages are declared undefined to
// valgrind, which then reports every jump and address that they reach. Run by CTest under valgrind where there is one
// ("secret_poisoning"), with every instruction set that valgrind knows, scalar and AVX2; run by itself it only checks
// the results, with all sets of the machine. What is public (public keys, ciphertexts, key ids) is declared defined
// again as it is made. doc/constant-time.md says what this covers.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/retrieval/request.hpp"
#include "cyclotome/rlwe/encapsulation/encapsulation_keys.hpp"
#include "cyclotome/rlwe/joint/dealing/rows.hpp"
#include "cyclotome/rlwe/joint/threshold_keys.hpp"
#include "cyclotome/rlwe/joint/unproved_share.hpp"
#include "cyclotome/rlwe/keys/encryption.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/deterministic.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "cyclotome/study/transform/transform_engine.hpp"
#include "cyclotome/value/joint/threshold_decryption.hpp"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define RUNNING_ON_VALGRIND 0
#define VALGRIND_MAKE_MEM_UNDEFINED(address, bytes) static_cast<void>(address)
#define VALGRIND_MAKE_MEM_DEFINED(address, bytes) static_cast<void>(address)
#endif

using namespace cyclotome;

namespace {

void declare_secret(const void* data, std::size_t bytes) { VALGRIND_MAKE_MEM_UNDEFINED(data, bytes); }
void declare_public(const void* data, std::size_t bytes) { VALGRIND_MAKE_MEM_DEFINED(data, bytes); }

void declare_public(const PolyArray& polynomials) { declare_public(polynomials.view().data, polynomials.bytes()); }

Seed secret_seed() {
  std::array<std::uint8_t, 32> bytes = Seed::from_system().bytes();
  declare_secret(bytes.data(), bytes.size());
  return Seed(bytes);
}

struct Case {
  const rlwe::Scheme* scheme;
  Word word;
  bool special = true;  // whether there is a special prime: encryption and key switching take other ways without one
  std::size_t degree = 1024;
  unsigned bits = 50;  // of primes in 64-bit words
};

rlwe::Parameters parameters(const Case& which, std::size_t parties = 1) {
  const std::size_t degree = which.degree;
  const auto primes = primes_congruent_to_one(which.word == Word::u32 ? 30 : which.bits, 2 * degree, 5);
  rlwe::ParametersLiteral literal;
  literal.scheme = which.scheme;
  literal.degree = degree;
  literal.word = which.word;
  literal.plain_moduli = primes_congruent_to_one(18, 2 * degree, 1);
  if (which.special) literal.special_moduli = {primes[0]};
  literal.moduli = {primes.begin() + 1, primes.end()};
  literal.allow_insecure = true;
  literal.parties = parties;
  return rlwe::Parameters(literal);
}

/// Values of both signs, secret from here on.
std::vector<std::int64_t> secret_values(std::size_t n) {
  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int64_t>(i % 201) - 100;
  declare_secret(values.data(), n * sizeof(values[0]));
  return values;
}

bool holds(const rlwe::Plaintext& opened, Encoding::Kind kind, std::vector<std::int64_t> values) {
  std::vector<std::int64_t> decoded = decode_residues(opened, kind);
  declare_public(decoded.data(), decoded.size() * sizeof(decoded[0]));
  declare_public(values.data(), values.size() * sizeof(values[0]));
  return decoded == values;
}

/// Everything that opens a ciphertext of `values`. Returns whether the values came out.
bool open_all(const rlwe::Ciphertext& ciphertext, const rlwe::SecretKey& secret, const rlwe::EvaluationKeys& evaluation,
              const std::vector<std::int64_t>& values, Encoding::Kind kind) {
  declare_public(ciphertext.polynomials());
  bool equal = holds(scheme::decrypt(ciphertext, secret), kind, values);
  equal = holds(scheme::deterministic::reveal(ciphertext, secret, 8, secret_seed()), kind, values) && equal;
  if (&ciphertext.context()->parameters().scheme() == &bgv::scheme()) {
    equal = holds(scheme::decrypt(scheme::switch_to_level(ciphertext, rlwe::Level(2)), secret), kind, values) && equal;
  }
  // The same after a product, whose phase has three parts.
  const rlwe::Ciphertext turned = rlwe::apply_galois(ciphertext, 3, evaluation);
  const rlwe::Plaintext product = scheme::decrypt(scheme::multiply(turned, ciphertext), secret);
  declare_public(product.polynomials());
  return equal;
}

/// Everything that touches secrets, once. Returns whether all decryptions gave the message.
bool exercise(const Case& which, const EnginePtr& engine) {
  const rlwe::ContextPtr context = scheme::make_context(parameters(which), engine);
  const std::size_t n = context->degree();

  const rlwe::SecretKey secret = rlwe::deterministic::generate_secret_key(context, secret_seed());
  declare_public(&secret.id(), sizeof(rlwe::KeyId));
  const rlwe::PublicKey key = rlwe::deterministic::generate_public_key(secret, secret_seed());
  declare_public(key.polynomials());
  declare_public(&*key.uniform_seed(), sizeof(PublicSeed));
  const rlwe::EvaluationKeys evaluation =
      rlwe::deterministic::generate_evaluation_keys(secret, true, {3}, secret_seed());
  declare_public(evaluation.relinearization().polynomials());
  declare_public(evaluation.galois(3).polynomials());
  // And the sparse secret, which nobody gets to see. Of insecure sets alone: at larger degrees a table has to know
  // them.
  if (which.scheme == &bfv::scheme() && which.special && which.degree == 1024) {
    static_cast<void>(rlwe::deterministic::generate_encapsulation_keys(secret, secret_seed()));
  }

  bool equal = true;
  const std::vector<std::int64_t> values = secret_values(n);
  for (const auto kind : {Encoding::Kind::slots, Encoding::Kind::coefficients}) {
    for (const bool reduce : {false, true}) {
      const rlwe::Plaintext message = encode_residues(context, rlwe::PlainIndex(0), kind, values, 1, n, reduce);
      const rlwe::Ciphertext ciphertext = reduce ? scheme::deterministic::encrypt(message, secret, secret_seed())
                                                 : scheme::deterministic::encrypt(message, key, secret_seed());
      equal = open_all(ciphertext, secret, evaluation, values, kind) && equal;
    }
  }

  ZeroisingVector<std::int8_t> coefficients = secret.coefficients();
  declare_public(coefficients.data(), coefficients.size());
  for (const auto c : coefficients) equal = equal && c >= -1 && c <= 1;
  return equal;
}

/// A secret key of a party, as party_key makes it, but undefined.
rlwe::SecretKey party_key(const rlwe::ContextPtr& context, const rlwe::ThresholdSession& session, std::uint32_t party) {
  const rlwe::SecretKey drawn = rlwe::deterministic::generate_secret_key(context, secret_seed());
  PolyArray s = context->make(context->key_ring(), 1, 1, Domain::transform, true);
  context->engine()->copy(s.view(), drawn.over_key_ring());
  return rlwe::SecretKey(context, std::move(s), session.party_key(party));
}

template <class Share>
std::vector<const Share*> all_of(const std::vector<Share>& shares) {
  std::vector<const Share*> pointers;
  for (const Share& share : shares) pointers.push_back(&share);
  return pointers;
}

/// The same of joint keys: what their parties do with their secrets. Messages are public as soon as they are made, but
/// for those that are dealt.
bool exercise_joint(const Case& which, std::size_t threshold) {
  const rlwe::ContextPtr context = scheme::make_context(parameters(which, 3), CpuEngine::create(1));
  const rlwe::ThresholdSession session = rlwe::ThresholdSession::create(
      context->parameters(), {.parties = {1, 2, 3}, .threshold = threshold, .galois_elements = {3}, .audit = 1});
  std::vector<rlwe::SecretKey> secrets;
  std::vector<rlwe::KeyShare> drawn, first, second;
  std::vector<Digest> commitments;
  for (const std::uint32_t party : session.parties()) {
    secrets.push_back(party_key(context, session, party));
    const rlwe::KeyShare share = rlwe::first_share(session, party, secrets.back(), {});
    declare_public(share.bodies());
    drawn.emplace_back(context, session.digest(), party, share.round(), Digest{}, share.bodies());
    commitments.push_back(rlwe::committed(drawn.back()));
  }
  const Digest all = rlwe::commitments_digest(session, commitments);
  for (const rlwe::KeyShare& share : drawn) {
    first.emplace_back(context, session.digest(), share.party(), share.round(), all, share.bodies());
  }
  const rlwe::FirstRound sums(session, context, all_of(first));
  for (const std::uint32_t party : session.parties()) {
    // One proof is enough: it takes longer under valgrind than all else of a party.
    const auto answer = party == 1 ? rlwe::second_share : rlwe::unproved_share;
    const rlwe::KeyShare share = answer(sums, party, secrets[party - 1]);
    declare_public(share.bodies());
    second.emplace_back(context, session.digest(), party, share.round(), share.basis(), share.bodies());
  }
  static_cast<void>(sums.evaluation_keys(all_of(second)));
  value::Channels channels;
  channels.push_back(rlwe::encrypt_zero(sums.public_key(), rlwe::PlainIndex(0), 1));
  declare_public(channels[0].polynomials());
  const std::size_t n = context->degree();
  const value::EncryptedArray x({std::move(channels), value::Layout({n}, n, value::Placement::coefficients)},
                                value::Bound::wrapping());
  std::vector<value::DecryptionShare> shares;
  for (std::uint32_t party = 1; party <= threshold; ++party) {
    std::vector<std::uint32_t> active{1, 2};
    if (threshold == 3) active.push_back(3);
    std::vector<rlwe::SecretShare> dealt;
    std::optional<rlwe::SecretShare> sum;
    if (session.shares_secrets()) {
      for (const std::uint32_t dealer : session.parties()) {
        dealt.push_back(std::move(rlwe::deal_secret(session, dealer, secrets[dealer - 1])[party - 1]));
      }
      sum.emplace(rlwe::sum_of_dealt(session, party, all_of(dealt)));
    }
    shares.push_back(
        value::decryption_share(session, sums.key(), party, secrets[party - 1], sum ? &*sum : nullptr, x, active, 8));
    declare_public(shares.back().channels()[0]);
  }
  const value::Integers values = value::threshold_decrypt(session, x, all_of(shares));
  return values.largest() == BigUnsigned(0);
}

/// What a dealer of a verified dealing computes from its secret. Its functionals are shown to everybody, what it seals
/// is not. Returns whether its receiver finds that both belong together.
bool exercise_dealing(const Case& which) {
  const rlwe::ContextPtr context = scheme::make_context(parameters(which, 3), CpuEngine::create(1));
  const rlwe::SecretKey secret = rlwe::deterministic::generate_secret_key(context, secret_seed());
  const rlwe::DealingPolynomials dealt(context, 2, secret.at_level(context->max_level()));
  const PublicSeed challenge = PublicSeed::publish(Seed::from_system());
  std::vector<std::uint64_t> functionals = dealt.functionals(challenge);
  declare_public(functionals.data(), functionals.size() * sizeof(functionals[0]));
  ZeroisingVector<std::uint8_t> packed = dealt.packed_at(2);
  declare_public(packed.data(), packed.size());  // whether it fits is told
  return rlwe::checked_share(context, 2, packed, 2, challenge, functionals).has_value();
}

bool exercise(const Case& which, cpu::InstructionSet set) { return exercise(which, CpuEngine::create(1, set)); }

}  // namespace

TEST(no_branch_or_index_depends_on_a_secret) {
  for (const auto set : cpu::instruction_sets()) {
    if (RUNNING_ON_VALGRIND != 0) std::fprintf(stderr, "checking %s\n", std::string(cpu::name_of(set)).c_str());
    for (const auto scheme : {&bfv::scheme(), &bgv::scheme()}) {
      for (const Word word : {Word::u32, Word::u64}) {
        for (const bool special : {true, false}) CHECK(exercise({scheme, word, special}, set));
        CHECK(exercise({.scheme = scheme, .word = word, .degree = 8192}, set));  // transforms in several passes
      }
      CHECK(exercise({.scheme = scheme, .word = Word::u64, .bits = 60}, set));  // too wide for short cuts
    }
  }
}

TEST(no_party_of_a_joint_key_branches_on_a_secret) {
  for (const auto scheme : {&bfv::scheme(), &bgv::scheme()}) {
    for (const Word word : {Word::u32, Word::u64}) {
      for (const std::size_t threshold : {2U, 3U}) CHECK(exercise_joint({scheme, word}, threshold));
      CHECK(exercise_dealing({scheme, word}));
    }
  }
}

/// Schemes that run on a transform under study.
TEST(no_transform_design_depends_on_a_secret) {
  for (const auto& facts : transform_designs) {
    if (RUNNING_ON_VALGRIND != 0) std::fprintf(stderr, "checking %s\n", std::string(facts.name).c_str());
    const EnginePtr engine = study::make_transform_engine(facts.design, CpuEngine::create(1));
    for (const Word word : {Word::u32, Word::u64}) CHECK(exercise({&bfv::scheme(), word}, engine));
  }
}

/// Rings that no scheme encrypts in yet: their transforms and automorphisms, of a secret.
TEST(no_transform_of_another_ring_depends_on_a_secret) {
  struct Case {
    std::size_t index;
    unsigned bits;
    std::uint64_t multiple;  ///< of m, that primes are 1 modulo: 0, as few roots as will do; many let lines be split
  };
  const Case few[] = {{105, 30, 0}, {17 * 31, 30, 0}, {771, 30, 0}, {771, 28, 0}, {331, 30, 1024}};
  for (const auto& [index, bits, multiple] : few) {
    for (const Word word : {Word::u32, Word::u64}) {
      const EnginePtr engine = CpuEngine::create(1);
      const RingShapePtr shape = RingShape::cyclotomic(index);
      const std::uint64_t step = std::max(shape->transform_step(), multiple * index);
      const RingPtr ring = Ring::create(shape, Basis(word, primes_congruent_to_one(bits, step, 2)));
      PolyArray s(engine, ring, 1, 1, Domain::coefficient, true), turned = s.clone();
      engine->sample(s.view(), Law::ternary, secret_seed(), Stream::secret);
      const std::uint64_t element = shape->galois().generators().front().element;
      engine->automorphism(turned.view(), s.view(), element);
      turned.to_transform();
      s.to_transform();
      PolyArray slots = s.clone();
      engine->automorphism(slots.view(), s.view(), element);
      s.to_coefficient();
      declare_public(slots);
      declare_public(turned);
      CHECK(slots.to_host() == turned.to_host());
    }
  }
}

/// A client of private look-ups: which row it asks for, its secret and errors, what it reads.
TEST(no_lookup_depends_on_what_is_asked_for) {
  for (const auto set : cpu::instruction_sets()) {
    const auto lattice = std::make_shared<const retrieval::Lattice>(CpuEngine::create(1, set));
    const retrieval::Masks masks(lattice, PublicSeed(Digest{}), retrieval::degree);
    std::uint64_t positions[] = {5, 2047, 5};
    declare_secret(positions, sizeof positions);
    retrieval::RequestKey key(lattice, secret_seed(), Digest{});
    retrieval::Request request = key.encrypt(masks, positions);
    for (retrieval::Residues* sent : {&request.rows, &request.turn, &request.flip}) {
      declare_public(sent->data(), sent->size() * sizeof(std::uint64_t));
    }
    PolyArray mask = lattice->make(1, 1, Domain::transform);
    lattice->engine()->copy(mask.view(), masks.row_masks());
    mask.to_coefficient();
    std::vector<std::uint16_t> words = key.decrypt(lattice->integers(mask), request.rows);
    declare_public(words.data(), words.size() * sizeof(std::uint16_t));
    CHECK_EQ(words[5], 2);
    CHECK_EQ(words[2047], 1);
    CHECK_EQ(words[6], 0);
  }
}

/// That a value does not fit is told; the search for it comes after that.
TEST(values_out_of_range_are_refused_whichever_they_are) {
  const rlwe::ContextPtr context = scheme::make_context(parameters({&bfv::scheme(), Word::u64}), CpuEngine::create(1));
  const auto half = static_cast<std::int64_t>(context->parameters().plain_moduli()[0] / 2);
  for (const std::int64_t value : {half + 1, -half - 1, INT64_MAX, INT64_MIN}) {
    for (const std::size_t place : {std::size_t{0}, std::size_t{511}, std::size_t{1023}}) {
      std::vector<std::int64_t> values(1024, half);
      values[(place + 1) % 1024] = -half;
      static_cast<void>(encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, 2, 512));
      values[place] = value;
      CHECK_THROWS_WITH(RangeError,
                        encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, 2, 512),
                        message("encode_residues: value ", value, " at row ", place / 512, ", column ", place % 512,
                                " is outside [-", half, ", ", half, "]"));
      static_cast<void>(encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, 2, 512, true));
    }
  }
}

/// With --leak a branch depends on a secret, for the check of the check: valgrind has to fail.
int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "--leak") == 0) {
    const std::vector<std::int64_t> values = secret_values(2);
    if (values[1] == -99) std::puts("a branch has seen a secret");
    return 0;
  }
  return cyclotome::check::run();
}
