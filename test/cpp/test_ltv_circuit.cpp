// SPDX-License-Identifier: Apache-2.0
// Circuits over LTV: all of PRINCE under an encrypted key, the published vectors in slots of one ciphertext a bit; and
// a sort with equal numbers.

#include <algorithm>
#include <array>

#include "check.hpp"
#include "cyclotome/circuit/counts.hpp"
#include "cyclotome/circuit/evaluation.hpp"
#include "cyclotome/circuit/prince.hpp"
#include "cyclotome/circuit/sorting.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/ltv/circuit_algebra.hpp"

namespace {

using namespace cyclotome;
using namespace cyclotome::study::ltv;

struct Party {
  explicit Party(const ParametersLiteral& literal)
      : parameters(Parameters::create(literal)),
        slots(parameters->ring()),
        secret(SecretKey::generate(parameters, true)),
        public_key(PublicKey::generate(secret)),
        relinearization(std::make_shared<const SwitchingKey>(SwitchingKey::relinearization(secret, public_key))),
        algebra(relinearization) {}

  /// One ciphertext for each bit of numbers, the most significant first; number i in slot i.
  circuit::BatchPtr encrypted(const std::vector<std::uint64_t>& numbers, unsigned bits) const {
    std::vector<Ciphertext> wires;
    for (unsigned bit = bits; bit-- > 0;) {
      std::vector<std::uint32_t> lane;
      for (const std::uint64_t number : numbers) lane.push_back(static_cast<std::uint32_t>(number >> bit & 1));
      wires.push_back(encrypt(slots.encode(lane), public_key));
    }
    return algebra.batch(std::move(wires));
  }
  std::vector<std::uint64_t> decrypted(const std::vector<Ciphertext>& wires, std::size_t lanes) const {
    std::vector<std::uint64_t> numbers(lanes, 0);
    for (const Ciphertext& wire : wires) {
      const auto bits = slots.decode(decrypt(wire, secret));
      for (std::size_t i = 0; i < lanes; ++i) numbers[i] = numbers[i] << 1 | bits[i];
    }
    return numbers;
  }

  ParametersPtr parameters;
  Slots slots;
  SecretKey secret;
  PublicKey public_key;
  std::shared_ptr<const SwitchingKey> relinearization;
  CircuitAlgebra algebra;
};

TEST(prince_gives_the_published_ciphertexts) {
  const std::vector<std::uint64_t> plain{0, ~std::uint64_t{0}, 0, 0, 0x0123456789abcdef};
  const std::vector<std::uint64_t> k0{0, 0, ~std::uint64_t{0}, 0, 0};
  const std::vector<std::uint64_t> k1{0, 0, 0, ~std::uint64_t{0}, 0xfedcba9876543210};
  const std::vector<std::uint64_t> cipher{0x818665aa0d02dfda, 0x604ae6ca03c20ada, 0x9fb51935fc3df524,
                                          0x78a54cbe737bb7ef, 0xae25ad3ca8fa9ccf};
  const Party party({25, 255, 24, 11, {}});
  const auto result = circuit::evaluate(circuit::prince_encryption(), party.algebra,
                                        {party.encrypted(plain, 64), party.encrypted(k0, 64), party.encrypted(k1, 64)});
  CHECK(party.decrypted(CircuitAlgebra::ciphertexts(*result.outputs.at(0)), plain.size()) == cipher);
}

TEST(numbers_are_sorted_with_equal_ones) {
  const std::vector<std::vector<std::uint64_t>> lists{
      {3, 1, 3, 0}, {2, 2, 2, 2}, {0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 0, 1}};
  const circuit::Circuit sort = circuit::sort_circuit({4, 2});
  const Party party({8, 255, 24, 11, {}});
  std::vector<Ciphertext> wires;
  for (std::size_t number = 0; number < 4; ++number) {
    std::vector<std::uint64_t> lane;
    for (const auto& list : lists) lane.push_back(list[number]);
    auto bits = CircuitAlgebra::ciphertexts(*party.encrypted(lane, 2));
    std::ranges::reverse(bits);  // the circuit's least significant bit comes first
    wires.insert(wires.end(), bits.begin(), bits.end());
  }
  const auto result = circuit::evaluate(sort, party.algebra, {party.algebra.batch(std::move(wires))});
  const auto sorted = CircuitAlgebra::ciphertexts(*result.outputs.at(0));
  for (std::size_t number = 0; number < 4; ++number) {
    const std::vector<Ciphertext> bits{sorted.at(2 * number + 1), sorted.at(2 * number)};
    const auto got = party.decrypted(bits, lists.size());
    for (std::size_t i = 0; i < lists.size(); ++i) {
      std::vector<std::uint64_t> expected = lists[i];
      std::ranges::sort(expected);
      CHECK_EQ(got[i], expected[number]);
    }
  }
}

TEST(what_is_not_its_own_is_refused) {
  const Party party({2, 105, 22, 8, {}}), other({2, 105, 22, 8, {}});
  CHECK_THROWS(MismatchError, party.algebra.batch(CircuitAlgebra::ciphertexts(*other.encrypted({1}, 1))));
  const auto galois = std::make_shared<const SwitchingKey>(SwitchingKey::galois(party.secret, party.public_key, 2));
  CHECK_THROWS(MissingKeyError, CircuitAlgebra(galois));
}

}  // namespace

int main() { return check::run(); }
