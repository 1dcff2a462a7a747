// SPDX-License-Identifier: Apache-2.0
// Residues on doubles at the edges of the ranges that transforms leave them in, one lane at a time, against plain
// integers: with quotients as x86's registers round them, and as NEON's do.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes_double.hpp"
#include "cyclotome/math/primes.hpp"

namespace {

using namespace cyclotome;

/// A register of one lane: the operations of the real ones on a plain double.
template <bool rounds_twice>
struct OneLane {
  using Vector = std::uint64_t;
  static constexpr std::size_t bytes = 8, registers = 16;

  static Vector either(Vector a, Vector b) { return a | b; }
  static Vector exclusive_or(Vector a, Vector b) { return a ^ b; }
  static Vector broadcast64(std::uint64_t x) { return x; }

  struct Doubles {
    using Vector = double;
    static constexpr unsigned roundings = rounds_twice ? 3 : 2, quotient_bits = rounds_twice ? 53 : 51;

    static Vector of(std::uint64_t words) { return std::bit_cast<double>(words); }
    static std::uint64_t words(Vector x) { return std::bit_cast<std::uint64_t>(x); }
    static Vector broadcast(double x) { return x; }
    static Vector add(Vector a, Vector b) { return a + b; }
    static Vector subtract(Vector a, Vector b) { return a - b; }
    static Vector multiply(Vector a, Vector b) {
      const volatile double product = a * b;  // rounded, whatever is done with it
      return product;
    }
    static Vector divide(Vector a, Vector b) { return a / b; }
    static Vector subtract_product(Vector c, Vector a, Vector b) { return std::fma(-a, b, c); }
    template <unsigned log_step = 0>
    static Vector rounded_product(Vector a, Vector b) {
      if constexpr (rounds_twice) {
        return std::nearbyint(multiply(a, b));
      } else {
        const volatile double shifted = std::fma(a, b, 0x1.8p52);
        return shifted - 0x1.8p52;
      }
    }
    static Vector where_negative(Vector x, Vector y) { return x < 0 ? y : 0; }
    static Vector add_where_negative(Vector x, Vector y) { return x < 0 ? x + y : x; }
  };
};

/// LanesDouble on integers.
template <bool rounds_twice, unsigned bits>
struct Lane {
  using R = OneLane<rounds_twice>;
  using L = cpu::LanesDouble<R, bits>;
  using Ranges = typename L::Ranges;

  std::uint64_t q;
  typename L::Prime prime;
  explicit Lane(std::uint64_t modulus) : q(modulus), prime(modulus) {}

  static std::uint64_t lane(i128 x) { return R::Doubles::words(static_cast<double>(x)); }
  static i128 integer(std::uint64_t x) { return static_cast<i128>(R::Doubles::of(x)); }
  std::uint64_t residue(i128 x) const { return static_cast<std::uint64_t>((x % q + q) % q); }

  /// The largest integer below `bound` units that a double holds.
  i128 edge(unsigned bound) const { return static_cast<i128>(q) * bound / Ranges::unit; }
  /// |x| in units, rounded up.
  unsigned units(i128 x) const {
    const i128 size = x < 0 ? -x : x;
    return static_cast<unsigned>((size * Ranges::unit + q - 1) / q);
  }

  /// Values within `bound` units: its edges, multiples of q and of half of q with their neighbours, random ones.
  std::vector<i128> values(unsigned bound) const {
    const i128 most = edge(bound);
    std::vector<i128> found;
    const auto take = [&](i128 x) {
      for (i128 y = x - 1; y <= x + 1; ++y) {
        if (y >= -most && y <= most) found.push_back(y);
      }
    };
    take(most), take(-most), take(0);
    for (i128 k = 1; k <= static_cast<i128>(2 * bound / Ranges::unit + 2); ++k) {
      take(k * q / 2), take(-k * static_cast<i128>(q) / 2);
    }
    std::mt19937_64 random(q);
    for (int i = 0; i < 200; ++i) found.push_back(static_cast<i128>(random()) % most * (i % 2 == 0 ? 1 : -1));
    return found;
  }
  std::vector<std::uint64_t> factors() const {
    std::vector<std::uint64_t> found = {0, 1, 2, q / 2 - 1, q / 2, q / 2 + 1, q - 2, q - 1};
    std::mt19937_64 random(q + 1);
    for (int i = 0; i < 60; ++i) found.push_back(random() % q);
    return found;
  }

