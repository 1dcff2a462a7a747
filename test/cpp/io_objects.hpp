// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small objects of every kind, from fixed seeds, for the tests of the wire format and for the fuzzer's corpus.

#include <string>
#include <vector>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/io/joint/threshold_io.hpp"
#include "cyclotome/io/keys/keys_io.hpp"
#include "cyclotome/io/objects/array_io.hpp"
#include "cyclotome/io/objects/ciphertext_io.hpp"
#include "cyclotome/io/objects/parameters_io.hpp"
#include "cyclotome/io/objects/plain_array_io.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/joint/share_proof.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/operations.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "seed.hpp"

namespace cyclotome::io_objects {

using check::seed;

// Primes of these bits for the ciphertext and the special modulus; insecure, because small is fast.
inline rlwe::ParametersLiteral small_literal(std::size_t degree, Word word, unsigned bits, std::size_t primes,
                                             std::size_t special, std::vector<std::uint64_t> plain_moduli,
                                             const rlwe::Scheme* kind = &bfv::scheme()) {
  rlwe::ParametersLiteral p;
  p.scheme = kind;
  p.degree = degree;
  p.word = word;
  p.plain_moduli = std::move(plain_moduli);
  p.moduli = primes_congruent_to_one(bits, 2 * degree, primes + special, p.plain_moduli);
  p.special_moduli.assign(p.moduli.begin(), p.moduli.begin() + static_cast<std::ptrdiff_t>(special));
  p.moduli.erase(p.moduli.begin(), p.moduli.begin() + static_cast<std::ptrdiff_t>(special));
  p.security = 0;
  p.allow_insecure = true;
  p.name = "test";
  return p;
}

inline std::vector<rlwe::ParametersLiteral> parameter_sets() {
  return {
      small_literal(1024, Word::u64, 50, 3, 1, {65537}),         // hybrid key switching
      small_literal(1024, Word::u32, 30, 4, 0, {12289, 257}),    // gadget key switching, two plaintext moduli
      small_literal(64, Word::u64, 60, 4, 2, {1024, 769, 257}),  // widest primes, a plaintext modulus without slots
      small_literal(8, Word::u32, 20, 3, 2, {17, 97}),           // smallest degree
      small_literal(8, Word::u64, 60, 2, 1, {2}),                // one bit a residue
      small_literal(1024, Word::u64, 55, 3, 1, {65537}, &bgv::scheme()),
      small_literal(8, Word::u32, 28, 3, 1, {17, 12}, &bgv::scheme()),  // a composite plaintext modulus
  };
}

struct Objects {
  rlwe::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::PublicKey public_key;
  rlwe::EvaluationKeys evaluation;

  explicit Objects(const rlwe::ParametersLiteral& literal)
      : context(scheme::make_context(rlwe::Parameters(literal), CpuEngine::create(1))),
        secret(rlwe::deterministic::generate_secret_key(context, seed(1))),
        public_key(rlwe::deterministic::generate_public_key(secret, seed(2))),
        evaluation(rlwe::deterministic::generate_evaluation_keys(
            secret, true, {3, rlwe::column_rotation_element(RingShape::negacyclic(literal.degree)->galois()), 5},
            seed(3))) {}

  rlwe::Plaintext plain(std::size_t plain, std::size_t items) const {
    const auto half = static_cast<std::int64_t>(context->parameters().plain_moduli()[plain] / 2);
    std::vector<std::int64_t> values(items * context->degree());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<std::int64_t>(i * i + 5 * i) % (2 * half) - half + (half > 1 ? 1 : 0);
    }
    return encode_residues(context, rlwe::PlainIndex(plain), Encoding::Kind::coefficients, values, items,
                           context->degree());
  }
  rlwe::Ciphertext fresh(std::size_t plain_number = 0, std::size_t items = 2) const {
    return scheme::deterministic::encrypt(plain(plain_number, items), public_key, seed(4));
  }
  rlwe::Ciphertext symmetric(std::size_t plain_number = 0, std::size_t items = 2) const {
    return scheme::deterministic::encrypt(plain(plain_number, items), secret, seed(5));
  }
  // Values modulo T, in coefficients: `rows` rows that fill a ciphertext of each plaintext modulus.
  value::EncryptedArray array(std::size_t rows) const {
    value::Channels channels;
    for (std::size_t i = 0; i < context->plain_count(); ++i) channels.push_back(symmetric(i, rows));
    const value::Layout layout({rows, context->degree()}, value::Widths(context->parameters()),
                               value::Placement::coefficients);
    return {{std::move(channels), layout}, value::Bound::wrapping()};
  }
  // Rows of five integers, negative ones too; and constants that take two words.
  value::PlainArray plain_array() const {
    return {context, value::Integers({2, 5}, std::vector<std::int64_t>{0, 1, -2, 3, -4, 5, -6, 7, -8, 9})};
  }
  value::PlainArray plain_constants() const {
    return {context, value::Integers({2, 1}, 2, {1, 0, 2, ~std::uint64_t{0} - 4})};
  }
  rlwe::RekeyingKey rekeying() const {
    const auto other = rlwe::deterministic::generate_secret_key(context, seed(6));
    return rlwe::deterministic::generate_rekeying_key(secret, other, seed(7));
  }
  // 3 parts.
  rlwe::Ciphertext product() const { return scheme::multiply(fresh(), fresh()); }
  bool has_levels() const { return context->scheme().has_levels(); }
  // BGV: one prime fewer, and a correction factor.
  rlwe::Ciphertext switched() const { return bgv::switch_modulus(fresh()); }
};

