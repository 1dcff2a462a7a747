// SPDX-License-Identifier: Apache-2.0
// Circuits on a GPU: residues, levels and bounds are the CPU's. Needs a GPU; without one it says so and exits with 77.

#include <algorithm>

#include "circuit_party.hpp"
#include "cyclotome/circuit/running/key_shares.hpp"
#include "cyclotome/engine/memory_limit.hpp"

namespace {

using namespace cyclotome;
using check::Bits;
using check::CircuitParty;
using check::state_bits;

/// Outputs on both engines, compared; those of the GPU.
std::vector<Bits> on_both(const circuit::Circuit& circuit, const rlwe::Parameters& parameters,
                          const std::vector<Bits>& inputs, std::size_t width) {
  const CircuitParty here(parameters, check::host()), there(parameters, check::device());
  std::vector<std::vector<rlwe::Ciphertext>> results;
  for (const CircuitParty* const party : {&here, &there}) {
    std::vector<rlwe::Ciphertext> encrypted;
    for (const Bits& bits : inputs)
      encrypted.push_back(party->encrypt(bits, static_cast<std::uint8_t>(encrypted.size())));
    results.push_back(circuit::compute(circuit, encrypted, party->keys, width).outputs);
  }
  std::vector<Bits> bits;
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    CHECK(results[0][i].polynomials().to_host() == results[1][i].polynomials().to_host());
    CHECK_EQ(results[0][i].limbs(), results[1][i].limbs());
    CHECK(results[0][i].noise() == results[1][i].noise());
    bits.push_back(there.decrypt(results[1][i]));
  }
  return bits;
}

TEST(two_blocks_through_layers_of_prince) {
  const circuit::Circuit layers = circuit::prince_layers(6, 8);
  const auto parameters = check::parameters_of(layers, 1024, 0);
  const auto found = on_both(
      layers, parameters, {state_bits(0xae1db3c7138fa29c, 2), state_bits(0, 2), state_bits(0xfedcba9876543210, 2)}, 2);
  CHECK_EQ(found[0], state_bits(0xdffe1b842c4b9bed, 2));
}

TEST(all_of_prince) {
  const circuit::Circuit prince = circuit::prince_encryption();
  const auto parameters = check::parameters_of(prince, 1024, 0);
  const auto found =
      on_both(prince, parameters, {state_bits(0x0123456789abcdef), state_bits(0), state_bits(0xfedcba9876543210)}, 1);
  CHECK_EQ(found[0], state_bits(0xae25ad3ca8fa9ccf));
}

TEST(sorting_with_ties) {
  const circuit::Circuit sort = circuit::sort_circuit({.count = 8, .bits = 2});
  const auto parameters = check::parameters_of(sort, 8192, 128);
  const Bits values = {1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0};  // 3 0 3 2 0 3 2 1
  const auto found = on_both(sort, parameters, {values}, 1);
  CHECK_EQ(found[0], Bits({0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1}));
}

/// On as many GPUs as there are, or two engines on one, and with the key's digits spread over them.
TEST(several_gpus_have_the_residues_of_one) {
  const circuit::Circuit layers = circuit::prince_layers(6, 8);
  const auto parameters = check::parameters_of(layers, 1024, 0);
  const CircuitParty party(parameters, CudaEngine::create(0));
  std::vector<rlwe::ContextPtr> others;
  for (int i = 1; i < std::max(2, CudaEngine::device_count()); ++i) {
    others.push_back(scheme::make_context(parameters, CudaEngine::create(i % CudaEngine::device_count())));
  }
  std::vector<rlwe::Ciphertext> inputs;
  for (const std::uint64_t state : {0xae1db3c7138fa29cULL, 0ULL, 0xfedcba9876543210ULL}) {
    inputs.push_back(party.encrypt(state_bits(state), static_cast<std::uint8_t>(inputs.size())));
  }
  const auto one = circuit::compute(layers, inputs, party.keys).outputs;
  CHECK_EQ(party.decrypt(one[0]), state_bits(0xdffe1b842c4b9bed));
  for (int run = 0; run < 3; ++run) {  // copies that were not waited for would differ now and then
    const auto many = circuit::compute(layers, inputs, party.keys, 1, {}, others, 1).outputs;
    CHECK(many[0].polynomials().to_host() == one[0].polynomials().to_host());
    CHECK(many[0].noise() == one[0].noise());
  }
  std::vector<rlwe::ContextPtr> contexts = others;
  contexts.insert(contexts.begin(), party.context);
  const circuit::KeyShares shares(party.keys, contexts);
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    CHECK(shares.assembled(i)->relinearization().polynomials().to_host() ==
          party.keys->relinearization().polynomials().to_host());
  }
}

TEST(a_gpu_tells_its_memory) {
  const auto engine = CudaEngine::create(0);
  const MemoryState before = engine->memory(true);
  CHECK(before.free.value() > 0);
  const auto buffer = engine->allocate(std::size_t{64} << 20, false);
  CHECK(engine->memory(false).held >= before.held + buffer->bytes());
  CHECK(!has_memory(*engine, std::uint64_t{1} << 50));
  CHECK_THROWS_WITH(MemoryLimitError, require_memory(*engine, "too much", std::uint64_t{1} << 50), "are free");
  CHECK(has_memory(*engine, *engine->memory(true).free / 2));
}

/// In a ring whose key switches and divisions have kernels of their own; every bit a constant.
TEST(layers_of_prince_over_phi_m) {
  const circuit::Circuit layers = circuit::prince_layers(6, 8);
  const circuit::Circuit* const only = &layers;
  rlwe::ParametersLiteral base;
  base.scheme = &bgv::scheme();
  base.cyclotomic = 4369;
  base.word = Word::u32;
  base.plain_moduli = {2};
  base.security = 0;
  base.allow_insecure = true;
  const rlwe::Parameters parameters = circuit::parameters_for({&only, 1}, base).value();
  std::vector<rlwe::Ciphertext> results;
  for (const EnginePtr& engine : {check::host(), check::device()}) {
    const CircuitParty party(parameters, engine);
    std::vector<rlwe::Ciphertext> inputs;
    for (const std::uint64_t word : {0xae1db3c7138fa29cULL, 0ULL, 0xfedcba9876543210ULL}) {
      const Bits bits = state_bits(word);
      const auto plain =
          encode_residues(party.context, rlwe::PlainIndex(0), Encoding::Kind::constants, bits, bits.size(), 1);
      inputs.push_back(
          scheme::deterministic::encrypt(plain, party.key, check::seed(static_cast<std::uint8_t>(inputs.size()))));
    }
    results.push_back(circuit::compute(layers, inputs, party.keys).outputs[0]);
    Bits opened = decode_residues(scheme::decrypt(results.back(), party.secret), Encoding::Kind::constants);
    for (std::int64_t& bit : opened) bit &= 1;
    CHECK_EQ(opened, state_bits(0xdffe1b842c4b9bed));
  }
  CHECK(results[0].polynomials().to_host() == results[1].polynomials().to_host());
  CHECK(results[0].noise() == results[1].noise());
}

}  // namespace

int main() { return cyclotome::check::run_on_device(); }
