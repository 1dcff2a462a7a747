// SPDX-License-Identifier: Apache-2.0
// Residues modulo primes just below a power of two at the edges of the ranges that transforms leave them in, one lane
// at a time, against plain integers.
#include <algorithm>
#include <random>
#include <vector>

#include "check.hpp"
#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes64_near.hpp"
#include "cyclotome/math/primes.hpp"

namespace {

using namespace cyclotome;

/// A register of one lane: the operations of the real ones on a plain word. Sums that would leave the signed or the
/// unsigned range of a word wrap, as they do there.
struct OneLane {
  using Vector = std::uint64_t;
  static constexpr std::size_t bytes = 8, registers = 16;

  static Vector broadcast64(std::uint64_t x) { return x; }
  static Vector add64(Vector a, Vector b) { return a + b; }
  static Vector subtract64(Vector a, Vector b) { return a - b; }
  static Vector both(Vector a, Vector b) { return a & b; }
  template <unsigned count>
  static Vector shift_right64(Vector a) {
    return a >> count;
  }
  static Vector shift_right64_each(Vector a, Vector count) { return a >> count; }
  static Vector multiply32(Vector a, Vector b) { return (a & 0xffffffff) * (b & 0xffffffff); }
  static Vector multiply_signed32(Vector a, Vector b) {
    return static_cast<Vector>(static_cast<std::int64_t>(static_cast<std::int32_t>(a)) * static_cast<std::int32_t>(b));
  }
  static Vector conditional_subtract64(Vector x, Vector m) { return x >= m ? x - m : x; }
  static Vector choose_by_sign64(Vector sign, Vector positive, Vector negative) {
    return sign >> 63 != 0 ? negative : positive;
  }
};

template <unsigned bits>
struct Lane {
  using L = cpu::Lanes64Near<OneLane, bits>;
  using Ranges = typename L::Ranges;

  std::uint64_t q;
  NearPower near;
  typename L::Prime prime;
  explicit Lane(std::uint64_t modulus) : q(modulus), near(modulus), prime(modulus) {}

  static std::uint64_t lane(i128 x) { return static_cast<std::uint64_t>(x); }
  static i128 integer(std::uint64_t x) { return static_cast<std::int64_t>(x); }
  std::uint64_t residue(i128 x) const { return static_cast<std::uint64_t>((x % q + q) % q); }

  static constexpr unsigned unit_bits = bits - 14;
  static_assert(Ranges::unit == 1U << (bits - unit_bits));
  /// The largest integer below `bound` units.
  static i128 edge(unsigned bound) { return (static_cast<i128>(bound) << unit_bits) - 1; }
  /// The least bound of |x| in units, exclusive.
  static unsigned units(i128 x) { return static_cast<unsigned>(((x < 0 ? -x : x) >> unit_bits) + 1); }

  /// Values within `bound` units: its edges, multiples of q, of half of it and of 2^32 with their neighbours, values
  /// whose halves are as large as they can be, and random ones.
  std::vector<i128> values(unsigned bound) const {
    const i128 most = edge(bound);
    std::vector<i128> found;
    const auto take = [&](i128 x) {
      for (i128 y = x - 1; y <= x + 1; ++y) {
        if (y >= -most && y <= most) found.push_back(y);
      }
    };
    take(most), take(-most), take(0);
    for (i128 k = 1; k <= 9; ++k) take(k * q / 2), take(-k * static_cast<i128>(q) / 2);
    for (unsigned bit = 1; bit < 63; ++bit) {
      for (const i128 lower : {i128{0}, i128{0x7fffffff}, i128{0x80000000}, i128{0xffffffff}}) {
        const i128 x = i128{1} << bit;
        take(x | lower), take(-(x | lower)), take(most - (most & 0xffffffff) + lower);
      }
    }
    std::mt19937_64 random(q);
    for (int i = 0; i < 200; ++i) found.push_back(static_cast<i128>(random()) % most * (i % 2 == 0 ? 1 : -1));
    return found;
  }
  /// Factors at the edges of halves: about q/2, where the sign changes, multiples of 2^low_bits and their middles.
  std::vector<std::uint64_t> factors() const {
    std::vector<std::uint64_t> found = {0, 1, 2, q / 2 - 1, q / 2, q / 2 + 1, q / 2 + 2, q - 2, q - 1};
    const std::uint64_t step = std::uint64_t{1} << near.low_bits(), top = std::uint64_t{1} << (near.bits - 1);
    for (const std::uint64_t around : {step / 2, step, 3 * step / 2, top - step, top - step / 2, top,
                                       top - near.below / 2, q - step / 2, q - step}) {
      for (std::uint64_t w = around - 2; w <= around + 2; ++w) {
        if (w < q) found.push_back(w);
      }
    }
    std::mt19937_64 random(q + 1);
    for (int i = 0; i < 40; ++i) found.push_back(random() % q);
    return found;
  }

