// SPDX-License-Identifier: Apache-2.0
// Transforms on doubles (src/cyclotome/engine/cuda/floating_arithmetic.hpp), without a GPU: the ranges that are claimed
// for each operation and each stage, at their ends and beyond what transforms reach, and the CPU engine's residues.
#include <algorithm>
#include <functional>
#include <random>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/cuda/floating_arithmetic.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/tables/transform_tables.hpp"

using namespace cyclotome;
using cuda::FloatingArithmetic;
namespace bounds = cuda::floating_bounds;

namespace {

constexpr std::size_t widest_degree = std::size_t{1} << 17;

/// The largest primes below 2^50 for the widest degree, and others far below it.
std::vector<std::uint64_t> moduli() {
  auto primes = primes_congruent_to_one(50, 2 * widest_degree, 3);
  for (const std::uint64_t q : {primes_congruent_to_one(50, 2, 1)[0], primes_congruent_to_one(49, 2048, 1)[0],
                                primes_congruent_to_one(33, 2048, 1)[0], std::uint64_t{65537}, std::uint64_t{3}}) {
    primes.push_back(q);
  }
  return primes;
}

FloatingArithmetic arithmetic(std::uint64_t q) { return FloatingArithmetic(q, 1.0 / static_cast<double>(q)); }

std::uint64_t residue(i128 x, std::uint64_t q) {
  const i128 r = x % static_cast<i128>(q);
  return static_cast<std::uint64_t>(r < 0 ? r + static_cast<i128>(q) : r);
}
i128 integer(double x) { return static_cast<i128>(x); }

/// Whether x is an integer of the residue's class, at most `bound` q in magnitude.
bool stands_for(double x, i128 value, double bound, std::uint64_t q) {
  return x == std::nearbyint(x) && std::abs(x) <= bound * static_cast<double>(q) &&
         residue(integer(x), q) == residue(value, q);
}

/// Integers up to `bound` q: the ends, places around multiples of q and of q / 2, and random ones.
std::vector<double> values_up_to(double bound, std::uint64_t q, std::mt19937_64& random) {
  const double top = std::floor(bound * static_cast<double>(q));
  std::vector<double> values{0, 1, top, top - 1};
  for (int halves = 1; halves <= 16; ++halves) {
    const double centre = std::floor(static_cast<double>(halves) / 2 * static_cast<double>(q));
    for (const double near : {centre - 1, centre, centre + 1}) {
      if (near >= 0 && near <= top) values.push_back(near);
    }
  }
  for (int i = 0; i < 40; ++i) values.push_back(std::floor(top * (static_cast<double>(random() >> 11) * 0x1p-53)));
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  return values;
}

TEST(conversions_go_both_ways_over_the_whole_range) {
  std::mt19937_64 random(1);
  for (const std::uint64_t q : moduli()) {
    const auto m = arithmetic(q);
    std::vector<std::uint64_t> words{0, 1 % q, q / 2, q / 2 + 1, q - 1};
    for (int i = 0; i < 200; ++i) words.push_back(random() % q);
    for (const auto x : words) {
      CHECK(stands_for(m.centred(x), x, bounds::centred, q));
      CHECK_EQ(m.word(m.centred(x)), x);
      CHECK_EQ(m.canonical(m.centred(x)), x);
      for (std::uint64_t multiple = 0; multiple < 4; ++multiple) {
        CHECK(stands_for(m.lazy_value(x + multiple * q), x, bounds::centred, q));
      }
    }
    for (const double x : values_up_to(bounds::exact, q, random)) {
      const double bound = std::abs(x) <= bounds::operand * static_cast<double>(q) ? bounds::centred : bounds::rounded;
      CHECK(stands_for(m.reduce(x), integer(x), bound, q));
      CHECK_EQ(m.canonical(x), residue(integer(x), q));
    }
    for (const double x : values_up_to(1 - 1.0 / static_cast<double>(q), q, random)) {
      CHECK_EQ(m.word(x), residue(integer(x), q));
    }
  }
}

TEST(products_are_exact_up_to_the_claimed_bounds) {
  std::mt19937_64 random(2);
  for (const std::uint64_t q : moduli()) {
    const auto m = arithmetic(q);
    const auto check = [&](double a, double c) {
      for (const double x : values_up_to(a, q, random)) {
        for (const double w : values_up_to(c, q, random)) {
          CHECK(stands_for(m.multiply(x, w), integer(x) * integer(w), bounds::product(a, c), q));
        }
      }
    };
    check(bounds::operand, bounds::centred);
    check(bounds::inverse_operand, 1);
    check(bounds::rounded, bounds::rounded);
    // Products halfway between two multiples of q, where a rounding decides.
    for (int i = 0; i < 200 && q > 3; ++i) {
      const double w = m.centred(1 + random() % (q - 1));
      const std::uint64_t inverse = inverse_or_zero(residue(integer(w), q), q);
      for (const std::uint64_t target : {q / 2, q / 2 + 1}) {
        const auto x = static_cast<std::uint64_t>(static_cast<u128>(inverse) * target % q);
        for (int wraps = -4; wraps < 4; ++wraps) {
          const double operand = static_cast<double>(x) + wraps * static_cast<double>(q);
          CHECK(stands_for(m.multiply(operand, w), integer(operand) * integer(w),
                           bounds::product(bounds::operand, bounds::centred), q));
        }
      }
    }
  }
}

TEST(every_stage_keeps_the_bounds_when_its_input_is_at_its_own) {
  std::mt19937_64 random(3);
  constexpr unsigned stages = 17;
  for (const std::uint64_t q : moduli()) {
    const auto m = arithmetic(q);
    const auto factors = values_up_to(bounds::centred, q, random);
    const auto check = [&](double before, double after_x, double after_y, bool forward, bool reduces) {
      const auto values = values_up_to(before, q, random);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double w = factors[random() % factors.size()];
        for (const double other : {values[0], values[2], -values[2], values[random() % values.size()]}) {
          double x = values[i], y = other;
          forward ? m.forward_butterfly(x, y, w, reduces) : m.inverse_butterfly(x, y, w, reduces);
          const i128 u = integer(values[i]), v = integer(other), factor = integer(w);
          CHECK(stands_for(x, forward ? u + v * factor : u + v, after_x, q));
          CHECK(stands_for(y, forward ? u - v * factor : residue(u - v, q) * factor, after_y, q));
        }
      }
    };
    for (unsigned s = 0; s < stages; ++s) {
      const double after = s + 1 < stages ? bounds::before_forward(s + 1) : bounds::after_forward(stages);
      check(bounds::before_forward(s), after, after, true, bounds::forward_reduces(s, stages));
    }
    for (unsigned s = 0; s < 5; ++s) {
      for (unsigned place = 0; place < 1u << s; ++place) {
        check(bounds::before_inverse(s, place), bounds::before_inverse(s + 1, place),
              bounds::before_inverse(s + 1, place + (1u << s)), false, bounds::inverse_reduces(s) >> place & 1);
      }
    }
  }
}

