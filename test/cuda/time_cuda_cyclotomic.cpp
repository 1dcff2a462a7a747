// SPDX-License-Identifier: Apache-2.0
// Times transforms over Phi_m on a GPU, by matrices and by axes, alone and in batches; prints JSON lines. Host clock
// around calls in a row that end with a synchronisation, median of 9 after warming up.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "engines.hpp"
#include "seed.hpp"

using namespace cyclotome;

namespace {

/// Primes of one index that are timed together; `most`: limbs of the largest batch.
struct Row {
  std::size_t m;
  Word word;
  unsigned bits;
  std::size_t most;
};

constexpr std::size_t primes_of_a_ring = 16;

/// As many primes of these bits as there are, up to 16.
std::vector<std::uint64_t> some_primes(const Row& row) {
  const std::uint64_t step = RingShape::cyclotomic(row.m)->transform_step();
  for (std::size_t count = primes_of_a_ring; count > 1; --count) {
    try {
      return primes_congruent_to_one(row.bits, step, count);
    } catch (const ParameterError&) {
      continue;  // too few of them
    }
  }
  return primes_congruent_to_one(row.bits, step, 1);
}

template <class Call>
double median_us(unsigned calls, const Call& call) {
  std::vector<double> times;
  for (int i = 0; i < 11; ++i) {
    check::device()->synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (unsigned c = 0; c < calls; ++c) call();
    check::device()->synchronize();
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
    if (i >= 2) times.push_back(taken.count() / calls);
  }
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

void time_row(const Row& row) {
  const std::vector<std::uint64_t> primes = some_primes(row);
  for (std::size_t limbs = 1; limbs <= row.most; limbs *= limbs < 64 ? 8 : 4) {
    const std::size_t of_a_ring = std::min(limbs, primes.size()), batch = limbs / of_a_ring;
    const auto end = primes.begin() + static_cast<std::ptrdiff_t>(of_a_ring);
    PolyArray a(check::device(), Ring::cyclotomic(row.m, Basis(row.word, {primes.begin(), end})), batch, 1);
    check::device()->sample(a.view(), Law::uniform, check::seed(0), Stream::secret);
    View transform = a.view();
    transform.domain = Domain::transform;
    const unsigned calls = limbs > 1000 ? 4 : 20;
    const double forward = median_us(calls, [&] { check::device()->forward(a.view()); });
    const double inverse = median_us(calls, [&] { check::device()->inverse(transform); });
    const auto all = static_cast<double>(batch * of_a_ring);
    std::printf(
        "{\"index\": %zu, \"word\": %u, \"bits\": %u, \"limbs\": %zu, \"forward_us\": %.4f, \"inverse_us\": %.4f}\n",
        row.m, bits_of(row.word), row.bits, batch * of_a_ring, forward / all, inverse / all);
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  if (!check::has_device()) return check::skipped;
  for (const Row& row :
       {Row{65535, Word::u32, 30, 16384}, Row{65535, Word::u32, 24, 4096}, Row{21845, Word::u32, 30, 16384},
        Row{13107, Word::u32, 30, 16384}, Row{4369, Word::u32, 30, 16384}, Row{1105, Word::u32, 30, 16384},
        Row{65535, Word::u64, 50, 1024}, Row{21845, Word::u64, 50, 1024}, Row{21845, Word::u64, 60, 1024},
        Row{8191, Word::u64, 50, 1024}}) {
    time_row(row);
  }
}
