// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the CUDA engine's base conversions, compiled for the host, gives the CPU engine's bits: random
// bases and factors, both lifts and words, even targets, copies, and residues at which the wraps are a matter of
// rounding. Needs no GPU.
#include <random>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/cuda/conversion/conversion_bytes.cuh"
#include "cyclotome/engine/cuda/conversion/digits.cuh"
#include "cyclotome/engine/cuda/conversion/plain_scale.cuh"
#include "cyclotome/engine/cuda/conversion/sum_division.cuh"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/conversion/divide_and_round.hpp"
#include "cyclotome/scheme/bfv/behz.hpp"
#include "host_warp.hpp"
#include "one_composite.hpp"

using namespace cyclotome;

namespace {

constexpr std::size_t degree = 64;

EnginePtr engine() {
  static const EnginePtr cpu = CpuEngine::create();
  return cpu;
}

using Residues = std::vector<std::uint64_t>;  // [limb][coefficient]

std::mt19937_64 numbers(20240607);
std::size_t conversions_by_bytes = 0;

RingPtr ring_of(Word word, std::vector<std::uint64_t> moduli) {
  return Ring::negacyclic(degree, Basis(word, std::move(moduli)));
}

/// Different primes of up to `bits` bits, of several lengths if `mixed`.
std::vector<std::uint64_t> primes(unsigned bits, std::size_t count, const std::vector<std::uint64_t>& excluded = {},
                                  bool mixed = false) {
  std::vector<std::uint64_t> result, taken = excluded;
  while (result.size() < count) {
    const unsigned shorter = mixed ? static_cast<unsigned>(numbers() % 6) : 0;
    const auto more = primes_congruent_to_one(bits - shorter, 2, numbers() % 4 + 1, taken);
    result.push_back(more.back());
    taken.push_back(more.back());
  }
  return result;
}

/// Uniform residues, but small ones, those of (q-1)/2 and its neighbours, and the largest in the first columns.
Residues residues_of(const Basis& basis, bool uniform) {
  Residues result;
  for (const std::uint64_t q : basis.values()) {
    for (std::size_t c = 0; c < degree; ++c) {
      std::uint64_t x = numbers() % q;
      if (!uniform && c < 8) x = c < 4 ? c % q : q - 1;
      if (!uniform && c >= 8 && c < 40) x = ((q - 1) / 2 + c + q - 24 % q) % q;
      result.push_back(x);
    }
  }
  return result;
}

PolyArray polynomial(const RingPtr& ring, const Residues& residues) {
  PolyArray result(engine(), ring, 1, 1);
  result.from_host(residues);
  return result;
}

/// Constants on the host, as the engine has them on the device.
template <class W>
struct Constants {
  explicit Constants(const BaseConversion& conversion)
      : host(cuda::host_conversion<W>(conversion)),
        t{host.shape,
          host.sources.data(),
          host.targets.data(),
          host.matrix.data(),
          host.exact.data(),
          conversion.target().template moduli<W>().data(),
          host.copy_factors.data(),
          conversion.copies().data(),
          host.bytes.fragments.data(),
          host.bytes.sums.data()} {}
  cuda::HostConversion<W> host;
  cuda::ColumnConversion<W> t;
};

template <class W, unsigned Bytes>
cuda::Columns<W, Bytes> load_columns(const Residues& from, std::size_t limb, std::size_t column) {
  cuda::Columns<W, Bytes> x;
  for (unsigned c = 0; c < x.count; ++c) x.word[c] = static_cast<W>(from[limb * degree + column + c]);
  return x;
}

/// As a kernel converts: sources scaled with wraps counted by How, tiles shared between two blocks.
template <cuda::Count How, class W, unsigned Bytes, bool Divides, class Addend>
Residues converted(const cuda::ColumnConversion<W>& t, const Residues& x, const Addend& addend_at) {
  Residues result(t.targets * degree);
  std::vector<cuda::Columns<W, Bytes>> y(t.sources);
  for (std::size_t column = 0; column < degree; column += cuda::Columns<W, Bytes>::count) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = load_columns<W, Bytes>(x, i, column);
    const auto wraps = cuda::scale_sources<How, 1>(t, y.data(), [](std::uint32_t, const auto&) {});
    const auto addend = addend_at(column);
    const auto emit = [&](std::uint32_t j, const cuda::Columns<W, Bytes>& value) {
      for (unsigned c = 0; c < value.count; ++c) result[j * degree + column + c] = value.word[c];
    };
    const std::uint32_t half = t.tiles() / 2;
    for (const cuda::TileRange tiles : {cuda::TileRange{0, half}, cuda::TileRange{half, t.tiles()}}) {
      cuda::spread_to_targets<1, Divides>(t, tiles, y.data(), wraps, addend, emit);
    }
  }
  return result;
}

