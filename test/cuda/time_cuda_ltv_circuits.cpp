// SPDX-License-Identifier: Apache-2.0
// How long PRINCE takes in LTV on a GPU with the paper's set, by the host's clock: 1024 blocks at once, whose results
// tests check; here ciphertexts hide nothing. time_cuda_ltv_circuits [RUNS], by default 4.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "cyclotome/circuit/jobs/prince.hpp"
#include "cyclotome/engine/cuda/study/ltv_batch_engine.hpp"
#include "cyclotome/study/circuit/ltv_algebra.hpp"
#include "engines.hpp"
#include "ltv_operands.hpp"

using namespace cyclotome;
using namespace cyclotome::study::ltv;

int main(int count, char** arguments) {
  if (!check::has_device()) return check::skipped;
  const unsigned long runs = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 4;
  const auto parameters = Parameters::create(preset("002-prince"));
  std::mt19937_64 random(1);
  const SwitchingKey key = check::any_key(parameters, random);
  const circuit::Circuit prince = circuit::prince_encryption();
  std::vector<std::vector<Ciphertext>> inputs;
  for (const auto& port : prince.inputs()) inputs.push_back(check::any_ciphertexts(key, port.wires.size(), random));
  const auto timed = [](const char* what, auto&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    std::printf("{\"what\": \"%s\", \"seconds\": %.4f}\n", what, spent.count());
    std::fflush(stdout);
  };
  BatchEnginePtr engine;
  timed("key", [&] { engine = ltv_batch_engine(LtvEngine::create(parameters->arithmetic()), key); });
  const study::LtvAlgebra algebra(engine);
  std::vector<circuit::BatchPtr> placed;
  timed("inputs", [&] {
    for (const auto& input : inputs) placed.push_back(algebra.batch(input));
  });
  const study::LtvCounts counts = study::plan(prince, algebra, placed);
  std::printf("{\"transforms\": %zu, \"products\": %zu, \"key_bytes\": %zu, \"peak_bytes\": %zu}\n", counts.transforms,
              counts.products, counts.key_bytes, counts.peak_bytes);
  for (unsigned long run = 0; run < runs; ++run) {
    timed("PRINCE, 1024 blocks", [&] {
      const auto outputs = study::compute(prince, algebra, placed);
      engine->synchronize();
    });
  }
  return 0;
}
