// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/elementwise/inner_products.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/value/elementwise/elementwise.hpp"
#include "cyclotome/value/elementwise/reductions.hpp"
#include "cyclotome/value/layout/alignment.hpp"
#include "cyclotome/value/layout/rows.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

using Axes = std::vector<std::size_t>;

/// Memory for ciphertexts that are prepared for products, which are some two and a half times as long.
constexpr std::uint64_t prepared_bytes = std::uint64_t{1} << 29;

/// How many are prepared at once: as many as that memory takes, or the part of it that there is.
std::size_t most_prepared(const Ciphertext& x) {
  std::uint64_t bytes = prepared_bytes;
  const std::uint64_t each = x.polynomials().bytes() / x.batch() * 5 / 2;
  while (bytes > 2 * each && !has_memory(*x.context()->engine(), 3 * bytes)) bytes /= 2;  // beside sums
  return std::max<std::size_t>(2, bytes / each);
}

/// Numbers of the ciphertexts that meet, `group` pairs for each sum, and how many sums are in a row of the result.
struct Pairs {
  Indices x, y;
  std::size_t group = 1, columns = 1;

  std::size_t sums() const { return x.size() / group; }
};

Indices numbers_in(const Placed& x, const Layout& layout) {
  return x.layout.batch() == 1 ? Indices(layout.batch(), 0) : order_of(x.layout, layout);
}

Pairs pairs_of(const Met& both, const Axes& summed) {
  const Shape numbered = both.layout.ciphertext_axes();
  Pairs pairs;
  Axes order;  // summed axes innermost
  for (std::size_t i = 0; i < numbered.size(); ++i) {
    if (std::ranges::find(summed, i) != summed.end()) continue;
    order.push_back(i);
    if (numbered[i] > 1) pairs.columns = numbered[i];
  }
  order.insert(order.end(), summed.begin(), summed.end());
  for (const std::size_t axis : summed) pairs.group *= numbered[axis];
  const Indices x = numbers_in(both.x, both.layout), y = numbers_in(both.y, both.layout);
  for (const std::size_t i : transposed_indices(numbered, order)) {
    pairs.x.push_back(x[i]);
    pairs.y.push_back(y[i]);
  }
  return pairs;
}

/// Sums that are worked on at once: rows and columns of them.
struct Tile {
  std::size_t first_row, rows, first_column, columns;

  Indices sums(const Pairs& pairs) const {
    Indices numbers;
    for (std::size_t r = first_row; r < first_row + rows; ++r) {
      for (std::size_t c = first_column; c < first_column + columns; ++c) numbers.push_back(r * pairs.columns + c);
    }
    return numbers;
  }
};

/// How many ciphertexts its sums take, each counted once.
std::size_t factors_of(const Tile& tile, const Pairs& pairs) {
  std::set<std::size_t> x, y;
  for (const std::size_t sum : tile.sums(pairs)) {
    x.insert(pairs.x.begin() + sum * pairs.group, pairs.x.begin() + (sum + 1) * pairs.group);
    y.insert(pairs.y.begin() + sum * pairs.group, pairs.y.begin() + (sum + 1) * pairs.group);
  }
  return x.size() + y.size();
}

/// A tile cut until its factors are few enough: across its longer side, so that what its sums share stays together.
void cut(const Tile& tile, const Pairs& pairs, std::size_t most, std::vector<Tile>& tiles) {
  if (tile.rows * tile.columns == 1 || factors_of(tile, pairs) <= most) return tiles.push_back(tile);
  Tile first = tile, second = tile;
  if (tile.rows >= tile.columns) {
    first.rows = tile.rows / 2;
    second.first_row += first.rows;
    second.rows -= first.rows;
  } else {
    first.columns = tile.columns / 2;
    second.first_column += first.columns;
    second.columns -= first.columns;
  }
  cut(first, pairs, most, tiles);
  cut(second, pairs, most, tiles);
}

