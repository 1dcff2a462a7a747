// SPDX-License-Identifier: Apache-2.0
// Times requests that know nothing of each other, from many threads on one engine: BFV products with relinearisation of
// one ciphertext each, whose operands and keys another thread made. Every result is compared with the CPU engine's.
// Arguments: degree (4096), threads, comma between them (1,4,16,32,64), requests of each thread (2000).
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "cyclotome/scheme/bfv/scheme.hpp"
#include "engines.hpp"
#include "party.hpp"

using namespace cyclotome;
using Clock = std::chrono::steady_clock;
using check::Party;
using rlwe::Ciphertext;

namespace {

constexpr std::size_t operands = 64;

struct Work {
  Party party;
  std::vector<Ciphertext> arrays;
  Work(const rlwe::Parameters& parameters, const EnginePtr& engine)
      : party(scheme::make_context(parameters, engine), 1) {
    for (std::size_t i = 0; i < operands; ++i) {
      arrays.push_back(party.encrypted(0, 1, static_cast<std::uint8_t>(10 + i)));
    }
  }
  Ciphertext request(std::size_t i) const {
    return scheme::multiply_relinearized(arrays[i % operands], arrays[(i + 1) % operands], party.evaluation);
  }
};

enum class Ends { queued, downloaded };

/// Seconds that all requests take from the first to the last; the last result of each thread goes to `last`.
double seconds(const Work& work, const EnginePtr& engine, unsigned threads, unsigned requests, Ends ends,
               std::vector<std::vector<std::uint64_t>>& last) {
  std::barrier ready(threads + 1);
  std::vector<std::thread> running;
  last.resize(threads);
  for (unsigned t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      for (unsigned r = 0; r < 4; ++r) static_cast<void>(work.request(t));  // graphs are made
      engine->synchronize();
      ready.arrive_and_wait();
      for (unsigned r = 0; r + 1 < requests; ++r) {
        const Ciphertext result = work.request(t + r);
        if (ends == Ends::downloaded) {
          std::uint64_t word = 0;
          engine->download(&word, result.polynomials().view().data, sizeof(word));
        }
      }
      last[t] = work.request(t).polynomials().to_host();
      ready.arrive_and_wait();
    });
  }
  ready.arrive_and_wait();
  const auto start = Clock::now();
  ready.arrive_and_wait();
  engine->synchronize();
  const double found = std::chrono::duration<double>(Clock::now() - start).count();
  for (std::thread& thread : running) thread.join();
  return found;
}

}  // namespace

int main(int count, char** arguments) {
  if (!check::has_device()) return check::skipped;
  const std::size_t degree = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 4096;
  std::string threads = count > 2 ? arguments[2] : "1,4,16,32,64";
  const auto requests = static_cast<unsigned>(count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 2000);
  const unsigned log_q = degree <= 4096 ? 72 : degree <= 8192 ? 174 : degree <= 16384 ? 372 : 750;
  const rlwe::Parameters parameters = check::planned(&bfv::scheme(), degree, log_q, Word::u32, false);
  const Work expected(parameters, check::host()), work(parameters, check::device());
  std::size_t wrong = 0;
  for (char* at = threads.data(); *at != 0;) {
    const auto some = static_cast<unsigned>(std::strtoul(at, &at, 10));
    if (*at == ',') ++at;
    for (const Ends ends : {Ends::queued, Ends::downloaded}) {
      std::vector<std::vector<std::uint64_t>> last;
      const unsigned each = std::max(2U, requests / some);
      double best = 1e300;
      for (int turn = 0; turn < 3; ++turn) {
        best = std::min(best, seconds(work, check::device(), some, each, ends, last));
        for (unsigned t = 0; t < some; ++t) wrong += last[t] != expected.request(t).polynomials().to_host();
      }
      std::printf("{\"degree\": %zu, \"threads\": %u, \"ends\": \"%s\", \"us_each\": %.2f, \"wrong\": %zu}\n", degree,
                  some, ends == Ends::queued ? "queued" : "downloaded", best / (some * each) * 1e6, wrong);
      std::fflush(stdout);
    }
  }
  return wrong == 0 ? 0 : 1;
}