template <cuda::Count How, class W, unsigned Bytes>
Residues converted(const cuda::ColumnConversion<W>& t, const Residues& x) {
  if (t.copies) {
    return converted<How, W, Bytes, false>(t, x, [&](std::size_t column) {
      const auto load = [&x, column](std::uint32_t i) { return load_columns<W, Bytes>(x, i, column); };
      return cuda::CopyAddend<W, Bytes, decltype(load)>{t, load};
    });
  }
  const auto nothing = [](std::size_t) { return cuda::NoAddend{}; };
  return t.divides ? converted<How, W, Bytes, true>(t, x, nothing) : converted<How, W, Bytes, false>(t, x, nothing);
}

/// By products of bytes, as a warp computes them.
template <unsigned Steps>
Residues converted_by_bytes(const cuda::ColumnConversion<std::uint32_t>& t, const Residues& x) {
  using Warps = cuda::ByteColumns<check::HostWarp, Steps>;
  Residues result(t.targets * degree);
  for (std::size_t first = 0; first < degree; first += Warps::columns) {
    typename Warps::Words y;
    Warps::fetch(y, t, [&](unsigned i, unsigned c) { return static_cast<std::uint32_t>(x[i * degree + first + c]); });
    Warps::scale(t, y);
    Warps::spread(t, y, [&](unsigned j, unsigned c, const cuda::Columns<std::uint32_t, 8>& value) {
      for (unsigned e = 0; e < 2; ++e) result[j * degree + first + c + e] = value.word[e];
    });
  }
  return result;
}

/// The peak that a conversion's kernel finds, all coefficients seen by one thread.
template <class W, unsigned Bytes>
std::uint64_t peak_found(const cuda::ColumnConversion<W>& t, const Residues& x) {
  cuda::Peak<W> peak{};
  std::vector<cuda::Columns<W, Bytes>> y(t.sources);
  for (std::size_t column = 0; column < degree; column += cuda::Columns<W, Bytes>::count) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = load_columns<W, Bytes>(x, i, column);
    cuda::scale_sources<cuda::Count::exactly, 1>(t, y.data(), [](std::uint32_t, const auto&) {}, peak);
  }
  return peak.value(t.exact[0]);
}

/// Residues of integers up to `limit` in magnitude.
Residues small_residues(const Basis& basis, std::int64_t limit) {
  Residues result;
  std::vector<std::int64_t> values;
  for (std::size_t c = 0; c < degree; ++c) {
    values.push_back(static_cast<std::int64_t>(numbers() % (2 * static_cast<std::uint64_t>(limit) + 1)) - limit);
  }
  for (const std::uint64_t q : basis.values()) {
    for (const std::int64_t value : values) {
      const std::uint64_t magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value) % q;
      result.push_back(value < 0 && magnitude != 0 ? q - magnitude : magnitude);
    }
  }
  return result;
}

template <class W>
void check_peaks(const BaseConversion& conversion, const RingPtr& source, const RingPtr& target, const Residues& x) {
  const Constants<W> constants(conversion);
  PolyArray out(engine(), target, 1, 1);
  std::uint64_t expected = 0;
  check::convert_with_peaks(*engine(), out.view(), polynomial(source, x).view(), conversion, &expected);
  CHECK_EQ((peak_found<W, 8>(constants.t, x)), expected);
  CHECK_EQ((peak_found<W, 16>(constants.t, x)), expected);
}

