// SPDX-License-Identifier: Apache-2.0
// How GPUs compute modulo 2^G + 1 and 2^G - 1 on the lanes of a warp, with a thread for each lane here: the host's
// residues, for every number of lanes and words of one, at 0, 1, q - 1, 2^G and where carries pass all lanes; and wrong
// ones with a shift that is off by one. Needs no GPU.
#include <barrier>
#include <random>
#include <thread>

#include "check.hpp"
#include "cyclotome/engine/cuda/study/wide_lanes.hpp"
#include "cyclotome/study/fermat/limbs/limb_arithmetic.hpp"

using namespace cyclotome;
using cuda::study::LaneArithmetic;
using study::fermat::Limb;
using study::fermat::LimbArithmetic;

namespace {

using Row = std::vector<std::uint64_t>;

/// What lanes tell each other.
struct Meeting {
  explicit Meeting(unsigned count) : said(count), barrier(static_cast<std::ptrdiff_t>(count)) {}
  Row said;
  std::barrier<> barrier;
};

/// A warp's lanes, each a thread.
struct ThreadLanes {
  unsigned count, index;
  Meeting* meeting;

  unsigned lane() const { return index; }
  std::uint64_t of_lane(std::uint64_t x, unsigned from) const {
    tell(x);
    const std::uint64_t heard = meeting->said[from];
    meeting->barrier.arrive_and_wait();
    return heard;
  }
  std::uint32_t ballot(bool says) const {
    tell(std::uint64_t{says});
    std::uint32_t all = 0;
    for (unsigned l = 0; l < count; ++l) all |= static_cast<std::uint32_t>(meeting->said[l]) << l;
    meeting->barrier.arrive_and_wait();
    return all;
  }

