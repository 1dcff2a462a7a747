// SPDX-License-Identifier: Apache-2.0
// The GPU's transform over Phi_m by products with small matrices, layer by layer on the host: the CPU's bits for every
// way of spreading a limb over blocks, and the ranges that its arithmetic rests on.
#include <random>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/cuda/phi_m/matrix_transform.hpp"
#include "cyclotome/engine/poly.hpp"
#include "host_warp.hpp"

using namespace cyclotome;
using check::HostWarp;
using cuda::ByteSums;
using cuda::MatrixPlan;
using cuda::MatrixTables;
using cuda::MatrixTransform;
using cuda::Quad;

namespace {

std::mt19937_64 random_bits;

/// The memory of all blocks, as one of them sees it.
struct HostSpace {
  std::vector<std::vector<Quad>>& all;
  unsigned rank;
  Quad& quads(unsigned i) { return all[rank].at(i); }
  void send(unsigned block, unsigned i, const Quad& quad) { all.at(block).at(i) = quad; }
};

template <class Plan>
void transform(std::vector<std::uint32_t>& limb, const MatrixTables& tables) {
  std::vector<std::vector<Quad>> memory(Plan::blocks, std::vector<Quad>(Plan::local / 4));
  const auto layer = [&](const auto& body) {
    for (unsigned rank = 0; rank < Plan::blocks; ++rank) {
      for (unsigned warp = 0; warp < Plan::warps; ++warp) {
        HostSpace space{memory, rank};
        body(MatrixTransform<Plan, HostWarp, HostSpace>(tables, space, rank, warp));
      }
    }
  };
  layer([&](const auto& of_warp) {
    HostWarp::Quads<4> x[Plan::tasks];
    of_warp.load(x, [&](unsigned place) { return HostWarp::load(limb.data() + place); });
    of_warp.first(x);
  });
  layer([](const auto& of_warp) { of_warp.second(); });
  layer([](const auto& of_warp) { of_warp.third(); });
  layer([&](const auto& of_warp) {
    of_warp.fourth([&](unsigned place, const Quad& quad) { HostWarp::store(limb.data() + place, quad); });
  });
}

/// random, or p - 1 but for a few.
std::vector<std::uint32_t> residues(std::size_t degree, std::uint32_t p, bool extreme) {
  std::vector<std::uint32_t> made(degree);
  for (auto& x : made) x = static_cast<std::uint32_t>(extreme && random_bits() % 64 != 0 ? p - 1 : random_bits() % p);
  return made;
}

std::vector<std::uint32_t> on_the_cpu(const RingPtr& ring, const std::vector<std::uint32_t>& limb, bool inverse) {
  PolyArray a(CpuEngine::create(1), ring, 1, 1, inverse ? Domain::transform : Domain::coefficient);
  a.from_host(std::vector<std::uint64_t>(limb.begin(), limb.end()));
  inverse ? a.to_coefficient() : a.to_transform();
  const auto values = a.to_host();
  return {values.begin(), values.end()};
}

template <unsigned Small, unsigned... LogC>
void check_index(std::size_t m, const std::vector<std::uint64_t>& primes) {
  for (const std::uint64_t p : primes) {
    const RingPtr ring = Ring::cyclotomic(m, Basis(Word::u32, {p}));
    const auto& tables = ring->transform_as<PrimeFactorTables<std::uint32_t>>(0);
    CHECK_EQ(cuda::matrix_rows(*tables.index).value_or(0), Small);
    for (const bool inverse : {false, true}) {
      const MatrixTables matrices = cuda::matrix_tables(tables, inverse);
      for (const bool extreme : {false, true}) {
        const auto limb = residues(ring->degree(), static_cast<std::uint32_t>(p), extreme);
        const auto expected = on_the_cpu(ring, limb, inverse);
        const auto with = [&]<unsigned Log>() {
          auto ours = limb;
          transform<MatrixPlan<Small, Log>>(ours, matrices);
          CHECK(ours == expected);
        };
        (with.template operator()<LogC>(), ...);
      }
    }
  }
}

// Primes: the smallest, and of 30 bits with 16, 64 or 256 times the index below them.
TEST(transforms_are_the_cpus) {
  check_index<1, 0, 1>(4369, {489329, 1073166209, 1067014657});
  check_index<2, 0, 1, 2>(13107, {629137, 1072676881, 1067014657});
  check_index<4, 0, 1, 2, 3>(21845, {4893281, 1072676881, 1048560001, 950694401});
  check_index<8, 1, 2, 3>(65535, {5242801, 1072676881, 1048560001, 838848001});
  CHECK(HostWarp::largest_sum < 64u * 255 * 255);
}

TEST(other_indices_have_no_matrices) {
  for (const std::uint64_t m : {3u, 17u, 257u, 255u, 5u * 257, 7u * 17 * 257, 3u * 31 * 257}) {
    CHECK(!cuda::matrix_rows(CyclotomicIndex(m, RingShape::max_degree)));
  }
}

/// The largest sums that there can be, and others at random, for the least and the largest moduli.
TEST(sums_are_combined_without_overflow) {
  constexpr std::uint32_t most = 64 * 255 * 255, most_top = 64 * 255 * 63;
  for (const std::uint32_t p : {(1u << 16) + 1, 4893281u, (1u << 29) + 1, (1u << 30) - 1}) {
    const ByteSums sums = cuda::byte_sums(p);
    int wrong = 0;
    for (int i = 0; i < 100000; ++i) {
      const auto draw = [&](std::uint32_t bound) {
        return static_cast<std::uint32_t>(i == 0 ? bound : random_bits() % (bound + 1));
      };
      const std::uint32_t s[4] = {draw(most), draw(most), draw(most), draw(most_top)};
      const std::uint64_t value =
          s[0] + (std::uint64_t{s[1]} << 8) + (std::uint64_t{s[2]} << 16) + (std::uint64_t{s[3]} << 24);
      const std::uint32_t word = sums.combined(s[0], s[1], s[2], s[3]);
      wrong += static_cast<int>(word % p != value % p || sums.canonical(word) != value % p);
    }
    CHECK_EQ(wrong, 0);
    for (const std::uint32_t x : {0u, p - 1, p, p + 1, 0u - 1, 0u - p}) CHECK_EQ(sums.canonical(x), x % p);
  }
}

/// Eight lanes that move 16 bytes at a time find different banks.
template <class Plan>
bool without_conflicts(unsigned (*quad)(unsigned lane)) {
  for (unsigned phase = 0; phase < 4; ++phase) {
    unsigned seen = 0;
    for (unsigned lane = 8 * phase; lane < 8 * phase + 8; ++lane) seen |= 1u << quad(lane) % 8;
    if (seen != 0xff) return false;
  }
  return true;
}

TEST(lanes_find_different_banks) {
  const auto check = []<class Plan>(Plan) {
    CHECK(without_conflicts<Plan>([](unsigned l) { return Plan::quad(0, l % 4, l / 4, 1); }));
    CHECK(without_conflicts<Plan>([](unsigned l) { return Plan::quad(0, 2 * (l % 4) + 1, l / 4 + 8, 1); }));
    CHECK(without_conflicts<Plan>([](unsigned l) { return Plan::quad(0, l / 4, 5, l % 4); }));
    CHECK(without_conflicts<Plan>([](unsigned l) { return Plan::quad(0, 2 + l / 4 % 2, l % 4 + 4, l / 8); }));
  };
  check(MatrixPlan<8, 3>{});
  check(MatrixPlan<4, 2>{});
}

}  // namespace

int main() {
  const std::uint64_t seed = std::random_device()();
  std::cout << "seed " << seed << '\n';
  random_bits.seed(seed);
  return check::run();
}
