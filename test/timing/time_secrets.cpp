// SPDX-License-Identifier: Apache-2.0
// Whether the time of operations depends on secrets, as dudect measures it (Reparaz, Balasch, Verbauwhede, "Dude, is my
// code constant time?", 2017): the same operation on two classes of secrets, in random order, and Welch's t of the two
// sets of times. All instruction sets of the machine, AVX-512 among them, which valgrind does not know.
//
// Class 0 is the secret that short cuts would be fastest for: values, keys and messages of zeros. Class 1 is random.
// Every class is held several times, at addresses of its own, so that caches treat both alike, and the longest tenth of
// all times is left out, which is what other programs on the machine cost. An operation fails if in most rounds |t| is
// above 10 with the same sign and the means differ by more than 2 %. Where there is no difference, t is a normal
// deviate, however busy the machine: |t| > 10 in one round has a probability below 10^-22. The 2 % are for what is left
// of the addresses. A branch on every value, which class 1 makes mispredict half of the time, costs a tenth and more,
// and the program begins by finding one of those: a check that sees nothing fails.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "seed.hpp"

using namespace cyclotome;

namespace {

constexpr std::size_t degree = 1024, copies = 8, rounds = 5, measurements = 4000;
constexpr double largest_t = 10, largest_difference = 0.02;

/// operation(class, copy): what is timed.
using Operation = std::function<void(std::size_t, std::size_t)>;

struct Outcome {
  double t, difference;  // Welch's t; (mean of class 0 - mean of class 1) / mean
};

double mean_of(const std::vector<double>& times) {
  double sum = 0;
  for (const double time : times) sum += time;
  return sum / static_cast<double>(times.size());
}

double variance_of(const std::vector<double>& times, double mean) {
  double sum = 0;
  for (const double time : times) sum += (time - mean) * (time - mean);
  return sum / static_cast<double>(times.size() - 1);
}

Outcome one_round(const Operation& operation, std::mt19937_64& random) {
  std::vector<std::pair<double, std::size_t>> all;
  for (std::size_t i = 0; i < measurements; ++i) {
    const std::size_t which = random() % 2, copy = random() % copies;
    const auto start = std::chrono::steady_clock::now();
    operation(which, copy);
    all.emplace_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), which);
  }
  std::sort(all.begin(), all.end());
  std::vector<double> times[2];
  for (std::size_t i = 0; i < all.size() * 9 / 10; ++i) times[all[i].second].push_back(all[i].first);
  if (times[0].size() < 100 || times[1].size() < 100) return {1e9, 1};  // one class is the long tenth
  const double mean[2] = {mean_of(times[0]), mean_of(times[1])};
  double error = 0;
  for (const std::size_t c : {0, 1}) error += variance_of(times[c], mean[c]) / static_cast<double>(times[c].size());
  return {(mean[0] - mean[1]) / std::sqrt(error), 2 * (mean[0] - mean[1]) / (mean[0] + mean[1])};
}

/// Whether the time of the operation depends on the class.
bool leaks(const std::string& name, const Operation& operation) {
  static std::mt19937_64 random(std::random_device{}());
  for (std::size_t i = 0; i < 4 * copies; ++i) operation(i % 2, i / 2 % copies);
  std::size_t slower[2] = {0, 0};
  double worst_t = 0, worst_difference = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Outcome round = one_round(operation, random);
    if (std::abs(round.t) > largest_t && std::abs(round.difference) > largest_difference) ++slower[round.t < 0];
    if (std::abs(round.t) > std::abs(worst_t)) worst_t = round.t;
    if (std::abs(round.difference) > std::abs(worst_difference)) worst_difference = round.difference;
  }
  const bool found = std::max(slower[0], slower[1]) > rounds / 2;
  std::printf("%-44s largest |t| %6.1f, largest difference %6.2f %%%s\n", name.c_str(), std::abs(worst_t),
              100 * std::abs(worst_difference), found ? "  LEAKS" : "");
  std::fflush(stdout);
  return found;
}

rlwe::Parameters parameters(const rlwe::Scheme* scheme, Word word) {
  const auto primes = primes_congruent_to_one(word == Word::u32 ? 30 : 49, 2 * degree, 3);
  rlwe::ParametersLiteral literal;
  literal.scheme = scheme;
  literal.degree = degree;
  literal.word = word;
  literal.plain_moduli = {12289};
  literal.special_moduli = {primes[0]};
  literal.moduli = {primes.begin() + 1, primes.end()};
  literal.allow_insecure = true;
  return rlwe::Parameters(literal);
}