/// Both ways of counting wraps where the lift is centred, both sizes of columns.
template <class W>
void check_conversion(const BaseConversion& conversion, const RingPtr& source, const RingPtr& target) {
  const Constants<W> constants(conversion);
  for (const bool uniform : {true, false}) {
    const Residues x = residues_of(source->basis(), uniform);
    PolyArray out(engine(), target, 1, 1);
    engine()->convert(out.view(), polynomial(source, x).view(), conversion);
    const Residues expected = out.to_host();
    if (conversion.lift() == Lift::fast) {
      CHECK((converted<cuda::Count::nothing, W, 8>(constants.t, x) == expected));
      CHECK((converted<cuda::Count::nothing, W, 16>(constants.t, x) == expected));
    } else {
      CHECK((converted<cuda::Count::exactly, W, 8>(constants.t, x) == expected));
      CHECK((converted<cuda::Count::quickly, W, 8>(constants.t, x) == expected));
      CHECK((converted<cuda::Count::exactly, W, 16>(constants.t, x) == expected));
      CHECK((converted<cuda::Count::quickly, W, 16>(constants.t, x) == expected));
      if constexpr (sizeof(W) == 4) {
        if (constants.t.byte_steps != 0 && constants.t.byte_steps <= 2) {
          ++conversions_by_bytes;
          CHECK(converted_by_bytes<2>(constants.t, x) == expected);
        }
        if (constants.t.byte_steps != 0) CHECK(converted_by_bytes<6>(constants.t, x) == expected);
      }
      check_peaks<W>(conversion, source, target, x);
      check_peaks<W>(conversion, source, target, small_residues(source->basis(), 1 << 20));
    }
  }
}

std::vector<std::uint64_t> random_factors(std::size_t count) {
  std::vector<std::uint64_t> result;
  while (result.size() < count) result.push_back(numbers());
  return result;
}

template <class W>
void check_random_conversions(Word word, unsigned bits) {
  for (const std::size_t sources : {1, 2, 3, 4, 5, 9, 13, 16, 25, 30, 43, 61}) {
    for (const bool mixed : {false, true}) {
      const auto q = primes(bits, sources, {}, mixed);
      auto b = primes(bits, 1 + numbers() % 14, q, mixed);
      const auto kind = numbers() % 4;
      if (kind == 0) b.push_back(std::uint64_t{1} << (numbers() % bits + 1));
      if (kind == 1) b.push_back(q[numbers() % q.size()]);
      if (kind == 2) b.insert(b.begin(), 65537);
      const RingPtr source = ring_of(word, q), target = ring_of(word, b);
      for (const Lift lift : {Lift::fast, Lift::centred}) {
        const bool factors = numbers() % 2 == 1;
        const BaseConversion conversion(source->basis(), target->basis(), lift,
                                        factors ? random_factors(sources) : Residues{},
                                        factors ? random_factors(b.size()) : Residues{});
        check_conversion<W>(conversion, source, target);
      }
    }
  }
}

/// Sources for which approximate fractions are worthless, and the smallest moduli there are.
template <class W>
void check_small_moduli(Word word) {
  const RingPtr small = ring_of(word, {2, 3, 5, 7, 11, 13, 1009, 65537, 786433}), large = ring_of(word, primes(30, 3));
  for (const Lift lift : {Lift::fast, Lift::centred}) {
    for (const auto& [source, target] : {std::pair(small, large), std::pair(large, small), std::pair(small, small)}) {
      check_conversion<W>(BaseConversion(source->basis(), target->basis(), lift), source, target);
    }
  }
}

/// As blocks divide the sum of a key switch: the correction of a coefficient at a time. more: the addend, or empty.
template <class W>
void check_division_of_sums(const DivideAndRound& step, const Constants<W>& constants, const Residues& kept,
                            const Residues& lost, const Residues& more, const Residues& expected) {
  for (std::size_t j = 0; j < constants.t.targets; ++j) {
    const Modulus<W> q(static_cast<W>(step.kept->basis()[j]));
    const ShoupFactor<W> factor(static_cast<W>(step.factors[j]), q.value());
    const cuda::LimbCorrection<W> limb(constants.t, static_cast<std::uint32_t>(j));
    for (std::size_t column = 0; column < degree; ++column) {
      W x[cuda::max_divided] = {};
      for (std::size_t i = 0; i < constants.t.sources; ++i) x[i] = static_cast<W>(lost[i * degree + column]);
      const std::size_t place = j * degree + column;
      const auto from = static_cast<W>(kept[place]), addend = static_cast<W>(more.empty() ? 0 : more[place]);
      bool open = false;
      const W quick = limb.correction(constants.t, x, open), exact = limb.settled(constants.t, x, quick);
      CHECK(open || quick == exact);
      CHECK(q.add(q.add(factor.multiply(from, q.value()), exact), addend) == expected[place]);
    }
  }
}