struct Named {
  std::string name;
  io::Bytes bytes;
};

// Messages of a joint key of two parties, of which both or, by the threshold, any 2 of 3 decrypt.
struct JointObjects {
  rlwe::ContextPtr context;
  rlwe::ThresholdSession session;
  std::vector<rlwe::SecretKey> secrets;

  explicit JointObjects(rlwe::ParametersLiteral literal)
      : context(scheme::make_context(rlwe::Parameters(with_parties(literal)), CpuEngine::create(1))),
        session(context->parameters(), {.parties = {1, 2, 5}, .threshold = 2, .galois_elements = {3}, .audit = 1},
                PublicSeed(std::array<std::uint8_t, 32>{9})) {
    for (std::uint8_t i = 0; i < 3; ++i) {
      const auto drawn = rlwe::deterministic::generate_secret_key(context, seed(static_cast<std::uint8_t>(20 + i)));
      secrets.push_back(
          rlwe::SecretKey::from_coefficients(context, drawn.coefficients(), session.party_key(session.parties()[i])));
    }
  }

  static rlwe::ParametersLiteral with_parties(rlwe::ParametersLiteral literal) {
    literal.parties = 3;
    return literal;
  }
  std::vector<Digest> commitments() const {
    std::vector<Digest> all;
    for (std::size_t i = 0; i < 3; ++i) {
      all.push_back(rlwe::committed(rlwe::first_share(session, session.parties()[i], secrets[i], {})));
    }
    return all;
  }
  std::vector<rlwe::KeyShare> first() const {
    std::vector<rlwe::KeyShare> shares;
    const Digest all = rlwe::commitments_digest(session, commitments());
    for (std::size_t i = 0; i < 3; ++i) {
      shares.push_back(rlwe::first_share(session, session.parties()[i], secrets[i], all));
    }
    return shares;
  }
  rlwe::Coin coin(rlwe::Coin::Stage stage, const Digest& basis) const {
    return {context->parameters(), session.digest(), 5, stage, basis, Digest{8}};
  }
  // With a signature, though of nobody.
  rlwe::KeyShare opening() const {
    rlwe::KeyShare share = first()[1];
    share.open({Digest{6}, {{PublicSeed(Digest{1}), Digest{2}}, {PublicSeed(Digest{3}), Digest{4}}}});
    share.attach(std::vector<std::uint8_t>(rlwe::signature_bytes, 5));
    return share;
  }
  rlwe::FirstRound sums() const {
    const std::vector<rlwe::KeyShare> shares = first();
    const rlwe::KeyShare* const all[] = {&shares[0], &shares[1], &shares[2]};
    return {session, context, all};
  }
  rlwe::SecretShare dealt_sum() const {
    std::vector<rlwe::SecretShare> dealt;
    for (std::size_t i = 0; i < 3; ++i) {
      dealt.push_back(std::move(rlwe::deal_secret(session, session.parties()[i], secrets[i])[0]));
    }
    const rlwe::SecretShare* const all[] = {&dealt[0], &dealt[1], &dealt[2]};
    return rlwe::sum_of_dealt(session, 1, all);
  }
  // What party 1 keeps after it has answered, and helped to decrypt.
  rlwe::PartyState party() const {
    return {session.digest(),
            1,
            Seed(std::array<std::uint8_t, 32>{7}),
            commitments(),
            sums().digest(),
            {3, {Digest{4}, Digest{5}}},
            {{Digest{10}, Digest{11}, Digest{12}}, {Digest{13}, Digest{14}}, Digest{9}}};
  }
  rlwe::PartyState accepted_party() const {
    rlwe::PartyState state = party();
    state.accept(Digest{16});
    state.seal();
    return state;
  }
  // Zeros, encrypted, in coefficients.
  value::EncryptedArray array() const {
    value::Channels channels;
    const rlwe::PublicKey key = sums().public_key();
    for (std::size_t i = 0; i < context->plain_count(); ++i) {
      channels.push_back(rlwe::deterministic::encrypt_zero(key, rlwe::PlainIndex(i), 1, seed(30)));
    }
    const value::Layout layout({1, context->degree()}, context->degree(), value::Placement::coefficients);
    return {{std::move(channels), layout}, value::Bound::wrapping()};
  }
  std::vector<Named> containers() const;
};

