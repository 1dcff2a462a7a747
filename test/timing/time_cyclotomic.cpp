// SPDX-License-Identifier: Apache-2.0
// What a transform over Phi_m costs beside the negacyclic one of the power of two at or above its degree, with every
// instruction set of this machine: one thread, least thread CPU time of many repetitions, the two in turn; "ratio" is
// the median of their ratios. Every result is compared with the scalar loops' before it is timed.
//
// Usage: time_cyclotomic [SECONDS [M ...]]: SECONDS a row (0.2), rings (65535, 21845, 4369, 8191). One JSON object a
// line; "step" is what the prime is 1 modulo, in multiples of m: it decides how far convolutions split.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/steps/limb_transform.hpp"
#include "cyclotome/math/primes.hpp"

using namespace cyclotome;

namespace {

double microseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

/// Words where an engine's buffers begin: on a cache line.
template <LimbWord W>
class Words {
 public:
  explicit Words(std::size_t count) : words_(count + 64 / sizeof(W)) {
    void* start = words_.data();
    std::size_t bytes = words_.size() * sizeof(W);
    data_ = static_cast<W*>(std::align(64, count * sizeof(W), start, bytes));
  }
  W* data() noexcept { return data_; }

 private:
  std::vector<W> words_;
  W* data_;
};

struct Times {
  std::vector<double> least;
  double ratio = 0;  ///< of the first to the third: the median over rounds, each of which sees one state of the machine
};

/// All of them in turn, round by round.
Times times_of(const std::vector<std::function<void()>>& works, double seconds) {
  Times times{std::vector<double>(works.size(), std::numeric_limits<double>::infinity())};
  std::vector<double> ratios, round(works.size());
  for (const double end = microseconds() + 1e6 * seconds; microseconds() < end;) {
    for (std::size_t i = 0; i < works.size(); ++i) {
      const double start = microseconds();
      works[i]();
      round[i] = microseconds() - start;
      times.least[i] = std::min(times.least[i], round[i]);
    }
    ratios.push_back(round[0] / round[2]);
  }
  std::ranges::nth_element(ratios, ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2));
  times.ratio = ratios[ratios.size() / 2];
  return times;
}

template <LimbWord W>
void measure(std::uint64_t m, unsigned bits, std::uint64_t multiple, double seconds) {
  const RingShapePtr shape = RingShape::cyclotomic(m);
  const std::size_t n = shape->degree(), power = std::bit_ceil(n);
  const std::uint64_t step = std::max(shape->transform_step(), multiple * m);
  const auto found = primes_congruent_to_one(bits, step, 1);
  const Word word = sizeof(W) == 4 ? Word::u32 : Word::u64;
  const RingPtr ring = Ring::create(shape, Basis(word, found));
  const RingPtr beside = Ring::negacyclic(power, Basis(word, primes_congruent_to_one(bits, 2 * power, 1)));
  const auto& tables = ring->transform_as<PrimeFactorTables<W>>(0);
  std::vector<W> a(n), expected;
  Words<W> data(n), other(power);
  for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<W>((7 * i * i + 3 * i + 1) % found[0]);
  for (const cpu::InstructionSet set : cpu::instruction_sets()) {
    const cpu::Kernels<W>& kernels = cpu::kernels<W>(set);
    const auto& convolutions = kernels.convolutions(tables.modulus.value());
    cpu::TransformScratch<W> scratch(tables);
    std::ranges::copy(a, data.data());
    cpu::to_transform(convolutions, data.data(), tables, scratch.data());
    if (expected.empty()) expected.assign(data.data(), data.data() + n);
    bool right = std::equal(expected.begin(), expected.end(), data.data());
    cpu::to_coefficients(convolutions, data.data(), tables, scratch.data());
    right = right && std::equal(a.begin(), a.end(), data.data());
    const auto [best, ratio] =
        times_of({
                     [&] { cpu::to_transform(convolutions, data.data(), tables, scratch.data()); },
                     [&] { cpu::to_coefficients(convolutions, data.data(), tables, scratch.data()); },
                     [&] { kernels.forward_transform(other.data(), beside->tables<W>(0)); },
                     [&] {
                       kernels.inverse_transform(other.data(), beside->tables<W>(0),
                                                 cpu::InverseEnding<W>(beside->tables<W>(0)));
                     },
                 },
                 seconds);
    std::printf(
        "{\"m\": %llu, \"n\": %zu, \"word\": %u, \"prime\": %llu, \"step\": %llu, \"set\": \"%s\", \"right\": %s, "
        "\"forward_us\": %.1f, \"inverse_us\": %.1f, \"negacyclic\": %zu, \"negacyclic_forward_us\": %.1f, "
        "\"negacyclic_inverse_us\": %.1f, \"ratio\": %.2f}\n",
        static_cast<unsigned long long>(m), n, 8 * static_cast<unsigned>(sizeof(W)),
        static_cast<unsigned long long>(found[0]), static_cast<unsigned long long>(step / m),
        std::string(cpu::name_of(set)).c_str(), right ? "true" : "false", best[0], best[1], power, best[2], best[3],
        ratio);
    std::fflush(stdout);
    if (!right) std::exit(1);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 0.2;
  std::vector<std::uint64_t> indices;
  for (int i = 2; i < count; ++i) indices.push_back(std::strtoull(arguments[i], nullptr, 10));
  if (indices.empty()) indices = {65535, 21845, 4369, 8191};
  for (const std::uint64_t m : indices) {
    if (m != 8191) {
      for (const std::uint64_t multiple : {16, 64, 256}) measure<std::uint32_t>(m, 30, multiple, seconds);
      measure<std::uint32_t>(m, 28, 16, seconds);
    }
    const std::uint64_t whole = m == 8191 ? 1 << 14 : 256;
    measure<std::uint64_t>(m, 50, whole, seconds);
    measure<std::uint64_t>(m, 60, whole, seconds);
  }
}