  void products(bool by_centred) const {
    const auto range = values(Ranges::widest(by_centred));
    for (const std::uint64_t w : factors()) {
      auto factor = L::factor(w, 0);
      if (by_centred) factor = L::centred(factor, prime);
      const i128 operand = static_cast<i128>(factor.operand);
      CHECK_EQ(residue(operand), w);
      if (by_centred) CHECK((operand < 0 ? -operand : operand) <= static_cast<i128>(q / 2));
      for (const i128 x : range) {
        const i128 product = integer(L::finish(L::begin(lane(x), factor), prime));
        CHECK_EQ(residue(product), residue(static_cast<i128>(residue(x)) * w));
        CHECK(units(product) <= Ranges::product(units(x), by_centred));
      }
    }
  }
  void reductions() const {
    for (const i128 x : values(2 * Ranges::widest(true) < Ranges::unit << (53 - bits) ? 2 * Ranges::widest(true)
                                                                                      : Ranges::unit << (53 - bits))) {
      const i128 reduced = integer(L::conditional_subtract(lane(x), prime.limit));
      CHECK_EQ(residue(reduced), residue(x));
      CHECK(units(reduced) <= Ranges::reduced);
      CHECK_EQ(L::left(lane(x), prime), residue(x));
    }
    if (Ranges::whole) {
      for (const i128 x : values(Ranges::forward_end)) CHECK_EQ(L::left_whole(lane(x), prime), residue(x));
    }
    for (const i128 x : values(Ranges::unit)) {
      if (x > -static_cast<i128>(q) && x < static_cast<i128>(q)) CHECK_EQ(L::left_near(lane(x), prime), residue(x));
    }
  }
  void sums() const {
    for (const std::uint64_t w : factors()) {
      for (const std::uint64_t x : factors()) {
        for (const std::uint64_t b : {std::uint64_t{0}, std::uint64_t{1}, q / 2, q - 1}) {
          const std::uint64_t sum = L::multiply_add(lane(x), L::factor(w, 0), lane(b), prime);
          CHECK_EQ(L::left_near(sum, prime), residue(static_cast<i128>(x) * w + b));
        }
      }
    }
  }
};

template <bool rounds_twice, unsigned bits>
void check_class() {
  const std::uint64_t limit = std::uint64_t{1} << bits;
  for (const std::uint64_t q : {limit - 1, primes_congruent_to_one(bits, 2048, 1)[0], limit / 2 + 1, limit / 8 + 1,
                                std::uint64_t{65537}, std::uint64_t{12289}}) {
    const Lane<rounds_twice, bits> lane(q);
    lane.products(false);
    if (Lane<rounds_twice, bits>::Ranges::centred) lane.products(true);
    lane.reductions();
    lane.sums();
  }
}

TEST(ranges_hold_with_quotients_rounded_once) {
  check_class<false, 47>();
  check_class<false, 49>();
  check_class<false, 50>();
}

TEST(ranges_hold_with_quotients_rounded_twice) {
  check_class<true, 47>();
  check_class<true, 49>();
  check_class<true, 50>();
}

/// The shortest classes never reduce in a forward transform; the plans of the others reduce somewhere, and every plan
/// of a pass or of leaves keeps its bounds.
template <class Ranges>
void check_plans() {
  for (const bool by_centred : {false, true}) {
    const unsigned begin = Ranges::forward_between;
    CHECK((typename Ranges::template Forward<2>(begin, begin, by_centred).holds));
    CHECK((typename Ranges::template Forward<3>(begin, begin, by_centred).holds));
  }
  CHECK((typename Ranges::template Forward<4>(Ranges::forward_between, Ranges::forward_end, false).holds));
  CHECK((!typename Ranges::template Forward<4>(Ranges::forward_between, Ranges::reduced, false).holds ||
         Ranges::never_reduces));
  CHECK((typename Ranges::template Inverse<2>(Ranges::inverse_between, Ranges::centred).holds));
  CHECK((typename Ranges::template Inverse<3>(Ranges::inverse_between, Ranges::centred).holds));
  CHECK((!typename Ranges::template Inverse<3>(2 * Ranges::inverse_between + 2, Ranges::centred).holds));
}

TEST(plans_keep_their_bounds) {
  check_plans<cpu::DoubleRanges<2, 51, 50>>();
  check_plans<cpu::DoubleRanges<2, 51, 49>>();
  check_plans<cpu::DoubleRanges<2, 51, 47>>();
  check_plans<cpu::DoubleRanges<3, 53, 49>>();
  check_plans<cpu::DoubleRanges<3, 53, 47>>();
  CHECK((cpu::DoubleRanges<2, 51, 47>::never_reduces && cpu::DoubleRanges<3, 53, 47>::never_reduces));
  CHECK((!cpu::DoubleRanges<2, 51, 48>::never_reduces && !cpu::DoubleRanges<2, 51, 49>::never_reduces));
}

}  // namespace

int main() { return cyclotome::check::run(); }
