// SPDX-License-Identifier: Apache-2.0
// Encrypted arrays: integers that never wrap around silently, whatever their width, and refusals that say why.

#include <array>
#include <limits>
#include <random>

#include "check.hpp"
#include "cyclotome/io/objects/stored_object.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/value/layout/interval.hpp"
#include "cyclotome/value/layout/residues.hpp"
#include "value_party.hpp"

namespace {

using namespace cyclotome;
using check::ValueParty;
using value::Bound;
using value::EncryptedArray;
using value::Integer;
using value::Integers;
using value::Placement;

const ValueParty& party() {
  static const ValueParty made;
  return made;
}

using Numbers = std::vector<std::int64_t>;

EncryptedArray small(const Numbers& values, std::uint64_t bound, Placement placement = Placement::slots) {
  return party().encrypted(values, {.bound = bound, .placement = placement});
}
Numbers opened(const EncryptedArray& x) { return value::decrypt(x, party().secret).to_int64(); }

}  // namespace

TEST(a_product_that_could_wrap_around_is_refused) {
  const ValueParty one(&bfv::scheme(), {65537});
  const EncryptedArray x = one.encrypted(Numbers{30000}, {.bound = 30000});
  CHECK_THROWS_WITH(RangeError, 5 * x, "values may reach 150000 (18 bits), but these parameters hold at most 32768");
  CHECK_THROWS_WITH(RangeError, x * x, "result_bits=30");
  CHECK_EQ(value::decrypt(one.encrypted(Numbers{3}, {.bound = 5}) * 5, one.secret).to_int64(), Numbers{15});
}

TEST(arithmetic_reads_like_arithmetic) {
  const EncryptedArray x = small({1, 2, 3}, 100), y = small({4, 5, -6}, 100);
  CHECK_EQ(opened(x * x + 3 * x - y), (Numbers{0, 5, 24}));
  CHECK_EQ(opened(Integers{10, 20, 30} - x), (Numbers{9, 18, 27}));
  CHECK_EQ(opened(value::sum(x * y)), Numbers{-4});
  CHECK_EQ(opened(value::matmul(x, y)), Numbers{-4});
  CHECK_EQ(opened(value::power(x, 3)), (Numbers{1, 8, 27}));
  CHECK_EQ(value::sum(x * y).bound().largest(), BigUnsigned(30000));
}

TEST(doubles_are_no_integers) {
  static_assert(!std::convertible_to<double, Integers> && !std::convertible_to<std::vector<double>, Integers>);
  static_assert(std::convertible_to<int, Integers> && std::convertible_to<Numbers, Integers>);
  CHECK_EQ(Integers(std::numeric_limits<std::int64_t>::min()).largest(), BigUnsigned(std::uint64_t{1} << 63));
}

/// Values of one word are told by other code than wider ones: both say the same of the same values.
TEST(words_are_told_as_wider_integers_are) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                         most = std::numeric_limits<std::int64_t>::max();
  const std::array<std::int64_t, 10> ends{least, least + 1, most, most - 1, 0, 1, -1, 65537, -65537, 1LL << 60};
  const unsigned seed = std::random_device()();
  std::mt19937_64 random(seed);
  const auto drawn = [&] {
    return random() % 2 == 0 ? ends[random() % ends.size()] : static_cast<std::int64_t>(random()) >> (random() % 64);
  };
  const Modulus<std::uint64_t> t(65537), widest((std::uint64_t{1} << 61) - 1);
  for (int round = 0; round < 200; ++round) {
    const value::Shape shape{1 + random() % 4, 1 + random() % 3, 1 + random() % 6};
    Numbers numbers(shape[0] * shape[1] * shape[2]);
    for (std::int64_t& number : numbers) number = drawn();
    const Integers words(shape, numbers), wide = words.resized(2);
    bool same = words.largest() == wide.largest() && value::interval_of(words).low == value::interval_of(wide).low &&
                value::interval_of(words).high == value::interval_of(wide).high;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      same = same && words.largest_sum(axis) == wide.largest_sum(axis);
    }
    const auto [low, high] = std::minmax({drawn(), drawn()});  // of a list, by value
    const value::Interval interval{low, high};
    same = same && value::first_outside(words, interval) == value::first_outside(wide, interval);
    for (const auto& modulus : {t, widest}) {
      same = same && value::centred_residues(words, modulus) == value::centred_residues(wide, modulus);
    }
    CHECK(same);
    if (!same) std::fprintf(stderr, "seed %u, round %d\n", seed, round);
  }
}