template <class W>
void check_division(Word word, unsigned bits) {
  for (const std::size_t dropped : {1, 2, 3, 4, 13, 26}) {
    const auto p = primes(bits, dropped), q = primes(bits, 1 + numbers() % 13, p);
    const RingPtr kept_ring = ring_of(word, q), dropped_ring = ring_of(word, p);
    const DivideAndRound step(kept_ring, dropped_ring, PreservedModulus(1), 17 + numbers() % 100);
    const Constants<W> constants(step.correction);
    std::vector<cuda::Term<W>> factors;
    for (std::size_t j = 0; j < q.size(); ++j) {
      const ShoupFactor<W> factor(static_cast<W>(step.factors[j]), static_cast<W>(q[j]));
      factors.push_back(cuda::quotient_factor(factor, static_cast<W>(q[j]), constants.t.divides));
    }
    for (const bool added : {false, true}) {
      const Residues kept = residues_of(kept_ring->basis(), false), lost = residues_of(dropped_ring->basis(), false),
                     more = residues_of(kept_ring->basis(), false);
      const PolyArray addend = polynomial(kept_ring, more);
      PolyArray out(engine(), kept_ring, 1, 1);
      check::divide_and_round(*engine(), out.view(), polynomial(kept_ring, kept).view(),
                              polynomial(dropped_ring, lost).view(), step,
                              added ? std::optional(addend.view()) : std::nullopt);
      std::vector<W> kept_words(kept.begin(), kept.end()), more_words(more.begin(), more.end());
      const auto check = [&]<bool Added>() {
        const auto quotient = [&](std::size_t column) {
          return cuda::QuotientAddend<W, sizeof(W), Added>{constants.t, factors.data(), kept_words.data() + column,
                                                           added ? more_words.data() + column : nullptr, degree};
        };
        CHECK((converted<cuda::Count::quickly, W, sizeof(W), true>(constants.t, lost, quotient) == out.to_host()));
      };
      check.template operator()<true>();
      if (!added) check.template operator()<false>();
      CHECK_EQ(cuda::divides_limb_by_limb(constants.t), dropped <= cuda::max_divided);
      if (dropped > cuda::max_divided) continue;
      check_division_of_sums<W>(step, constants, kept, lost, added ? more : Residues{}, out.to_host());
    }
  }
}

template <class W>
void check_decryption(Word word, unsigned bits) {
  for (const std::size_t limbs : {1, 2, 8, 13, 30}) {
    const auto gamma = primes(bits, 1), q = primes(bits, limbs, gamma);
    for (const std::uint64_t t :
         {std::uint64_t{2}, std::uint64_t{257}, std::uint64_t{786433}, std::uint64_t{1} << 16}) {
      const RingPtr source = ring_of(word, q), plain = ring_of(word, {t});
      const bfv::PlainScale step(source, plain, gamma[0]);
      const Constants<W> scale(step.scale), correction(step.correction);
      const Residues x = residues_of(source->basis(), false);
      PolyArray out(engine(), plain, 1, 1);
      std::uint64_t expected = 0;
      check::scale_to_plain(*engine(), out.view(), polynomial(source, x).view(), step, &expected);
      Residues result;
      cuda::Peak<W> peak{};
      for (std::size_t column = 0; column < degree; ++column) {
        const auto load = [&](std::uint32_t i) { return load_columns<W, sizeof(W)>(x, i, column); };
        const auto value = t % 2 == 1 ? cuda::scaled_to_plain<true, W, sizeof(W)>(scale.t, correction.t, load, peak)
                                      : cuda::scaled_to_plain<false, W, sizeof(W)>(scale.t, correction.t, load, peak);
        result.push_back(value.word[0]);
      }
      CHECK_EQ(scale.t.divides, t % 2 == 1);
      CHECK(result == out.to_host());
      CHECK_EQ(peak.value(correction.t.exact[0]), expected);
    }
  }
}

