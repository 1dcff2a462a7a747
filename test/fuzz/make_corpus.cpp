// SPDX-License-Identifier: Apache-2.0
// Writes the fuzzer's first inputs, small containers of each kind for a few parameter sets: make_corpus FOLDER. To
// be run again when the format changes.

#include <iostream>

#include "../cpp/io_objects.hpp"
#include "cyclotome/io/files/file.hpp"
#include "cyclotome/io/keys/protected_key.hpp"
#include "cyclotome/io/objects/product_context_io.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"

int main(int count, char** arguments) {
  using namespace cyclotome;
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
  const auto context = study::ProductContext::generate({8, 80, 30, 50, study::Search::below});
  io::write_file(std::string(arguments[1]) + "/product-context", io::serialize(context), io::Privacy::shared);
  return 0;
}
