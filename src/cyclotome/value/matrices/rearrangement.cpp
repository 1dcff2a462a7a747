// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/matrices/rearrangement.hpp"

#include <algorithm>
#include <map>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/switching/linear_transform.hpp"
#include "cyclotome/value/elementwise/shaping.hpp"
#include "cyclotome/value/layout/slots.hpp"
#include "cyclotome/value/matrices/column_moves.hpp"
#include "cyclotome/value/matrices/diagonals.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

/// Where the values of a new row come from in one old row, `length` where they don't; by pattern which old row of which
/// new row they are.
struct Way {
  std::size_t to, from;
};
using Ways = std::map<Indices, std::vector<Way>>;

Ways ways_of(const Indices& numbers, std::size_t length, std::size_t last) {
  Ways ways;
  for (std::size_t row = 0; row * last < numbers.size(); ++row) {
    std::map<std::size_t, Indices> sources;
    for (std::size_t i = 0; i < last; ++i) {
      const std::size_t number = numbers[row * last + i];
      Indices& picks = sources.try_emplace(number / length, last, length).first->second;
      picks[i] = number % length;
    }
    for (auto& [from, picks] : sources) ways[std::move(picks)].push_back({row, from});
  }
  return ways;
}

/// Those rows of a packed array.
Placed rows_of(const Placed& x, const std::vector<Way>& ways) {
  const std::size_t chunks = x.layout.chunks();
  Indices ciphertexts;
  for (const Way& way : ways) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) ciphertexts.push_back(way.from * chunks + chunk);
  }
  return {take(x.channels, ciphertexts), x.layout.with_shape({ways.size(), x.layout.length()})};
}

/// Where picks are neighbours that stand in one row of slots: the first one.
std::optional<std::size_t> run_of(const Indices& picks, const Layout& layout) {
  const std::size_t half = layout.width() / 2, first = picks[0];
  for (std::size_t i = 0; i < picks.size(); ++i) {
    if (picks[i] != first + i) return std::nullopt;
  }
  if (first == 0) return first;
  return first / half == (first + picks.size() - 1) / half ? std::optional(first) : std::nullopt;
}

/// Rows from value `first` on, with what stands behind it beside them.
Placed moved_to_front(const Placed& x, std::size_t first, std::size_t last, const Keyring& keys) {
  const Layout& layout = x.layout;
  const std::size_t width = layout.width(), half = width / 2, rows = layout.shape()[0], skipped = first / width;
  const Layout shorter = layout.placed({rows, last}, Placement::slots, false);
  Indices ciphertexts;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < shorter.chunks(); ++i) ciphertexts.push_back(row * layout.chunks() + skipped + i);
  }
  Channels channels = take(x.channels, ciphertexts);
  if (first % width == 0) return {std::move(channels), shorter};
  const rlwe::EvaluationKeys& evaluation = keys.require_evaluation("values of a packed axis");
  for (Ciphertext& channel : channels) {
    for (const std::uint64_t step : rlwe::rotation_steps("values of a packed axis", first % half, evaluation)) {
      channel = rlwe::rotate_rows(channel, static_cast<std::int64_t>(step), evaluation);
    }
    if (first % width >= half) channel = rlwe::rotate_columns(channel, evaluation);
  }
  return {std::move(channels), shorter};
}

void require_movable(const EncryptedArray& x) {
  require_slots("values of a packed axis", x.layout());
  if (Diagonals::possible(*x.context())) return;
  throw UnsupportedError(message("values of a packed axis: the slots of ", x.parameters().summary(),
                                 " are no two rows of integers; multiply by a 0/1 mask, or decrypt"));
}

/// The ciphertexts of new rows of `last` values: one in all slots, or packed.
Placed rows_rearranged(const EncryptedArray& x, const Indices& numbers, std::size_t last, const Options& options) {
  Placed operand = x.placed();
  if (operand.channels.front().parts() > 2) {
    operand.channels = relinearize(operand.channels, x.keys().require_evaluation("values of a packed axis"), options);
  }
  const Ways ways = ways_of(numbers, x.layout().length(), last);
  if (last > 1 && ways.size() == 1) {
    if (const auto first = run_of(ways.begin()->first, x.layout())) {
      return moved_to_front(rows_of(operand, ways.begin()->second), *first, last, x.keys());
    }
  }
  const rlwe::EvaluationKeys& keys = x.keys().require_evaluation("values of a packed axis");
  if (const auto moves = ColumnMoves::of(numbers, x.layout().length(), last, x.layout().width())) {
    return columns_moved(operand, *moves, keys, options);
  }
  const std::size_t rows = numbers.size() / last;
  std::vector<std::optional<Placed>> made(rows);
  for (const auto& [picks, alike] : ways) {
    const Diagonals selection(x.context(), x.layout().length(), picks, operand.layout.clean());
    const Placed parts = selection.apply("values of a packed axis", rows_of(operand, alike), keys, options);
    for (std::size_t i = 0; i < alike.size(); ++i) {
      Indices ciphertexts;
      for (std::size_t c = 0; c < parts.layout.chunks(); ++c) ciphertexts.push_back(i * parts.layout.chunks() + c);
      Channels part = take(parts.channels, ciphertexts);
      std::optional<Placed>& row = made[alike[i].to];
      if (row) {
        for (std::size_t c = 0; c < part.size(); ++c) part[c] = rlwe::add(row->channels[c], part[c]);
      }
      row = Placed{std::move(part), parts.layout.with_shape({1, last})};
    }
  }
  std::vector<Placed> all;
  for (auto& row : made) all.push_back(std::move(*row));
  return joined(all, 0);
}

}  // namespace

EncryptedArray rearranged(const EncryptedArray& x, const Indices& numbers, const Shape& shape, const Options& options) {
  if (options.refresh_operands) {
    return with_room("values of a packed axis", x, options,
                     [&](const auto& a, const Options& how) { return rearranged(a, numbers, shape, how); });
  }
  const std::size_t count = count_of(x.shape());
  if (numbers.empty() || count_of(shape) != numbers.size()) {
    throw ArgumentError(message("rearranged: ", numbers.size(), " numbers in shape ", to_string(shape),
                                "; encrypted arrays are never empty"));
  }
  if (const auto found = std::ranges::find_if(numbers, [&](std::size_t i) { return i >= count; });
      found != numbers.end()) {
    throw ArgumentError(message("rearranged: number ", *found, " of ", count));
  }
  const std::size_t last = shape.empty() ? 1 : shape.back();
  const Bound bound = rearranged_bound(x, numbers, last);
  if (!x.layout().packed()) {
    const EncryptedArray& from = numbers.size() > x.layout().batch() ? x.settled() : x;
    return from.taken(numbers, x.layout().with_shape(shape), bound);
  }
  require_movable(x);
  Placed rows = rows_rearranged(x, numbers, last, options);
  const Layout layout = last == 1 ? rows.layout.placed(shape, Placement::replicated) : rows.layout.with_shape(shape);
  return finished("values of a packed axis", {std::move(rows.channels), layout}, bound, x.keys(), options);
}

}  // namespace cyclotome::value