TEST(a_constant_added_to_full_rows_is_what_a_row_of_it_is) {
  for (const std::size_t length : {ValueParty::degree, ValueParty::degree - 1, std::size_t{3}}) {
    const Numbers values(2 * length, 7);
    const EncryptedArray x = party().encrypted(Integers({2, length}, values), {.bound = 100});
    const Numbers rows[] = {Numbers(length, 5), Numbers(2 * length, 5)};
    const EncryptedArray sum = x + 5;
    CHECK(io::to_bytes(sum) == io::to_bytes(x + Integers(rows[0])));
    CHECK(io::to_bytes(sum) == io::to_bytes(x + Integers({2, length}, rows[1])));
    Numbers column{3, -4}, both(2 * length, 3);
    std::fill(both.begin() + static_cast<std::ptrdiff_t>(length), both.end(), -4);
    CHECK(io::to_bytes(x + Integers({2, 1}, column)) == io::to_bytes(x + Integers({2, length}, both)));
  }
}

TEST(wide_integers_come_back) {
  const std::vector<std::uint64_t> moduli = primes_congruent_to_one(59, 32, 3);
  const ValueParty wide(&bfv::scheme(), moduli, 8);
  const BigUnsigned big = BigUnsigned::power_of_two(70) + BigUnsigned(12345);
  const std::vector<Integer> values = {Integer(big), Integer(big, true), Integer(0), Integer(-1)};
  const auto x = wide.encrypted(Integers({4}, values), {.bound = BigUnsigned::power_of_two(71)});
  const Integers twice = value::decrypt(x + x, wide.secret);
  CHECK_EQ(twice[0].to_string(), (big + big).to_string());
  CHECK_EQ(twice[1].to_string(), "-" + (big + big).to_string());
  CHECK_EQ(twice[2].to_string(), std::string("0"));
  CHECK_EQ(twice[3].to_string(), std::string("-2"));
  CHECK_THROWS_WITH(RangeError, twice.to_int64(), "does not fit 64 bits");
  const Integers squares = value::decrypt(x * x, wide.secret);
  CHECK_EQ(squares[1].to_string(), (big * big).to_string());
  CHECK_THROWS(RangeError, x * x * x);
}

TEST(residues_and_back_at_the_ends) {
  for (const std::vector<std::uint64_t>& moduli : {std::vector<std::uint64_t>{2},
                                                   {1024},
                                                   {65537},
                                                   {257, 641},
                                                   {8, 9, 25, 7},
                                                   {536690689, 536641537, 268369921},
                                                   {(1ULL << 59) - 55, 3, 65537}}) {
    const BigUnsigned total = BigUnsigned::product(moduli), half = (total - BigUnsigned(1)).shifted_right(1);
    const std::vector<Integer> values = {Integer(0), Integer(1), Integer(half), Integer(half, true)};
    const Integers ends({4}, values);
    std::vector<value::Residues> residues;
    for (const std::uint64_t t : moduli) residues.push_back(value::centred_residues(ends, Modulus<std::uint64_t>(t)));
    const value::Remainders remainders(moduli);
    const Integers back = remainders.combine(residues, {4}, false), wrapped = remainders.combine(residues, {4}, true);
    for (std::size_t i = 0; i < 4; ++i) {
      if (total > BigUnsigned(2)) CHECK_EQ(back[i].to_string(), values[i].to_string());
      const BigUnsigned modulo = values[i].negative ? total - values[i].magnitude : values[i].magnitude;
      CHECK_EQ(wrapped[i].to_string(), modulo.to_string());
    }
    // One word for each where all fit, and as many as it takes where one does not.
    const Integers narrow = remainders.combine(residues, {4}, false, true);
    for (std::size_t i = 0; i < 4; ++i) CHECK_EQ(narrow[i].to_string(), back[i].to_string());
    if (total > BigUnsigned(2000)) {
      std::vector<value::Residues> few;
      const Integers small({3}, Numbers{-900, 0, 999});
      for (const std::uint64_t t : moduli) few.push_back(value::centred_residues(small, Modulus<std::uint64_t>(t)));
      const Integers words = remainders.combine(few, {3}, false, true);
      CHECK_EQ(words.words(), std::size_t{1});
      for (std::size_t i = 0; i < 3; ++i) CHECK_EQ(words[i].to_string(), small[i].to_string());
    }
  }
}