/// The secrets of both classes, and what belongs to them.
struct Secrets {
  std::vector<std::vector<std::int64_t>> values;
  std::vector<rlwe::Plaintext> messages;
  std::vector<rlwe::SecretKey> keys;
  std::vector<rlwe::PublicKey> public_keys;
  std::vector<rlwe::Ciphertext> ciphertexts;  // of random values, but for class 0 under its key of zeros
};

Secrets secrets_of(const rlwe::ContextPtr& context, std::size_t which) {
  std::mt19937_64 random(std::random_device{}());
  Secrets made;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    std::vector<std::int64_t> values(degree, 0);
    std::vector<std::int8_t> coefficients(degree, 0);
    for (auto& v : values) v = which == 0 ? 0 : static_cast<std::int64_t>(random() % 12289) - 6144;
    for (auto& c : coefficients) c = static_cast<std::int8_t>(which == 0 ? 0 : static_cast<int>(random() % 3) - 1);
    made.messages.push_back(encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, 1, degree));
    made.values.push_back(std::move(values));
    made.keys.push_back(rlwe::SecretKey::from_coefficients(context, coefficients, {}, rlwe::KeyCheck::skipped));
    made.public_keys.push_back(rlwe::PublicKey::generate(made.keys.back()));
    made.ciphertexts.push_back(scheme::encrypt(made.messages.back(), made.keys.back()));
  }
  return made;
}

/// Keeps what a measured operation made from being optimised away.
template <class T>
void keep(const T& made) {
  asm volatile("" : : "r"(&made) : "memory");
}

void check_operations(const rlwe::Scheme* kind, Word word, cpu::InstructionSet set) {
  const rlwe::ContextPtr context = scheme::make_context(parameters(kind, word), CpuEngine::create(1, set));
  const Secrets both[2] = {secrets_of(context, 0), secrets_of(context, 1)};
  const std::string where = message(kind->name(), " ", bits_of(word), " bits ", cpu::name_of(set), ": ");
  const auto seed = [] { return check::seed(1); };  // one for all, so that only secrets differ
  const auto check_one = [&](const char* name, const Operation& operation) { CHECK(!leaks(where + name, operation)); };
  check_one("encode", [&](std::size_t c, std::size_t i) {
    keep(encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, both[c].values[i], 1, degree));
  });
  check_one("decode",
            [&](std::size_t c, std::size_t i) { keep(decode_residues(both[c].messages[i], Encoding::Kind::slots)); });
  check_one("encrypt, public key", [&](std::size_t c, std::size_t i) {
    keep(scheme::deterministic::encrypt(both[c].messages[i], both[0].public_keys[i], seed()));
  });
  check_one("encrypt, secret key", [&](std::size_t c, std::size_t i) {
    keep(scheme::deterministic::encrypt(both[c].messages[i], both[c].keys[i], seed()));
  });
  check_one("public key", [&](std::size_t c, std::size_t i) {
    keep(rlwe::deterministic::generate_public_key(both[c].keys[i], seed()));
  });
  check_one("relinearisation key", [&](std::size_t c, std::size_t i) {
    keep(rlwe::deterministic::generate_evaluation_keys(both[c].keys[i], true, {}, seed()));
  });
  check_one("decrypt", [&](std::size_t c, std::size_t i) {
    keep(scheme::decrypt_unchecked(both[c].ciphertexts[i], both[c].keys[i]));
  });
  check_one("reveal", [&](std::size_t c, std::size_t i) {
    keep(scheme::deterministic::reveal(both[c].ciphertexts[i], both[c].keys[i], 8, seed()));
  });
}

}  // namespace

TEST(a_branch_on_every_value_is_seen) {
  std::mt19937_64 random(std::random_device{}());
  std::vector<std::vector<std::int64_t>> values[2];
  for (const std::size_t c : {0, 1}) {
    for (std::size_t copy = 0; copy < copies; ++copy) {
      values[c].emplace_back(degree, 0);
      for (auto& v : values[c].back()) v = c == 0 ? 0 : static_cast<std::int64_t>(random() % 3) - 1;
    }
  }
  CHECK(leaks("a branch on every value, which must be seen", [&](std::size_t c, std::size_t i) {
    std::int64_t sum = 0;
    for (const auto v : values[c][i]) {
      if (v < 0) asm volatile("" : "+r"(sum));
      sum += v;
    }
    keep(sum);
  }));
}

TEST(no_operations_time_depends_on_a_secret) {
  for (const auto set : cpu::instruction_sets()) {
    for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
      for (const Word word : {Word::u32, Word::u64}) check_operations(kind, word, set);
    }
  }
}

int main() { return cyclotome::check::run(); }
