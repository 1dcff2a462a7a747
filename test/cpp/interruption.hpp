// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work that is stopped at each place at which it can be.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::check {

using Words = std::vector<std::uint64_t>;

inline constexpr std::chrono::nanoseconds always{0};

/// How often `work` asks whether it shall go on.
inline std::size_t count_checks(const std::function<void()>& work) {
  std::size_t checks = 0;
  const InterruptScope scope([&] { ++checks; }, always);
  work();
  return checks;
}

/// Ends `work` at the check with this number; false if it ended by itself before.
inline bool stopped_at(std::size_t number, const std::function<void()>& work) {
  std::size_t checks = 0;
  const InterruptScope scope(
      [&] {
        if (++checks > number) throw Interrupted("stop");
      },
      always);
  try {
    work();
  } catch (const Interrupted& error) {
    CHECK_EQ(std::string(error.what()), std::string("stop"));  // and not what other threads say to each other
    return true;
  }
  return false;
}

/// Runs a program on memory full of ones, and stops it at each check. Where it had not begun nothing was written; after
/// that nothing may be left, not even what would be public in the end: it was secret on the way. least: stops after
/// which something was zeroised; an engine with a native for all of a program asks once.
inline void leaves_nothing(std::string_view program, PolyArray& out, const std::function<void()>& run,
                           std::size_t least = 3) {
  const std::size_t checks = count_checks(run);
  const Words finished = out.to_host(), ones(finished.size(), 1), zeros(finished.size(), 0);
  std::size_t wiped = 0;
  for (std::size_t number = 0; number < checks; ++number) {
    out.from_host(ones);
    if (!stopped_at(number, run)) continue;
    const Words left = out.to_host();
    wiped += left == zeros ? 1 : 0;
    if (left != zeros && left != ones) CHECK_EQ(std::string(program), message("left at ", number));
  }
  CHECK(wiped >= least);
  out.from_host(ones);
  run();
  CHECK(out.to_host() == finished);
}

}  // namespace cyclotome::check
