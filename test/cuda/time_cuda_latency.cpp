// SPDX-License-Identifier: Apache-2.0
// Where one call's time goes, by the host's clock: until the call returns, until its result is dropped, and until a
// synchronisation has returned; and what a call takes among many. Arguments are degrees (all four without one),
// bfv or bgv, and only=TEXT, which leaves out operations that have no TEXT in their name; trace makes forty calls of
// each alone and measures nothing, for a profiler. Prints a JSON line for each operation.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "engines.hpp"
#include "party.hpp"

using namespace cyclotome;

namespace {

using Clock = std::chrono::steady_clock;

double between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

double quantile(std::vector<double> values, double part) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

struct Wanted {
  std::vector<std::size_t> degrees;
  std::string scheme, operation;
  bool trace = false;
};

template <class Operation>
void time_operation(const Wanted& wanted, CudaEngine& engine, const std::string& where, const char* name,
                    const Operation& operation) {
  if (std::string(name).find(wanted.operation) == std::string::npos) return;
  for (int i = 0; i < 30; ++i) static_cast<void>(operation());
  engine.synchronize();
  if (wanted.trace) {
    for (int i = 0; i < 40; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(400));
      static_cast<void>(operation());
      engine.synchronize();
    }
    return;
  }
  std::vector<double> call, drop, wait, all, among;
  for (int i = 0; i < 300; ++i) {
    const auto start = Clock::now();
    auto returned = start;
    {
      [[maybe_unused]] const auto result = operation();
      returned = Clock::now();
    }
    const auto dropped = Clock::now();
    engine.synchronize();
    const auto end = Clock::now();
    call.push_back(between(start, returned));
    drop.push_back(between(returned, dropped));
    wait.push_back(between(dropped, end));
    all.push_back(between(start, end));
  }
  for (int turn = 0; turn < 15; ++turn) {
    constexpr int burst = 40;
    const auto start = Clock::now();
    for (int i = 0; i < burst; ++i) static_cast<void>(operation());
    engine.synchronize();
    among.push_back(between(start, Clock::now()) / burst);
  }
  std::printf(
      "{%s, \"operation\": \"%s\", \"alone_us\": %.2f, \"least_us\": %.2f, \"call_us\": %.2f, \"drop_us\": %.2f, "
      "\"wait_us\": %.2f, \"among_us\": %.2f}\n",
      where.c_str(), name, quantile(all, 0.5), quantile(all, 0.05), quantile(call, 0.5), quantile(drop, 0.5),
      quantile(wait, 0.5), quantile(among, 0.5));
  std::fflush(stdout);
}

void time_scheme(const Wanted& wanted, const rlwe::Scheme& scheme, const char* scheme_name, std::size_t degree,
                 unsigned log_q) {
  const auto engine = CudaEngine::create(0);
  const check::Party party(scheme::make_context(check::planned(&scheme, degree, log_q, Word::u32, false), engine), 1);
  const rlwe::Plaintext plain = party.plain(0, 1, 3);
  const rlwe::Ciphertext a = party.encrypted(0, 1, 5), b = party.encrypted(0, 1, 7);
  const std::string where = std::string("\"scheme\": \"") + scheme_name + "\", \"degree\": " + std::to_string(degree);
  const auto time = [&](const char* name, const auto& operation) {
    time_operation(wanted, *engine, where, name, operation);
  };
  time("add", [&] { return scheme::add(a, b); });
  time("multiply_relinearize", [&] { return scheme::multiply_relinearized(a, b, party.evaluation); });
  time("multiply", [&] { return scheme::multiply(a, b); });
  time("rotate", [&] { return rlwe::apply_galois(a, 3, party.evaluation); });
  time("encrypt", [&] { return scheme::encrypt(plain, party.key); });
  time("decrypt", [&] { return scheme::decrypt(a, party.secret); });
  time("decrypt, unchecked", [&] { return scheme::decrypt_unchecked(a, party.secret); });
  time("decrypt, read", [&] { return scheme::decrypt(a, party.secret).polynomials().to_host(); });
}

}  // namespace

int main(int count, char** arguments) {
  if (!check::has_device()) return check::skipped;
  Wanted wanted;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (const std::size_t degree = std::strtoul(arguments[i], nullptr, 10); degree != 0) {
      wanted.degrees.push_back(degree);
    } else if (argument.starts_with("only=")) {
      wanted.operation = argument.substr(5);
    } else if (argument == "trace") {
      wanted.trace = true;
    } else {
      wanted.scheme = argument;
    }
  }
  for (const auto& [degree, log_q] :
       {std::pair<std::size_t, unsigned>{4096, 72}, {8192, 174}, {16384, 389}, {32768, 825}}) {
    if (!wanted.degrees.empty() && !std::ranges::count(wanted.degrees, degree)) continue;
    if (wanted.scheme != "bgv") time_scheme(wanted, bfv::scheme(), "bfv", degree, log_q);
    if (wanted.scheme != "bfv") time_scheme(wanted, bgv::scheme(), "bgv", degree, log_q);
  }
  return 0;
}