TEST(bounds_stay_where_doubles_are_exact) {
  CHECK(bounds::product(bounds::operand, bounds::centred) <= 1);  // an inverse transform's last products
  CHECK(bounds::rounded + bounds::lazy_products * bounds::product(bounds::rounded, bounds::rounded) <= bounds::exact);
  CHECK(2 * bounds::product(bounds::rounded, bounds::rounded) <= bounds::inverse_operand);
  for (unsigned s = 0; s < 20; ++s) {
    CHECK(bounds::before_forward(s) <= bounds::operand);
    CHECK(bounds::after_forward(s + 1) <= bounds::exact);
  }
  for (unsigned s = 0; s < 5; ++s) {
    for (unsigned place = 0; place < 1u << s; ++place) {
      CHECK(bounds::before_inverse(s, place) <= bounds::inverse_operand);
    }
  }
}

/// Stages as BlockTransform runs them: `exponents` stages a pass.
std::vector<double> forward(const FloatingArithmetic& m, std::vector<double> v, const std::vector<double>& roots,
                            std::uint64_t q) {
  const auto stages = static_cast<unsigned>(bit_length(v.size()) - 1);
  bool within = true;
  for (unsigned s = 0; s < stages; ++s) {
    const std::size_t gap = v.size() >> (s + 1);
    for (std::size_t i = 0; i < v.size() / 2; ++i) {
      const std::size_t group = i / gap, at = 2 * group * gap + i % gap;
      m.forward_butterfly(v[at], v[at + gap], roots[(std::size_t{1} << s) + group], bounds::forward_reduces(s, stages));
    }
    const double bound =
        (s + 1 < stages ? bounds::before_forward(s + 1) : bounds::after_forward(stages)) * static_cast<double>(q);
    within = within && std::ranges::all_of(v, [&](double x) { return std::abs(x) <= bound; });
  }
  CHECK(within);
  return v;
}

