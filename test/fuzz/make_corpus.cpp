// SPDX-License-Identifier: Apache-2.0
// Writes the fuzzer's first inputs, small containers of each kind for a few parameter sets: make_corpus FOLDER. To
// be run again when the format changes.

#include <iostream>

#include "../cpp/io_exercise.hpp"
#include "../cpp/io_objects.hpp"
#include "cyclotome/io/files/file.hpp"
#include "cyclotome/io/keys/protected_key.hpp"
#include "cyclotome/io/objects/product_context_io.hpp"
#include "cyclotome/io/reals/real_array_io.hpp"
#include "cyclotome/rlwe/encapsulation/encapsulation_keys.hpp"
#include "cyclotome/rlwe/joint/dealing/verified_dealing.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/ckks/operations.hpp"
#include "cyclotome/scheme/ckks/parameters.hpp"
#include "cyclotome/value/reals/real_encryption.hpp"

namespace {

using namespace cyclotome;

// A party's identity, alone and under the passphrase, and a message of each kind of a round of dealing. What is sealed
// comes of the system's randomness, and so is another one each time.
void write_identities_and_dealing(const std::string& folder, const io_objects::JointObjects& joint,
                                  const io::Bytes& passphrase) {
  std::vector<rlwe::Identity> people;
  rlwe::Identities known;
  for (const std::uint32_t party : joint.session.parties()) {
    people.emplace_back(Seed(std::array<std::uint8_t, 32>{static_cast<std::uint8_t>(40 + party)}));
    known.emplace(party, people.back().public_identity());
  }
  const auto write = [&](const std::string& name, const io::Bytes& bytes) {
    io::write_file(folder + "/" + name, bytes, io::Privacy::shared);
  };
  write("identity", io::serialize(people[0]));
  write("protected_identity", io::serialize(people[0], io_exercise::Span(passphrase)));
  const rlwe::DealingRound round(joint.session, {.dealers = joint.session.parties()}, known);
  std::vector<rlwe::ReceivingKeys> issued;
  for (std::size_t i = 0; i < people.size(); ++i) {
    issued.push_back(rlwe::receiving_keys(round, joint.session.parties()[i], people[i]));
  }
  const rlwe::Dealt dealt = rlwe::deal_own(round, joint.session.parties()[1], people[1], joint.secrets[1], issued);
  rlwe::Complaint complaint{.accuser = joint.session.parties()[0],
                            .dealing = dealt.dealing,
                            .sealed = dealt.sealed[0],
                            .key = {1},
                            .signature = {}};
  rlwe::sign(round, people[0], complaint);
  const rlwe::Parameters& parameters = joint.session.parameters();
  write("dealing-keys", io::serialize(issued[0], parameters));
  write("dealing-dealing", io::serialize(dealt.dealing, parameters));
  write("dealing-sealed_share", io::serialize(dealt.sealed[2], parameters));
  write("dealing-complaint", io::serialize(complaint, parameters));
}

// Keys to a sparse secret and back, of the degree that files may have and generation, which asks for security, may not.
void write_encapsulation_keys(const std::string& folder, const io_objects::Objects& objects) {
  const RingPtr ring = rlwe::encapsulation_ring(*objects.context);
  PolyArray to_sparse(objects.context->engine(), ring, 1, 2, Domain::transform);
  const PublicSeed seed(std::array<std::uint8_t, 32>{31});
  for (std::size_t part = 0; part < 2; ++part)
    rlwe::expand_uniform(*objects.context->engine(), to_sparse.view().part(part), seed);
  const auto sparse = rlwe::deterministic::generate_secret_key(objects.context, io_objects::seed(6));
  rlwe::RekeyingKey back = rlwe::deterministic::generate_rekeying_key(sparse, objects.secret, io_objects::seed(7));
  const rlwe::EncapsulationKeys keys(32, std::move(to_sparse), seed, std::move(back));
  io::write_file(folder + "/encapsulation-evaluation_keys",
                 io::serialize(rlwe::with_encapsulation(objects.evaluation, keys)), io::Privacy::shared);
}

// Over another ring than x^n + 1: format version 3.
void write_cyclotomic(const std::string& folder) {
  const std::uint64_t step = RingShape::cyclotomic(15)->transform_step();
  for (const rlwe::Scheme* const kind : {&bfv::scheme(), &bgv::scheme()}) {
    rlwe::ParametersLiteral literal = io_objects::small_literal(8, Word::u32, 28, 3, 1, {31}, kind);
    literal.cyclotomic = 15;
    literal.degree = 0;
    literal.moduli = primes_congruent_to_one(28, step, 4, literal.plain_moduli);
    literal.special_moduli = {literal.moduli.back()};
    literal.moduli.pop_back();
    const rlwe::ContextPtr context = scheme::make_context(rlwe::Parameters(literal), CpuEngine::create(1));
    const rlwe::SecretKey secret = rlwe::deterministic::generate_secret_key(context, io_objects::seed(1));
    const rlwe::PublicKey key = rlwe::deterministic::generate_public_key(secret, io_objects::seed(2));
    const rlwe::Ciphertext zero = rlwe::deterministic::encrypt_zero(key, rlwe::PlainIndex(0), 1, io_objects::seed(4));
    const value::Layout layout({1, context->degree()}, context->degree(), value::Placement::coefficients);
    const io_objects::Named made[] = {
        {"parameters", io::serialize(context->parameters())},
        {"secret_key", io::serialize(secret)},
        {"public_key", io::serialize(key)},
        {"evaluation_keys",
         io::serialize(rlwe::deterministic::generate_evaluation_keys(secret, true, {2, 14}, io_objects::seed(3)))},
        {"ciphertext", io::serialize(zero)},
        {"array", io::serialize(value::EncryptedArray({{zero}, layout}, value::Bound::wrapping()))},
    };
    for (const auto& [name, bytes] : made) {
      io::write_file(folder + "/cyclotomic-" + std::string(kind->name()) + "-" + name, bytes, io::Privacy::shared);
    }
  }
}

// Real numbers, packed and replicated, real and complex. Encryption draws from the system.
void write_reals(const std::string& folder) {
  ckks::ScaleLiteral literal;
  literal.degree = 16;
  literal.scale_bits = 30;
  literal.depth = 1;
  literal.result_bound = 4;
  literal.security = 0;
  literal.allow_insecure = true;
  const ckks::ContextPtr context = ckks::make_context(ckks::with_scale(literal), CpuEngine::create(1));
  const rlwe::SecretKey secret = rlwe::deterministic::generate_secret_key(context, io_objects::seed(1));
  const rlwe::PublicKey key = rlwe::deterministic::generate_public_key(secret, io_objects::seed(2));
  const rlwe::EvaluationKeys evaluation =
      rlwe::deterministic::generate_evaluation_keys(secret, true, {5, 31}, io_objects::seed(3));
  const value::RealArray row = value::encrypt(value::Reals::vector({0.5, -1, 0.25}), key);
  const value::Reals turned({2, 2}, {{0, 1}, {0.5, -0.5}, {1, 0}, {0, 0}}, value::Field::complex);
  const io_objects::Named made[] = {
      {"parameters", io::serialize(context->parameters())},
      {"secret_key", io::serialize(secret)},
      {"public_key", io::serialize(key)},
      {"evaluation_keys", io::serialize(evaluation)},
      {"array", io::serialize(row)},
      {"lower_array", io::serialize(row.switch_to_level(1).assume_bound(1))},
      {"complex_array", io::serialize(value::encrypt(turned, secret))},
      {"scalar", io::serialize(value::encrypt(value::Reals::number(0.75), secret))},
  };
  for (const auto& [name, bytes] : made) io::write_file(folder + "/reals-" + name, bytes, io::Privacy::shared);
}

}  // namespace