/// Prepared digits, summed as an extension sums them.
template <class W>
void check_digits(Word word, unsigned bits) {
  for (const std::size_t sources : {1, 2, 3, 4, 5, 7}) {
    const auto q = primes(bits, sources), b = primes(bits, 5, q);
    const RingPtr source = ring_of(word, q), target = ring_of(word, b);
    const BaseConversion extension(source->basis(), target->basis(), Lift::centred);
    const auto& tables = extension.tables<W>();
    const auto moduli = source->basis().moduli<W>(), targets = target->basis().moduli<W>();
    cuda::DeviceConversion<W> t{};
    t.punctured_inverses = tables.punctured_inverses.data();
    t.reciprocals = tables.reciprocals.data();
    t.source_moduli = moduli.data();
    t.sources = static_cast<std::uint32_t>(sources);
    const Residues x = residues_of(source->basis(), false);
    PolyArray out(engine(), target, 1, 1);
    engine()->convert(out.view(), polynomial(source, x).view(), extension);
    Residues result(b.size() * degree);
    for (std::size_t column = 0; column < degree; ++column) {
      std::vector<W> prepared;
      cuda::prepare_digit<W, sizeof(W)>(
          t, [&](std::uint32_t i) { return load_columns<W, sizeof(W)>(x, i, column); },
          [&](std::uint32_t i, const cuda::Columns<W, sizeof(W)>& value) {
            CHECK_EQ(i, prepared.size());
            prepared.push_back(value.word[0]);
          });
      CHECK_EQ(prepared.size(), sources + 1);
      for (std::size_t j = 0; j < b.size(); ++j) {
        W sum = targets[j].multiply(targets[j].reduce(prepared[sources]), tables.negative_wraps[j]);
        for (std::size_t i = 0; i < sources; ++i) {
          sum =
              targets[j].add(sum, targets[j].multiply(targets[j].reduce(prepared[i]), tables.matrix[j * sources + i]));
        }
        result[j * degree + column] = sum;
      }
    }
    CHECK(result == out.to_host());
  }
}

}  // namespace

TEST(conversions_of_32_bit_words) {
  for (const unsigned bits : {31, 30, 29, 20}) check_random_conversions<std::uint32_t>(Word::u32, bits);
}

TEST(conversions_by_bytes_are_among_them) {
  CHECK(conversions_by_bytes > 10);
  CHECK(check::HostWarp::largest_sum <= cuda::most_byte_words * 4 * 255 * 255);
}

/// The largest sums of bytes that a conversion may have, modulo the largest and the smallest moduli.
TEST(sums_of_bytes_at_their_bounds) {
  constexpr std::uint32_t most = cuda::most_byte_words * 4 * 255 * 255, top = cuda::most_byte_words * 4 * 255 * 63;
  for (const std::uint64_t p : {std::uint64_t{65537}, std::uint64_t{786433}, primes(29, 1)[0], primes(30, 1)[0]}) {
    const auto sums = cuda::byte_sums(static_cast<std::uint32_t>(p));
    const auto check = [&](std::uint32_t s0, std::uint32_t s1, std::uint32_t s2, std::uint32_t s3) {
      const std::uint64_t value = s0 + (std::uint64_t{s1} << 8) + (std::uint64_t{s2} << 16) + (std::uint64_t{s3} << 24);
      CHECK_EQ(sums.canonical(sums.combined(s0, s1, s2, s3)), value % p);
    };
    check(0, 0, 0, 0);
    check(most, most, most, top);
    check(most, most, 0, top);
    for (int i = 0; i < 1000; ++i) {
      check(most - numbers() % 1000, most - numbers() % 1000, most - numbers() % 70000, top - numbers() % 70000);
    }
  }
}

TEST(conversions_of_64_bit_words) {
  for (const unsigned bits : {61, 60, 50, 29}) check_random_conversions<std::uint64_t>(Word::u64, bits);
}

/// What the kernels' speed relies on: 30-bit primes need no folding up to 20 sources, and hardly ever an exact count.
TEST(shapes) {
  for (const std::size_t sources : {2, 13, 20}) {
    const auto q = primes(30, sources), b = primes(30, sources + 1, q);
    const auto shape =
        cuda::host_conversion<std::uint32_t>(BaseConversion(Basis(Word::u32, q), Basis(Word::u32, b), Lift::centred))
            .shape;
    CHECK(shape.divides);
    CHECK_EQ(shape.step, sources);
    CHECK(shape.fraction_limit > (1u << 24) - 40);
  }
}

TEST(small_moduli) {
  check_small_moduli<std::uint32_t>(Word::u32);
  check_small_moduli<std::uint64_t>(Word::u64);
}

TEST(divisions) {
  for (const unsigned bits : {30, 24}) check_division<std::uint32_t>(Word::u32, bits);
  for (const unsigned bits : {61, 50}) check_division<std::uint64_t>(Word::u64, bits);
}

TEST(decryptions) {
  check_decryption<std::uint32_t>(Word::u32, 30);
  for (const unsigned bits : {61, 50}) check_decryption<std::uint64_t>(Word::u64, bits);
}

TEST(prepared_digits) {
  for (const unsigned bits : {30, 28}) check_digits<std::uint32_t>(Word::u32, bits);
  for (const unsigned bits : {61, 50}) check_digits<std::uint64_t>(Word::u64, bits);
}

int main() { return cyclotome::check::run(); }
