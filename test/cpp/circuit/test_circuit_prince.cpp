// SPDX-License-Identifier: Apache-2.0
// PRINCE as a circuit: official vectors, the states in between, counts, and a layer under encryption.

#include <array>
#include <string>

#include "check.hpp"
#include "circuit_values.hpp"
#include "cyclotome/circuit/counts.hpp"
#include "cyclotome/circuit/jobs/prince.hpp"
#include "cyclotome/math/errors.hpp"

namespace {

using namespace cyclotome;
using check::run_plain;
using check::state_of;
using check::word_of;

struct Vector {
  std::uint64_t plain, k0, k1, cipher;
};

/// Of the cipher's paper (Borghoff et al., 2012), and one of an independent model with nothing regular in it.
constexpr std::array<Vector, 6> vectors = {{
    {0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x818665aa0d02dfda},
    {0xffffffffffffffff, 0x0000000000000000, 0x0000000000000000, 0x604ae6ca03c20ada},
    {0x0000000000000000, 0xffffffffffffffff, 0x0000000000000000, 0x9fb51935fc3df524},
    {0x0000000000000000, 0x0000000000000000, 0xffffffffffffffff, 0x78a54cbe737bb7ef},
    {0x0123456789abcdef, 0x0000000000000000, 0xfedcba9876543210, 0xae25ad3ca8fa9ccf},
    {0xf2a74de452e6b438, 0x6513270e269e0d37, 0x0c5c7fd0a6a3a450, 0x88b03c12c0ff2690},
}};

/// After each S-box layer of the fifth.
constexpr std::array<std::uint64_t, 12> states = {0x4444444444444444, 0x876f1a432f9bbcfb, 0xe9679938fc49e448,
                                                  0x3eeb9ea60bb04e08, 0xae1db3c7138fa29c, 0xfedcea910ac19526,
                                                  0x51ce08fdd1088ae0, 0xdffe1b842c4b9bed, 0xeeac64cdc7fd17b6,
                                                  0x14c5df31ab8987b9, 0xe4922280686c7348, 0x90553e1317d2fe02};

std::uint64_t output(const circuit::Circuit& circuit, std::uint64_t data, const Vector& v) {
  return word_of(run_plain(circuit, {state_of(data), state_of(v.k0), state_of(v.k1)})[0]);
}

TEST(encryption_gives_the_published_ciphertexts) {
  const circuit::Circuit prince = circuit::prince_encryption();
  for (const Vector& v : vectors) CHECK_EQ(output(prince, v.plain, v), v.cipher);
}

TEST(decryption_takes_them_back) {
  const circuit::Circuit prince = circuit::prince_decryption();
  for (const Vector& v : vectors) CHECK_EQ(output(prince, v.cipher, v), v.plain);
}

TEST(every_layer_gives_the_state_that_is_known) {
  const Vector& v = vectors[4];
  for (unsigned layer = 1; layer <= 12; ++layer) {
    const std::uint64_t before = layer == 1 ? v.plain : states[layer - 2];
    CHECK_EQ(output(circuit::prince_layers(layer, layer), before, v), states[layer - 1]);
  }
  CHECK_EQ(output(circuit::prince_layers(1, 12), v.plain, v), states[11]);
  CHECK_EQ(output(circuit::prince_layers(5, 9), states[3], v), states[8]);
}

TEST(counts_are_those_of_the_specification) {
  for (const circuit::Circuit& prince : {circuit::prince_encryption(), circuit::prince_decryption()}) {
    const circuit::Counts all = circuit::counts_of(prince);
    CHECK_EQ(prince.depth(), 24U);
    CHECK_EQ(all.products, 1824U);
    CHECK_EQ(all.relinearizations, 1152U);
    const auto layers = circuit::counts_by_layer(prince);
    CHECK_EQ(layers.size(), 25U);
    CHECK_EQ(layers[0].products, 0U);
    for (std::size_t layer = 1; layer <= 24; ++layer) {
      const bool first = layer % 2 == 1;  // of the two of an S-box, with ab and cd alone; the inverse needs no a d
      CHECK_EQ(layers[layer].products, first ? 32U : (layer <= 12 ? 128U : 112U));
      CHECK_EQ(layers[layer].relinearizations, first ? 32U : 64U);
    }
  }
}

TEST(layers_that_are_not_there_are_refused) {
  CHECK_THROWS_WITH(ArgumentError, circuit::prince_layers(0, 3), "1 to 12");
  CHECK_THROWS(ArgumentError, circuit::prince_layers(4, 3));
  CHECK_THROWS(ArgumentError, circuit::prince_layers(4, 13));
}

TEST(inputs_that_do_not_fit_are_refused) {
  const circuit::Circuit prince = circuit::prince_encryption();
  const check::Residues word = state_of(1);
  CHECK_THROWS_WITH(ArgumentError, run_plain(prince, {word, word}), "takes 3 inputs, not 2");
  CHECK_THROWS_WITH(ArgumentError, run_plain(prince, {word, word, check::Residues(63)}), "input k1 takes 64 values");
  CHECK_THROWS_WITH(RangeError, run_plain(prince, {word, word, check::Residues(64, 2)}), "value 2 is not in [0, 2)");
  const circuit::PlainAlgebra other(3);
  CHECK_THROWS_WITH(MismatchError, evaluate(prince, other, {}), "modulo 2");
}

}  // namespace

int main() { return cyclotome::check::run(); }