std::vector<double> inverse(const FloatingArithmetic& m, std::vector<double> v, const std::vector<double>& roots,
                            double inverse_degree, double last_root, const std::vector<unsigned>& exponents,
                            std::uint64_t q) {
  std::size_t gap = 1;
  bool within = true;
  for (std::size_t p = exponents.size(); p-- > 0;) {
    const std::size_t unit = gap;  // a pass sees places in units
    for (unsigned s = 0; s < exponents[p]; ++s, gap *= 2) {
      const std::size_t groups = v.size() / 2 / gap;
      for (std::size_t i = 0; i < v.size() / 2; ++i) {
        const std::size_t group = i / gap, at = 2 * group * gap + i % gap, place = at / unit % (std::size_t{1} << s);
        double &x = v[at], &y = v[at + gap];
        const double bound = bounds::before_inverse(s, static_cast<unsigned>(place)) * static_cast<double>(q);
        within = within && std::abs(x) <= bound && std::abs(y) <= bound;
        if (groups > 1) {
          m.inverse_butterfly(x, y, roots[groups + group], bounds::inverse_reduces(s) >> place & 1);
        } else {
          m.last_inverse_butterfly(x, y, inverse_degree, last_root);
        }
      }
    }
  }
  CHECK(within);
  return v;
}

std::vector<std::vector<std::uint64_t>> polynomials(std::size_t n, std::uint64_t q) {
  std::vector<std::vector<std::uint64_t>> all;
  const auto add = [&](const std::function<std::uint64_t(std::size_t)>& coefficient) {
    std::vector<std::uint64_t> a(n);
    for (std::size_t i = 0; i < n; ++i) a[i] = coefficient(i);
    all.push_back(std::move(a));
  };
  std::mt19937_64 random(n + q);
  add([&](std::size_t) { return random() % q; });
  add([&](std::size_t) { return q - 1; });
  add([&](std::size_t) { return q / 2; });
  add([&](std::size_t) { return q / 2 + 1; });
  add([&](std::size_t i) { return i % 2 == 0 ? q / 2 : q / 2 + 1; });
  add([&](std::size_t) { return random() % 2 == 0 ? q / 2 : q / 2 + 1; });
  add([&](std::size_t i) { return i == 1 ? 1 : 0; });
  return all;
}

TEST(transforms_are_the_cpu_engines_bit_for_bit) {
  const EnginePtr engine = CpuEngine::create();
  const std::vector<std::pair<std::vector<unsigned>, int>> plans{
      {{5, 5}, 1}, {{4, 4, 3}, 1}, {{4, 4, 4}, 2}, {{5, 4, 4}, 1}, {{5, 5, 4}, 1}, {{5, 5, 5}, 1}, {{4, 4, 4, 4}, 1}};
  for (const auto& [exponents, count] : plans) {
    unsigned log_n = 0;
    for (const unsigned e : exponents) log_n += e;
    const std::size_t n = std::size_t{1} << log_n;
    auto primes = primes_congruent_to_one(50, 2 * n, static_cast<std::size_t>(count));
    if (log_n == 12) primes.push_back(primes_congruent_to_one(30, 2 * n, 1)[0]);
    for (const std::uint64_t q : primes) {
      const RingPtr ring = Ring::negacyclic(n, Basis(Word::u64, {q}));
      const auto m = arithmetic(q);
      const auto& tables = ring->tables<std::uint64_t>(0);
      const auto centred = [&](const std::vector<std::uint64_t>& words) {
        std::vector<double> values;
        for (const auto w : words) values.push_back(m.centred(w));
        return values;
      };
      const auto roots = centred(tables.roots), inverse_roots = centred(tables.inverse_roots);
      for (const auto& coefficients : polynomials(n, q)) {
        PolyArray poly(engine, ring, 1, 1, Domain::coefficient);
        engine->upload(poly.view().data, coefficients.data(), n * sizeof(std::uint64_t));
        engine->forward(poly.view());
        std::vector<std::uint64_t> expected(n), words(n);
        engine->download(expected.data(), poly.view().data, n * sizeof(std::uint64_t));
        const auto transformed = forward(m, centred(coefficients), roots, q);
        std::ranges::transform(transformed, words.begin(), [&](double x) { return m.canonical(x); });
        CHECK(words == expected);
        const auto back = inverse(m, centred(expected), inverse_roots, m.centred(tables.inverse_degree.operand),
                                  m.centred(tables.last_inverse_root.operand), exponents, q);
        std::ranges::transform(back, words.begin(), [&](double x) { return m.word(x); });
        CHECK(words == coefficients);
      }
    }
  }
}

}  // namespace

int main() { return check::run(); }
