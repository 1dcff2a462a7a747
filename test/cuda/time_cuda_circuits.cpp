// SPDX-License-Identifier: Apache-2.0
// How long PRINCE takes on a GPU at 128 bits of security, in x^32768 + 1: one JSON line for each number of blocks, each
// of which has ciphertexts of its own here. time_cuda_circuits [BLOCKS ...], by default 1 4 16.

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "circuit_party.hpp"

using namespace cyclotome;
using check::state_bits;

int main(int count, char** arguments) {
  if (!check::has_device()) return check::skipped;
  const circuit::Circuit prince = circuit::prince_decryption();
  const rlwe::Parameters parameters = check::parameters_of(prince, 32768, 128);
  std::fprintf(stderr, "%s\n", parameters.summary().c_str());
  const check::CircuitParty party(parameters, check::device());
  std::vector<std::size_t> numbers;
  for (int i = 1; i < count; ++i) numbers.push_back(std::strtoul(arguments[i], nullptr, 10));
  if (numbers.empty()) numbers = {1, 4, 16};
  int failures = 0;
  for (const std::size_t blocks : numbers) {
    const std::vector<rlwe::Ciphertext> inputs = {party.encrypt(state_bits(0xae25ad3ca8fa9ccf, blocks), 4),
                                                  party.encrypt(state_bits(0, blocks), 5),
                                                  party.encrypt(state_bits(0xfedcba9876543210, blocks), 6)};
    for (const char* const run : {"first", "second"}) {
      party.context->engine()->synchronize();
      const auto start = std::chrono::steady_clock::now();
      const circuit::Computed computed = circuit::compute(prince, inputs, party.keys, blocks);
      party.context->engine()->synchronize();
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      const bool right = party.decrypt(computed.outputs[0]) == state_bits(0x0123456789abcdef, blocks);
      failures += !right;
      std::printf(
          "{\"circuit\": \"prince\", \"n\": 32768, \"blocks\": %zu, \"run\": \"%s\", \"seconds\": %.4f, "
          "\"seconds_per_block\": %.4f, \"right\": %s}\n",
          blocks, run, spent.count(), spent.count() / static_cast<double>(blocks), right ? "true" : "false");
      std::fflush(stdout);
    }
  }
  return failures == 0 ? 0 : 1;
}
