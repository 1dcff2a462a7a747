// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <time.h>
#include <vector>

// Whether the time of operations depends on secrets, as dudect measures it (Reparaz, Balasch, Verbauwhede, "Dude, is my
// code constant time?", 2017): the same operation on two classes of secrets, in random order, and Welch's t of the two
// sets of times, which are those of the thread's own processor time.
//
// Class 0 is the secret that short cuts would be fastest for: values, keys and messages of zeros. Class 1 is random.
// Every class is held several times, at addresses of its own, so that caches treat both alike, and the longest tenth of
// all times is left out, which is what other programs on the machine cost. An operation fails if in most rounds |t| is
// above 10 with the same sign and the means differ by more than 2 %. Where there is no difference, t is a normal
// deviate, however busy the machine: |t| > 10 in one round has a probability below 10^-22. The 2 % are for what is left
// of the addresses. A branch on every value, which class 1 makes mispredict half of the time, costs a tenth and more,
// and a program begins by finding one of those: a check that sees nothing fails.
namespace cyclotome::dudect {

inline constexpr std::size_t degree = 1024, copies = 8, rounds = 5, usual_measurements = 4000;
inline constexpr double largest_t = 10, largest_difference = 0.02;

/// operation(class, copy): what is timed.
using Operation = std::function<void(std::size_t, std::size_t)>;

struct Outcome {
  double t, difference;  // Welch's t; (mean of class 0 - mean of class 1) / mean
};

inline double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double mean_of(const std::vector<double>& times) {
  double sum = 0;
  for (const double time : times) sum += time;
  return sum / static_cast<double>(times.size());
}

inline double variance_of(const std::vector<double>& times, double mean) {
  double sum = 0;
  for (const double time : times) sum += (time - mean) * (time - mean);
  return sum / static_cast<double>(times.size() - 1);
}

inline Outcome one_round(const Operation& operation, std::size_t measurements, std::mt19937_64& random) {
  std::vector<std::pair<double, std::size_t>> all;
  for (std::size_t i = 0; i < measurements; ++i) {
    const std::size_t which = random() % 2, copy = random() % copies;
    const double start = thread_seconds();
    operation(which, copy);
    all.emplace_back(thread_seconds() - start, which);
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

/// Whether the time of the operation depends on the class. measurements: in each round.
inline bool leaks(const std::string& name, const Operation& operation, std::size_t measurements = usual_measurements) {
  static std::mt19937_64 random(std::random_device{}());
  for (std::size_t i = 0; i < 4 * copies; ++i) operation(i % 2, i / 2 % copies);
  std::size_t slower[2] = {0, 0};
  double worst_t = 0, worst_difference = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Outcome round = one_round(operation, measurements, random);
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

/// Keeps what a measured operation made from being optimised away.
template <class T>
void keep(const T& made) {
  asm volatile("" : : "r"(&made) : "memory");
}

/// Whether a branch on every value is found: the check of the check.
inline bool sees_a_branch() {
  std::mt19937_64 random(std::random_device{}());
  std::vector<std::vector<std::int64_t>> values[2];
  for (const std::size_t c : {0, 1}) {
    for (std::size_t copy = 0; copy < copies; ++copy) {
      values[c].emplace_back(degree, 0);
      for (auto& v : values[c].back()) v = c == 0 ? 0 : static_cast<std::int64_t>(random() % 3) - 1;
    }
  }
  return leaks("a branch on every value, which must be seen", [&](std::size_t c, std::size_t i) {
    std::int64_t sum = 0;
    for (const auto v : values[c][i]) {
      if (v < 0) asm volatile("" : "+r"(sum));
      sum += v;
    }
    keep(sum);
  });
}

}  // namespace cyclotome::dudect
