// SPDX-License-Identifier: Apache-2.0
// Writes the fuzzer's first inputs, small containers of each kind for a few parameter sets: make_corpus FOLDER. To
// be run again when the format changes.

#include <iostream>

#include "../cpp/io_exercise.hpp"
#include "../cpp/io_objects.hpp"
#include "cyclotome/io/files/file.hpp"
#include "cyclotome/io/keys/protected_key.hpp"
#include "cyclotome/io/objects/product_context_io.hpp"
#include "cyclotome/rlwe/joint/dealing/verified_dealing.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"

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
  const auto context = study::ProductContext::generate({8, 80, 30, 50, study::Search::below});
  io::write_file(std::string(arguments[1]) + "/product-context", io::serialize(context), io::Privacy::shared);
  return 0;
}