TEST(one_hot_selections_are_bounded_by_what_they_select) {
  const Numbers values = {900, -800, 700, 600}, mask = {0, 0, 1, 0};
  const EncryptedArray x = small(values, 1000);
  const EncryptedArray one = party().encrypted(mask, {.bound = 1, .l1_bound = 1});
  const EncryptedArray chosen = value::sum(one * x);
  CHECK_EQ(chosen.bound().largest(), BigUnsigned(1000));
  CHECK_EQ(value::matmul(one, x).bound().largest(), BigUnsigned(1000));
  CHECK_EQ(value::sum(x * mask).bound().largest(), BigUnsigned(1000));
  CHECK_EQ(opened(chosen), Numbers{700});
  CHECK_EQ(value::sum(x * x).bound().largest(), BigUnsigned(4000000));
  const value::Encryption one_hot{.bound = 1, .l1_bound = 1};
  CHECK_THROWS_WITH(RangeError, party().encrypted(Numbers(2, 1), one_hot), "add up to 2");
}

TEST(bounds_of_rows_survive_rearrangement_only_as_far_as_they_are_true) {
  const Integers grid({2, 2}, Numbers{3, 0, 0, 3});
  const auto x = party().encrypted(grid, {.bound = 3, .l1_bound = 3, .placement = Placement::replicated});
  CHECK_EQ(value::reshape(x, {4}).bound().row(), BigUnsigned(6));
  CHECK_EQ(value::reshape(x, {1, 4}).bound().row(), BigUnsigned(6));
  CHECK_EQ(value::select(x, {0, 0, 1, 1}, {2, 2}).bound().row(), BigUnsigned(6));  // twice the same value
  CHECK_EQ(value::select(x, {1, 0}, {2}).bound().row(), BigUnsigned(3));
  CHECK_EQ(value::select(x, {0, 3}, {2}).bound().row(), BigUnsigned(6));
  const std::vector<EncryptedArray> twice{x, x};
  CHECK_EQ(value::concatenate(twice, 1).bound().row(), BigUnsigned(6));
  CHECK_EQ(value::concatenate(twice, 0).bound().row(), BigUnsigned(3));
  CHECK_EQ(opened(value::select(x, {0, 3}, {2})), (Numbers{3, 3}));
}

TEST(coefficients_and_columns_in_slots_do_not_meet) {
  const auto x = party().encrypted(Integers({2, 4}, Numbers(8, 0)), {.bound = 1, .placement = Placement::coefficients});
  const auto y = party().encrypted(Integers({2, 1}, Numbers{5, 7}), {.bound = 9, .placement = Placement::slots});
  const auto z = party().encrypted(Integers({2, 1}, Numbers{5, 7}), {.bound = 9, .placement = Placement::replicated});
  CHECK_THROWS_WITH(UnsupportedError, x + y, "lies in coefficients");
  CHECK_THROWS(UnsupportedError, x - y);
  CHECK_THROWS(UnsupportedError, y - x);
  CHECK_THROWS(UnsupportedError, x * value::Integers({2, 4}, Numbers{1, 2, 3, 4, 5, 6, 7, 8}));
  CHECK_THROWS_WITH(UnsupportedError, x + z, "coefficients");
  CHECK_EQ(opened((x + 1) * z), (Numbers{5, 5, 5, 5, 7, 7, 7, 7}));
  CHECK_EQ(opened((x + 1) * y), (Numbers{5, 5, 5, 5, 7, 7, 7, 7}));
}

