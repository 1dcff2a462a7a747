// SPDX-License-Identifier: Apache-2.0
// What a program of another library says over its pipes when `cyclotome bench --peer-program` asks it: see README.md
// here.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace peer {

/** The work: both operands hold `degree` values modulo `plain_modulus`, two rows of slots. */
struct Problem {
  std::string scheme;
  std::uint64_t degree{}, plain_modulus{};
  std::vector<std::uint64_t> moduli;  ///< The last one is special: it serves key switching alone.
  std::vector<std::uint64_t> x, y;
};

/** Keys and operands of one problem, and operations that leave their result where `values` finds it. */
class Peer {
 public:
  virtual ~Peer() = default;
  /** The library's name and version. */
  [[nodiscard]] virtual std::string name() const = 0;
  /** What the last run of an operation means: `degree` values in [0, plain_modulus). */
  virtual std::vector<std::uint64_t> values(const std::string& operation) = 0;
  /** Bits of noise budget of that result, if the library can tell. */
  virtual std::optional<int> noise(const std::string&) { return std::nullopt; }
  /** log2 of the ciphertexts' modulus and of the keys', where the library does not take the problem's primes. */
  virtual std::optional<std::pair<double, double>> modulus_bits() { return std::nullopt; }

  std::map<std::string, std::function<void()>> operations;
};

inline std::vector<std::uint64_t> numbers(std::istream& in) {
  std::size_t count{};
  in >> count;
  std::vector<std::uint64_t> out(count);
  for (auto& value : out) in >> value;
  if (!in) throw std::runtime_error("the problem ends early");
  return out;
}

inline std::int64_t nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

inline void answer(Peer& peer, const std::string& verb, const std::string& operation, std::istream& rest) {
  if (verb == "values") {
    std::cout << "values";
    for (auto value : peer.values(operation)) std::cout << ' ' << value;
    std::cout << std::endl;
    return;
  }
  if (verb == "noise") {
    const auto bits = peer.noise(operation);
    std::cout << "noise " << (bits ? std::to_string(*bits) : "unknown") << std::endl;
    return;
  }
  const auto found = peer.operations.find(operation);
  if (verb != "run" || found == peer.operations.end()) throw std::runtime_error("cannot " + verb + ' ' + operation);
  long loops{};
  rest >> loops;
  const auto wall = nanoseconds(CLOCK_MONOTONIC), thread = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  for (long i = 0; i < loops; ++i) found->second();
  const auto spent = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - thread;
  std::cout << "time " << nanoseconds(CLOCK_MONOTONIC) - wall << ' ' << spent << std::endl;
}

/** Reads a problem, then obeys until the input ends. */
inline int serve(const std::function<std::unique_ptr<Peer>(const Problem&)>& make) {
  std::unique_ptr<Peer> peer;
  try {
    Problem problem;
    std::cin >> problem.scheme >> problem.degree >> problem.plain_modulus;
    problem.moduli = numbers(std::cin);
    problem.x = numbers(std::cin);
    problem.y = numbers(std::cin);
    peer = make(problem);
    std::cout << "ready " << peer->name() << '\n' << "operations";
    for (const auto& [name, run] : peer->operations) std::cout << ' ' << name;
    std::cout << '\n' << "modulus";
    if (const auto bits = peer->modulus_bits()) std::cout << ' ' << bits->first << ' ' << bits->second;
    std::cout << std::endl;
  } catch (const std::exception& error) {
    std::cout << "refused " << error.what() << std::endl;
    return 1;
  }
  std::string line;
  std::getline(std::cin, line);  // what follows the problem's last number
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string verb, operation;
    words >> verb >> operation;
    try {
      answer(*peer, verb, operation, words);
    } catch (const std::exception& error) {
      std::cout << "refused " << error.what() << std::endl;
    }
  }
  return 0;
}

}  // namespace peer