  void halves() const {
    for (const std::uint64_t w : factors()) {
      const std::uint64_t both = near.halves(w);
      const i128 low = static_cast<std::int32_t>(both), high = static_cast<std::int32_t>(both >> 32);
      const i128 step = i128{1} << near.low_bits();
      CHECK_EQ(residue(high * step + low), w);
      CHECK(2 * low <= step && -2 * low <= step);
      const HalvedFactor halved(w, near);
      CHECK_EQ(halved.factor, both);
      CHECK_EQ(halved.lifted, near.halves(residue((static_cast<i128>(w) << 32) % q)));
    }
  }
  void products() const {
    const auto range = values(Ranges::widest(false));
    for (const std::uint64_t w : factors()) {
      const HalvedFactor halved(w, near);
      const auto factor = L::factor(halved.factor, halved.lifted);
      for (const i128 x : range) {
        const i128 product = integer(L::finish(L::begin(lane(x), factor), prime));
        CHECK_EQ(residue(product), residue(static_cast<i128>(residue(x)) * w));
        CHECK(units(product) <= Ranges::product(units(x), false));
      }
    }
  }
  void reductions() const {
    for (const i128 x : values(Ranges::widest(false))) {
      const i128 reduced = integer(L::conditional_subtract(lane(x), prime.limit));
      CHECK_EQ(residue(reduced), residue(x));
      CHECK(reduced >= 0 && units(reduced) <= Ranges::reduced);
      CHECK_EQ(L::left(lane(x), prime), residue(x));
    }
  }
  void moves(std::uint64_t from) const {
    const typename L::CentredMove moved(from);
    for (const std::uint64_t a : {std::uint64_t{0}, std::uint64_t{1}, from / 2 - 1, from / 2, from / 2 + 1, from - 1}) {
      const i128 lift = 2 * static_cast<i128>(a) < static_cast<i128>(from) ? i128{a} : i128{a} - i128{from};
      CHECK(integer(moved(a)) == lift);
      CHECK(units(lift) <= Ranges::unit);
    }
  }
};

template <unsigned bits>
void check_class(unsigned least_bits) {
  for (unsigned length = least_bits; length <= bits; ++length) {
    const std::uint64_t power = std::uint64_t{1} << length;
    for (const std::uint64_t q : {power - 1, primes_congruent_to_one(length, 2048, 1)[0], power - (1U << 20) + 1,
                                  power - NearPower::most_below + 1, power - NearPower::most_below}) {
      CHECK(NearPower::includes(q));
      const Lane<bits> lane(q);
      lane.halves();
      lane.products();
      lane.reductions();
      lane.moves(q);
      lane.moves(q + q / 16 * 15 > power ? power - 1 : q + q / 16 * 15);
    }
    CHECK(!NearPower::includes(power - NearPower::most_below - 1));
  }
}

TEST(ranges_hold_below_57_bits) { check_class<57>(NearPower::least_bits); }
TEST(ranges_hold_up_to_61_bits) { check_class<61>(58); }
TEST(short_moduli_and_powers_are_left_out) {
  CHECK(!NearPower::includes((std::uint64_t{1} << 49) - 1));
  CHECK(!NearPower::includes(std::uint64_t{1} << 50));
  CHECK(NearPower::includes((std::uint64_t{1} << 50) - 1));
}

/// Plans keep their bounds, and break where they must.
template <class Ranges>
void check_plans() {
  const unsigned begin = Ranges::forward_between, end = Ranges::forward_end;
  CHECK((typename Ranges::template Forward<2>(begin, begin, false).holds));
  CHECK((typename Ranges::template Forward<3>(begin, begin, false).holds));
  CHECK((typename Ranges::template Forward<4>(begin, end, false).holds));
  CHECK((typename Ranges::template Forward<6>(begin, end, false).holds));
  CHECK((typename Ranges::template Inverse<2>(Ranges::inverse_between, false).holds));
  CHECK((typename Ranges::template Inverse<3>(Ranges::inverse_between, false).holds));
  CHECK((!typename Ranges::template Inverse<3>(Ranges::widest(false), false).holds));
}
TEST(plans_keep_their_bounds) {
  check_plans<cpu::NearRanges<57>>();
  check_plans<cpu::NearRanges<61>>();
  CHECK(cpu::NearRanges<57>::never_reduces && !cpu::NearRanges<60>::never_reduces &&
        !cpu::NearRanges<61>::never_reduces);
  // Of a pass over three stages one reduces, of leaves two of four.
  const cpu::NearRanges<61>::Forward<3> pass(cpu::NearRanges<61>::forward_between, cpu::NearRanges<61>::forward_between,
                                             false);
  CHECK(pass.reduces[0] && !pass.reduces[1] && !pass.reduces[2]);
}

}  // namespace

int main() { return cyclotome::check::run(); }