inline std::vector<Named> JointObjects::containers() const {
  const rlwe::SecretShare share = dealt_sum();
  return {{"session", io::serialize(session)},
          {"commitment", io::serialize(rlwe::Commitment(context->parameters(), session.digest(), 2, commitments()[1]))},
          {"tossed_coin", io::serialize(coin(rlwe::Coin::Stage::tossed, Digest{}))},
          {"shown_coin", io::serialize(coin(rlwe::Coin::Stage::shown, Digest{3}))},
          {"first_share", io::serialize(first()[0])},
          {"opening_share", io::serialize(opening())},
          {"second_share", io::serialize(rlwe::unproved_share(sums(), 1, secrets[0]))},  // as earlier versions made it
          {"dealt_share", io::serialize(rlwe::deal_secret(session, 2, secrets[1])[2])},
          {"secret_share", io::serialize(share)},
          {"decryption_share",
           io::serialize(value::decryption_share(session, sums().key(), 1, secrets[0], &share, array(), {1, 5}, 8))},
          {"party", io::serialize(session, party())},
          {"proved_share", io::serialize(rlwe::second_share(sums(), 1, secrets[0]))},
          {"acceptance", io::serialize(rlwe::Acceptance(context->parameters(), session.digest(), 5, Digest{15}))},
          {"accepted_party", io::serialize(session, accepted_party())}};
}

inline bool same(const PolyArray& a, const PolyArray& b) {
  return a.domain() == b.domain() && a.parts() == b.parts() && a.batch() == b.batch() && a.to_host() == b.to_host();
}

inline bool same(const rlwe::Ciphertext& a, const rlwe::Ciphertext& b) {
  return same(a.polynomials(), b.polynomials()) && a.plain() == b.plain() && a.key() == b.key() &&
         a.correction() == b.correction() && a.limbs() == b.limbs() && a.noise() == b.noise() &&
         a.uniform_seed() == b.uniform_seed();
}

inline std::vector<std::uint8_t> metadata() { return {'{', '"', 's', 'h', 'a', 'p', 'e', '"', ':', '2', '}', 0, 0xff}; }

// A container of each kind and variety.
inline std::vector<Named> containers(const Objects& objects) {
  std::vector<Named> all;
  const std::vector<std::uint8_t> extra = metadata();
  all.push_back({"parameters", io::serialize(objects.context->parameters())});
  all.push_back({"secret_key", io::serialize(objects.secret)});
  all.push_back({"public_key", io::serialize(objects.public_key, extra)});
  all.push_back({"evaluation_keys", io::serialize(objects.evaluation)});
  all.push_back({"ciphertext", io::serialize(objects.fresh(), extra)});
  all.push_back({"symmetric", io::serialize(objects.symmetric())});
  all.push_back({"product", io::serialize(objects.product())});
  all.push_back({"plaintext", io::serialize(objects.plain(0, 3))});
  if (objects.has_levels()) all.push_back({"switched", io::serialize(objects.switched())});
  all.push_back({"array", io::serialize(objects.array(1), extra)});
  all.push_back({"rekeying_key", io::serialize(objects.rekeying())});
  if (objects.context->parameters().has_slots()) {
    all.push_back({"plain_array", io::serialize(objects.plain_array())});
    all.push_back({"plain_constants", io::serialize(objects.plain_constants())});
  }
  return all;
}

}  // namespace cyclotome::io_objects
