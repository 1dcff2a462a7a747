// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/jobs/sorting.hpp"

#include <algorithm>
#include <bit>

#include "cyclotome/circuit/jobs/ranks.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::circuit {

namespace {

/// Wires of every pair; the diagonal is not used.
using Pairs = std::vector<std::vector<Wire>>;

void require_range(const char* what, std::size_t value, std::size_t least, std::size_t most) {
  if (value >= least && value <= most) return;
  throw ArgumentError(message("sorting: ", what, " must lie in [", least, ", ", most, "], not ", value));
}

void require(const Sorting& s) {
  if (s.count > most_numbers) {
    throw ArgumentError(message("sorting: ", s.count, " numbers; all pairs are compared, so at most ", most_numbers,
                                " are sorted at once. Sort parts, or select first"));
  }
  require_range("the count of numbers", s.count, 1, most_numbers);
  require_range("bits", s.bits, 1, most_bits);
  require_range("bits carried along", s.carried, 0, most_bits);
  require_range("the count of results", s.kept, 0, s.count);
  if (s.modulus != 2 && s.modulus <= most_numbers) {
    throw ArgumentError(message("sorting: modulus ", s.modulus, "; ranks take 2, or a prime above ", most_numbers));
  }
}

/// before[j][i]: whether number j comes before number i. Each pair is compared once.
Pairs order_of(Writer& writer, std::span<const Wire> values, const Sorting& s) {
  const auto number = [&](std::size_t i) { return values.subspan(i * s.bits, s.bits); };
  Pairs before(s.count, std::vector<Wire>(s.count));
  for (std::size_t i = 0; i < s.count; ++i) {
    for (std::size_t j = i + 1; j < s.count; ++j) {
      // The later one comes first only if it is smaller (larger): equal ones keep their order.
      const auto &x = s.descending ? number(i) : number(j), &y = s.descending ? number(j) : number(i);
      before[j][i] = compare(writer, x, y, s.sign, false).less;
      before[i][j] = negated(writer, before[j][i]);
    }
  }
  return before;
}

/// Whether the rank of number i is r, for r below `wanted`.
std::vector<Wire> positions(Writer& writer, const Pairs& before, std::size_t i, std::size_t wanted) {
  std::vector<Wire> ahead;
  for (std::size_t j = 0; j < before.size(); ++j) {
    if (j != i) ahead.push_back(before[j][i]);
  }
  if (writer.modulus() == 2) {
    std::vector<Wire> all = one_hot_of_bits(writer, bit_count(writer, ahead), before.size());
    all.resize(wanted);
    return all;
  }
  std::vector<Term> terms;
  for (const Wire wire : ahead) terms.push_back({wire});
  return one_hot_of_number(writer, writer.sum(terms), before.size(), wanted);
}

/// Bits, the least significant first, as words of `width` bits each.
std::vector<Wire> words(Writer& writer, std::span<const Wire> bits, std::size_t width) {
  std::vector<Wire> result;
  for (std::size_t first = 0; first < bits.size(); first += width) {
    std::vector<Term> terms;
    for (std::size_t i = first; i < std::min(first + width, bits.size()); ++i) {
      terms.push_back({bits[i], std::int64_t{1} << (i - first)});
    }
    result.push_back(writer.sum(terms));
  }
  return result;
}

/// For every place the sum of all numbers, each times whether it stands there: relinearised once for each word.
std::vector<Wire> selected(Writer& writer, const Pairs& at, std::span<const Wire> bits, std::size_t each,
                           std::size_t places) {
  std::vector<std::vector<Wire>> numbers;
  for (std::size_t i = 0; i < at.size(); ++i) {
    numbers.push_back(words(writer, bits.subspan(i * each, each), word_bits(writer.modulus())));
  }
  std::vector<Wire> result;
  for (std::size_t r = 0; r < places; ++r) {
    for (std::size_t word = 0; word < numbers[0].size(); ++word) {
      std::vector<Term> terms;
      for (std::size_t i = 0; i < at.size(); ++i) terms.push_back({writer.product(at[i][r], numbers[i][word])});
      result.push_back(writer.relinearized(writer.sum(terms)));
    }
  }
  return result;
}

}  // namespace

std::size_t word_bits(std::uint64_t modulus) { return static_cast<std::size_t>(std::bit_width(modulus)) - 1; }

Circuit sort_circuit(const Sorting& s) {
  require(s);
  Writer writer(message("sorting ", s.count, " numbers of ", s.bits, " bits"), s.modulus);
  const auto values = writer.input("values", s.count * s.bits);
  const auto carried = s.carried > 0 ? writer.input("carried", s.count * s.carried) : std::vector<Wire>();
  if (s.count == 1) {
    writer.output("values", words(writer, values, word_bits(s.modulus)));
    if (s.carried > 0) writer.output("carried", words(writer, carried, word_bits(s.modulus)));
    return writer.finish();
  }
  const Pairs before = order_of(writer, values, s);
  const std::size_t places = s.kept == 0 ? s.count : s.kept;
  Pairs at;
  for (std::size_t i = 0; i < s.count; ++i) at.push_back(positions(writer, before, i, places));
  writer.output("values", selected(writer, at, values, s.bits, places));
  if (s.carried > 0) writer.output("carried", selected(writer, at, carried, s.carried, places));
  return writer.finish();
}

Circuit argmax_circuit(const Sorting& s) {
  require(s);
  require_range("the count of numbers", s.count, 2, most_numbers);
  Writer writer(message("the first of ", s.count, " numbers of ", s.bits, " bits"), s.modulus);
  const auto values = writer.input("values", s.count * s.bits);
  const Pairs before = order_of(writer, values, s);
  std::vector<Wire> mask;
  for (std::size_t i = 0; i < s.count; ++i) {
    std::vector<Wire> wins;
    for (std::size_t j = 0; j < s.count; ++j) {
      if (j != i) wins.push_back(before[i][j]);
    }
    mask.push_back(conjunction(writer, std::move(wins)));
  }
  std::vector<Wire> index;
  const std::size_t width = word_bits(s.modulus), bits = static_cast<std::size_t>(std::bit_width(s.count - 1));
  for (std::size_t first = 0; first < bits; first += width) {
    std::vector<Term> terms;
    for (std::size_t i = 1; i < s.count; ++i) {
      const auto part = static_cast<std::int64_t>(i >> first & ((std::size_t{1} << width) - 1));
      if (part != 0) terms.push_back({mask[i], part});
    }
    index.push_back(writer.sum(terms));
  }
  writer.output("index", std::move(index));
  writer.output("mask", std::move(mask));
  return writer.finish();
}

}  // namespace cyclotome::circuit