int main(int count, char** arguments) {
  using io_objects::small_literal;
  if (count != 2) {
    std::cerr << "usage: make_corpus FOLDER\n";
    return 2;
  }
  const struct {
    const char* name;
    rlwe::ParametersLiteral literal;
  } sets[] = {{"u32-hybrid", small_literal(8, Word::u32, 20, 3, 2, {17, 97})},
              {"u32-gadget", small_literal(16, Word::u32, 28, 2, 0, {257})},
              {"u64-hybrid", small_literal(8, Word::u64, 60, 2, 1, {2})},
              {"bgv", small_literal(8, Word::u32, 28, 3, 1, {17, 12}, &bgv::scheme())}};
  for (const auto& set : sets) {
    for (const auto& [name, bytes] : io_objects::containers(io_objects::Objects(set.literal))) {
      io::write_file(std::string(arguments[1]) + "/" + set.name + "-" + name, bytes, io::Privacy::shared);
    }
  }
  const io_objects::JointObjects joint(small_literal(8, Word::u32, 28, 2, 1, {17}));
  for (const auto& [name, bytes] : joint.containers()) {
    io::write_file(std::string(arguments[1]) + "/joint-" + name, bytes, io::Privacy::shared);
  }
  // The cheapest key derivation that readers take; test/python/files/test_wire_format.py knows the passphrase.
  const std::string passphrase = "correct horse";
  const io::Bytes typed(passphrase.begin(), passphrase.end());
  io::write_file(std::string(arguments[1]) + "/protected_secret_key",
                 io::serialize_protected(io_objects::Objects(sets[0].literal).secret, typed, {}, {10, 8, 1}),
                 io::Privacy::shared);
  io::write_file(std::string(arguments[1]) + "/protected_secret_share",
                 io::serialize_protected(joint.dealt_sum(), typed, {}, {10, 8, 1}), io::Privacy::shared);
  io::write_file(std::string(arguments[1]) + "/protected_party",
                 io::serialize_protected(joint.session, joint.party(), typed, {}, {10, 8, 1}), io::Privacy::shared);
  write_identities_and_dealing(arguments[1], joint, typed);
  write_encapsulation_keys(arguments[1], io_objects::Objects(sets[2].literal));
  write_cyclotomic(arguments[1]);
  write_reals(arguments[1]);
  const auto context = study::ProductContext::generate({8, 80, 30, 50, study::Search::below});
  io::write_file(std::string(arguments[1]) + "/product-context", io::serialize(context), io::Privacy::shared);
  return 0;
}