 private:
  void tell(std::uint64_t x) const {
    meeting->said[index] = x;
    meeting->barrier.arrive_and_wait();
  }
};

Limb limb_of(std::size_t low, bool plus, unsigned shift) {
  return {static_cast<unsigned>(64 * low), plus, shift, 0, low + (plus ? 1 : 0)};
}

constexpr std::uint64_t ones = ~std::uint64_t{0};

/// Residues: edges, runs of ones and zeros, random ones.
std::vector<Row> interesting(const Limb& limb, std::mt19937_64& random) {
  const std::size_t low = limb.bits / 64;
  std::vector<Row> all;
  const auto put = [&](Row words, std::uint64_t top = 0) {
    if (limb.plus) words.push_back(top);
    all.push_back(std::move(words));
  };
  Row zero(low), one(low), full(low, ones), middle(low), less(low, ones);
  one[0] = 1;
  middle[low / 2] = 1;
  less[0] = ones - 1;
  put(zero), put(one), put(middle), put(less);
  if (limb.plus) {
    put(full);
    put(zero, 1);  // 2^G
  }
  for (int i = 0; i < 6; ++i) {
    Row words(low);
    for (auto& word : words) word = i % 2 == 0 ? random() : (random() % 2 == 0 ? ones : 0);
    words[0] = random();
    put(words);
  }
  return all;
}

/// One operand of every lane: its words.
template <unsigned C>
using Part = std::uint64_t[C];

/// Runs body(arithmetic, number) on all lanes for numbers 0 ... count - 1; each writes its words and the top one.
template <unsigned C, class Body>
std::vector<Row> on_lanes(unsigned lanes, bool plus, std::size_t count, const Body& body) {
  Meeting meeting(lanes);
  std::vector<Row> results(count, Row(lanes * C + (plus ? 1 : 0)));
  std::vector<std::thread> threads;
  for (unsigned index = 0; index < lanes; ++index) {
    threads.emplace_back([&, index] {
      const LaneArithmetic<ThreadLanes, C> arithmetic({lanes, index, &meeting}, plus);
      for (std::size_t i = 0; i < count; ++i) {
        Part<C> t = {};
        const std::uint64_t top = body(arithmetic, t, i);
        for (unsigned w = 0; w < C; ++w) results[i][index * C + w] = t[w];
        if (plus && index == 0) results[i][lanes * C] = top;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return results;
}

template <unsigned C>
std::uint64_t load(Part<C>& words, const Row& from, unsigned lane, const Limb& limb) {
  for (unsigned i = 0; i < C; ++i) words[i] = from[lane * C + i];
  return limb.plus ? from.back() : 0;
}

template <unsigned C>
void check_limb(unsigned lanes, bool plus, std::mt19937_64& random) {
  const Limb limb = limb_of(std::size_t{lanes} * C, plus, 5);
  const LimbArithmetic host(limb);
  const auto values = interesting(limb, random);
  const std::size_t count = values.size(), pairs = count * count;
  const auto expect = [&](const std::vector<Row>& got, const auto& compute) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      Row right(limb.words);
      compute(right, i);
      CHECK_EQ(got[i] == right, true);
    }
  };
  const auto sums = on_lanes<C>(lanes, plus, pairs, [&](const auto& arithmetic, Part<C>& t, std::size_t i) {
    Part<C> a, b;
    const std::uint64_t x = load<C>(a, values[i / count], arithmetic.lane(), limb),
                        y = load<C>(b, values[i % count], arithmetic.lane(), limb);
    return arithmetic.add(t, a, x, b, y);
  });
  expect(sums,
         [&](Row& out, std::size_t i) { host.add(out.data(), values[i / count].data(), values[i % count].data()); });
  const auto differences = on_lanes<C>(lanes, plus, pairs, [&](const auto& arithmetic, Part<C>& t, std::size_t i) {
    Part<C> a, b;
    const std::uint64_t x = load<C>(a, values[i / count], arithmetic.lane(), limb),
                        y = load<C>(b, values[i % count], arithmetic.lane(), limb);
    return arithmetic.subtract(t, a, x, b, y);
  });
  expect(differences, [&](Row& out, std::size_t i) {
    host.subtract(out.data(), values[i / count].data(), values[i % count].data());
  });
  const Row factors{0, 1, 2, ones, std::uint64_t{1} << 63, random()};
  const auto multiples =
      on_lanes<C>(lanes, plus, count * factors.size(), [&](const auto& arithmetic, Part<C>& t, std::size_t i) {
        Part<C> a;
        const std::uint64_t x = load<C>(a, values[i / factors.size()], arithmetic.lane(), limb);
        return arithmetic.scale(t, a, x, factors[i % factors.size()]);
      });
  expect(multiples, [&](Row& out, std::size_t i) {
    host.scale(out.data(), values[i / factors.size()].data(), factors[i % factors.size()]);
  });
  for (const unsigned shift : {4U, 5U, 6U}) {
    const auto punctured = on_lanes<C>(lanes, plus, count, [&](const auto& arithmetic, Part<C>& t, std::size_t i) {
      Part<C> a;
      const std::uint64_t x = load<C>(a, values[i], arithmetic.lane(), limb);
      return arithmetic.puncture(t, a, x, shift);
    });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Row right(limb.words);
      host.puncture(right.data(), values[i].data());
      wrong += punctured[i] != right ? 1 : 0;
    }
    if (shift == limb.shift) CHECK_EQ(wrong, std::size_t{0});
    if (shift != limb.shift) CHECK(wrong >= count - 3);
  }
}

/// What lanes made alone, with words above each: against the host's remainder of the whole sum.
template <unsigned C>
void check_fold(unsigned lanes, bool plus, std::mt19937_64& random) {
  const Limb limb = limb_of(std::size_t{lanes} * C, plus, 1);
  const LimbArithmetic host(limb);
  struct Sum {
    Row words;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> extra;
    std::uint64_t minus;
  };
  std::vector<Sum> sums;
  const std::size_t low = std::size_t{lanes} * C;
  for (int kind = 0; kind < 12; ++kind) {
    Sum sum{Row(low), {}, plus && kind % 4 == 1 ? random() : 0};
    for (auto& word : sum.words) word = kind < 3 ? ones : kind < 6 ? 0 : random() % 3 == 0 ? ones : random();
    for (unsigned l = 0; l < lanes; ++l) {
      sum.extra.emplace_back(kind % 3 == 0 ? 1 : kind % 3 == 1 ? ones : random(), kind % 3 == 0 ? 0 : random() % 1024);
    }
    sums.push_back(sum);
  }
  const auto got = on_lanes<C>(lanes, plus, sums.size(), [&](const auto& arithmetic, Part<C>& t, std::size_t i) {
    const unsigned lane = arithmetic.lane();
    for (unsigned w = 0; w < C; ++w) t[w] = sums[i].words[lane * C + w];
    const std::uint64_t extra[2] = {sums[i].extra[lane].first, sums[i].extra[lane].second};
    return arithmetic.fold(t, extra, sums[i].minus);
  });
  for (std::size_t i = 0; i < sums.size(); ++i) {
    Row whole(low + 4);
    const auto add_at = [&](std::size_t at, std::uint64_t value) {
      u128 carry = value;
      for (std::size_t w = at; w < whole.size(); ++w) {
        carry += whole[w];
        whole[w] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
    };
    for (std::size_t w = 0; w < low; ++w) add_at(w, sums[i].words[w]);
    for (unsigned l = 0; l < lanes; ++l) {
      add_at((l + 1) * C, sums[i].extra[l].first);
      add_at((l + 1) * C + 1, sums[i].extra[l].second);
    }
    add_at(low, sums[i].minus);
    Row right(limb.words);
    host.reduce(right, whole);
    CHECK_EQ(got[i] == right, true);
  }
}

template <unsigned C>
void check_all(std::initializer_list<unsigned> lane_counts) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937_64 random(seed);
  for (const unsigned lanes : lane_counts) {
    for (const bool plus : {true, false}) {
      check_limb<C>(lanes, plus, random);
      check_fold<C>(lanes, plus, random);
    }
  }
}

TEST(a_lane_for_a_number) {
  check_all<1>({1});
  check_all<8>({1});
}
TEST(two_words_a_lane) { check_all<2>({1, 2, 4, 8}); }
TEST(four_words_a_lane) { check_all<4>({1, 2, 16}); }
TEST(a_whole_warp) { check_fold<2>(32, true, *std::make_unique<std::mt19937_64>(7)); }

}  // namespace

int main() { return check::run(); }
