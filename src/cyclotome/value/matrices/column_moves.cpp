// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/matrices/column_moves.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cyclotome/rlwe/switching/linear_transform.hpp"
#include "cyclotome/value/layout/rows.hpp"

namespace cyclotome::value {

namespace {

constexpr const char* operation = "values of a packed axis";

Ciphertext turned(Ciphertext x, std::size_t steps, const rlwe::EvaluationKeys& keys) {
  for (const std::uint64_t step : rlwe::rotation_steps(operation, steps, keys)) {
    x = rlwe::rotate_rows(x, static_cast<std::int64_t>(step), keys);
  }
  return x;
}

/// All of them to the left by as many steps as `steps` says of each; those alike at once.
Channels turned(const Channels& x, const Indices& steps, const rlwe::EvaluationKeys& keys) {
  std::map<std::size_t, Indices> alike;
  for (std::size_t i = 0; i < steps.size(); ++i) alike[steps[i]].push_back(i);
  std::vector<Channels> made;
  Indices order(steps.size());
  std::size_t count = 0;
  for (const auto& [step, numbers] : alike) {
    Channels some = take(x, numbers);
    for (Ciphertext& channel : some) channel = turned(channel, step, keys);
    made.push_back(std::move(some));
    for (const std::size_t number : numbers) order[number] = count++;
  }
  return take(concatenate(made), order);
}

/// Plaintext number k is 1 in slot k alone.
std::vector<rlwe::Plaintext> unit_masks(const Placed& x, std::size_t count) {
  const std::size_t width = x.layout.width();
  std::vector<std::int64_t> units(count * width, 0);
  for (std::size_t k = 0; k < count; ++k) units[k * width + k] = 1;
  const Integers masks({count, width}, units);
  const Rows rows(x.layout.placed({count, width}, Placement::slots), masks);
  std::vector<rlwe::Plaintext> made;
  for (std::size_t channel = 0; channel < x.channels.size(); ++channel) {
    made.push_back(rlwe::prepared(rows.encoded(x.context(), channel, {0, count})));
  }
  return made;
}

/// The sum of all rows, each times the mask of its number.
Ciphertext picked(const Ciphertext& rows, const rlwe::Plaintext& masks, const Indices& numbers) {
  return rlwe::sum_groups(rlwe::multiply_plain(rows, masks.taken(numbers)), numbers.size());
}

}  // namespace

std::optional<ColumnMoves> ColumnMoves::of(const Indices& numbers, std::size_t length, std::size_t last,
                                           std::size_t width) {
  const std::size_t half = width / 2;
  if (last < 2 || last > half || length > half) return std::nullopt;
  ColumnMoves moves;
  std::set<std::size_t> columns;
  for (std::size_t start = 0; start < numbers.size(); start += last) {
    NewRow row{numbers[start] % length, {}};
    for (std::size_t i = 0; i < last; ++i) {
      const std::size_t source = numbers[start + i] / length;
      if (numbers[start + i] % length != row.column) return std::nullopt;
      if (source >= moves.places.size()) moves.places.resize(source + 1);
      std::optional<std::size_t>& place = moves.places[source];
      if (place.value_or(i) != i) return std::nullopt;
      place = i;
      row.sources.push_back(source);
    }
    columns.insert(row.column);
    moves.rows.push_back(std::move(row));
  }
  // One by one it takes a rotation for each pair of a place and a column.
  return last * columns.size() > last + columns.size() ? std::optional(std::move(moves)) : std::nullopt;
}

Placed columns_moved(const Placed& x, const ColumnMoves& moves, const rlwe::EvaluationKeys& keys,
                     const Options& options) {
  const std::size_t half = x.layout.width() / 2, last = moves.rows.front().sources.size();
  Indices used, steps, number_of(moves.places.size());
  for (std::size_t source = 0; source < moves.places.size(); ++source) {
    if (!moves.places[source]) continue;
    number_of[source] = used.size();
    used.push_back(source);
    steps.push_back((half - *moves.places[source]) % half);
  }
  std::size_t masks = 0;
  for (const ColumnMoves::NewRow& row : moves.rows) masks = std::max(masks, std::min(row.column + last, half));
  Task task(options, operation, used.size() + moves.rows.size() * x.channels.size());
  const Channels diagonal = turned(take(x.channels, used), steps, keys);
  task.advance(used.size());
  const std::vector<rlwe::Plaintext> units = unit_masks(x, masks);
  std::vector<Channels> rows;
  Indices columns;
  for (const ColumnMoves::NewRow& row : moves.rows) {
    Indices sources, slots;
    for (std::size_t i = 0; i < last; ++i) {
      sources.push_back(number_of[row.sources[i]]);
      slots.push_back((row.column + i) % half);
    }
    Channels made = take(diagonal, sources);
    for (std::size_t channel = 0; channel < made.size(); ++channel) {
      made[channel] = picked(made[channel], units[channel], slots);
      task.advance();
    }
    rows.push_back(std::move(made));
    columns.push_back(row.column);
  }
  const Layout layout = x.layout.placed({moves.rows.size(), last}, Placement::slots, true);
  return {turned(concatenate(rows), columns, keys), layout};
}

}  // namespace cyclotome::value