TEST(results_that_could_not_be_decrypted_are_refused_at_once) {
  const ValueParty shallow(&bfv::scheme(), {65537}, 2);
  EncryptedArray x = shallow.encrypted(Numbers{1, 0, 1}, {.bound = 1});
  const auto exhaust = [&](const value::Options& options) {
    for (std::size_t i = 0; i < 8; ++i) x = value::multiply(x, x, options);
  };
  CHECK_THROWS_WITH(NoiseError, exhaust({}), "allow_undecryptable");
  CHECK(x.noise_headroom() >= 0);
  exhaust({.allow_undecryptable = true});
  CHECK(x.noise_headroom() < 0);
  CHECK_THROWS(NoiseError, value::decrypt(x, shallow.secret));
}

TEST(what_hides_nothing_is_encrypted_anew_or_refused) {
  const EncryptedArray x = small({7, 8}, 10);
  CHECK_EQ(opened(x - x), (Numbers{0, 0}));
  CHECK(!rlwe::is_transparent((x * 0).channels().front()));
  const auto own = value::encrypt(Numbers{7, 8}, party().secret, {.bound = 10});
  CHECK_THROWS_WITH(TransparentError, own - own, "with_keys");
  CHECK_THROWS_WITH(MissingKeyError, own * own, "with_keys(evaluation)");
}

TEST(descriptions_that_are_not_true_are_noticed) {
  const EncryptedArray x = small({300, 1}, 1000);
  const EncryptedArray false_bound(x.placed(), Bound(100, 2));
  CHECK_THROWS_WITH(RangeError, value::decrypt(false_bound, party().secret), "beyond the array's stated bound 100");
  const EncryptedArray false_rows(x.placed(), Bound(300, 2, BigUnsigned(300)));
  CHECK_THROWS_WITH(RangeError, value::decrypt(false_rows, party().secret), "add up to 301");
  const value::Placed misplaced{x.channels(), x.layout().with_shape({2, 2})};
  CHECK_THROWS(ArgumentError, EncryptedArray(misplaced, x.bound()));
  CHECK_THROWS(RangeError, EncryptedArray(x.placed(), Bound(BigUnsigned::power_of_two(40), 2)));
}

TEST(progress_is_reported_and_what_it_throws_ends_the_work) {
  const auto x = party().encrypted(Integers({20, 1}, Numbers(20, 1)), {.bound = 1});
  std::size_t last = 0, total = 0;
  value::Options options;
  options.progress = [&](std::size_t done, std::size_t all, std::string_view) {
    last = done;
    total = all;
  };
  static_cast<void>(value::multiply(x, x, options));
  CHECK_EQ(last, total);
  CHECK_EQ(total, std::size_t{40});
  options.progress = [](std::size_t done, std::size_t, std::string_view) {
    if (done > 0) throw std::runtime_error("enough");
  };
  CHECK_THROWS_WITH(std::runtime_error, value::multiply(x, x, options), "enough");
}

TEST(layouts_and_arguments_that_do_not_fit) {
  const Integers two = {1, 2}, none({0, 3}, Numbers{});
  const EncryptedArray x = small({1, 2, 3}, 10);
  CHECK_THROWS_WITH(ArgumentError, x + two, "do not broadcast");
  CHECK_THROWS_WITH(ArgumentError, party().encrypted(none, value::Encryption()), "holds no values");
  CHECK_THROWS_WITH(UnsupportedError, value::item(x, 0), "within ciphertexts");
  CHECK_THROWS_WITH(UnsupportedError, value::reshape(x, value::Shape({3, 1})), "within ciphertexts");
  CHECK_THROWS_WITH(ArgumentError, value::reshape(x, {4}), "have no shape");
  CHECK_THROWS_WITH(ArgumentError, value::rotate_rows(x, 1), "fills it up");
  CHECK_THROWS_WITH(ArgumentError, value::sum(x, 1), "axis 1");
  CHECK_THROWS_WITH(RangeError, small(Numbers(1, 11), 10), "is beyond the bound 10");
  const auto wrapping = party().encrypted(Numbers{1, 2, 3}, {.wrap = true});
  CHECK_THROWS_WITH(MismatchError, x + wrapping, "wrap=True");
}

int main() { return check::run(); }