std::vector<rlwe::Member> members(const Ciphertext& x, const Indices& numbers, const Indices& sums, std::size_t group,
                                  std::size_t first, std::size_t length) {
  std::vector<rlwe::Member> result;
  for (const std::size_t sum : sums) {
    for (std::size_t i = first; i < first + length; ++i) result.push_back({&x, numbers[sum * group + i]});
  }
  return result;
}

/// The sums of these numbers; sums of more products than are prepared at once are added up from parts.
Ciphertext sums_of(const Ciphertext& x, const Ciphertext& y, const Pairs& pairs, const Indices& sums, std::size_t most,
                   Task& task) {
  const std::size_t length = std::min(pairs.group, std::max<std::size_t>(1, most / 2));
  std::optional<Ciphertext> total;
  for (std::size_t first = 0; first < pairs.group; first += length) {
    const std::size_t count = std::min(length, pairs.group - first);
    const Ciphertext part = scheme::sum_products(members(x, pairs.x, sums, pairs.group, first, count),
                                                 members(y, pairs.y, sums, pairs.group, first, count), count);
    total = total ? scheme::add(*total, part) : part;
    task.advance(sums.size() * count);
  }
  return *total;
}

Channels sums_of(const Met& both, const Pairs& pairs, const Options& options) {
  const std::size_t most = most_prepared(both.x.channels.front());
  std::vector<Tile> tiles;
  cut({0, pairs.sums() / pairs.columns, 0, pairs.columns}, pairs, most, tiles);
  Task task(options, "multiplying", pairs.x.size() * both.x.channels.size());
  Indices places(pairs.sums());
  std::size_t made = 0;
  for (const Tile& tile : tiles) {
    for (const std::size_t sum : tile.sums(pairs)) places[sum] = made++;
  }
  Channels results;
  for (std::size_t i = 0; i < both.x.channels.size(); ++i) {
    std::vector<Channels> parts;
    for (const Tile& tile : tiles) {
      parts.push_back({sums_of(both.x.channels[i], both.y.channels[i], pairs, tile.sums(pairs), most, task)});
    }
    results.push_back(take(concatenate(parts), places).front());
  }
  return results;
}

}  // namespace

Placed sum_of_products(const EncryptedArray& x, const EncryptedArray& y, const Axes& axes, const Options& options) {
  const Keyring keys = x.keys().joined(y.keys());
  const auto one_by_one = [&] { return sum_over(multiply_lazily(x, y, options), keys, axes, options); };
  if (!options.product_method.empty()) return one_by_one();
  const Met both = met("multiply", Meeting::product, x, y, options);
  const bool last = both.layout.packed() && !axes.empty() && axes.back() == both.layout.outer().size();
  const Axes outer(axes.begin(), axes.end() - (last ? 1 : 0));
  const Pairs pairs = pairs_of(both, outer);
  if (pairs.group == 1) return one_by_one();
  Placed sums{sums_of(both, pairs, options), both.layout.with_shape(without(both.layout.shape(), outer))};
  return sum_rest(std::move(sums), keys, last, options);
}

EncryptedArray sum_of_products(const EncryptedArray& x, const EncryptedArray& y, std::span<const std::int64_t> axes,
                               const Options& options) {
  if (options.refresh_operands) {
    return with_room(
        "sum of products", x, y, options, Growth::product,
        [&](const auto& a, const auto& b, const Options& how) { return sum_of_products(a, b, axes, how); });
  }
  constexpr auto operation = "sum of products";
  const Shape shape = broadcast_shape(operation, x.shape(), y.shape());
  const Axes chosen = axes_of(operation, axes, shape);
  const Bound bound = total_bound(bound_together("multiply", product_bound, x, y), shape, chosen);
  require_within(operation, bound, x.parameters());
  return finished(operation, sum_of_products(x, y, chosen, options), bound, x.keys().joined(y.keys()), options);
}

}  // namespace cyclotome::value
