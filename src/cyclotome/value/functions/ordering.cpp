// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/functions/ordering.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/elementwise/elementwise.hpp"
#include "cyclotome/value/elementwise/inner_products.hpp"
#include "cyclotome/value/elementwise/reductions.hpp"
#include "cyclotome/value/elementwise/shaping.hpp"
#include "cyclotome/value/functions/comparisons.hpp"
#include "cyclotome/value/functions/few_values.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

constexpr std::size_t most_ranked = 64;

/// The values that are put in order: an array for each, without the axis along which they stood.
struct Row {
  std::vector<EncryptedArray> values;
  std::size_t axis;  ///< where it was
  std::size_t lead;  ///< axes before that of values where they are stacked: 1 for digits
};

std::size_t axis_of_order(const EncryptedArray& x, const Order& order) {
  const std::size_t lead = order.digits ? 1 : 0;
  if (x.ndim() <= lead) throw ArgumentError("a scalar has no axis whose values have an order");
  const Shape shape(x.shape().begin() + static_cast<std::ptrdiff_t>(lead), x.shape().end());
  const std::size_t axis = axis_of("sort", order.axis, shape) + lead;
  if (axis >= x.layout().outer().size()) {
    throw UnsupportedError(message("the order of values along axis ", order.axis, " of shape ", to_string(x.shape()),
                                   ", which lies within ciphertexts; put that axis first before encrypting, ",
                                   "encrypt(values.T, ...) with axis=0, or encrypt a single list with ",
                                   "layout='replicated'"));
  }
  if (x.shape()[axis] > most_ranked) {
    throw ArgumentError(
        message("the order of ", x.shape()[axis], " values; at most ", most_ranked, " are compared with each other"));
  }
  return axis;
}

Row row_of(const EncryptedArray& x, const Order& order) {
  Row row{{}, axis_of_order(x, order), order.digits ? std::size_t{1} : 0};
  const Shape outer = x.layout().outer();
  std::vector<std::size_t> axes = iota(outer.size());
  axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(row.axis));
  axes.insert(axes.begin(), row.axis);
  const Indices first = transposed_indices(outer, axes);  // the axis first
  Shape rest = outer;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(row.axis));
  const std::size_t each = first.size() / outer[row.axis];
  for (std::size_t i = 0; i < outer[row.axis]; ++i) {
    const auto start = first.begin() + static_cast<std::ptrdiff_t>(i * each);
    row.values.push_back(select(x, Indices(start, start + static_cast<std::ptrdiff_t>(each)), rest));
  }
  return row;
}

EncryptedArray stacked(const std::vector<EncryptedArray>& arrays, std::size_t axis, const Options& options) {
  return stack(arrays, static_cast<std::int64_t>(axis), options);
}

/// For each pair i < j whether value j comes before value i.
EncryptedArray inversions(const Row& row, const Order& order, const Options& options) {
  std::vector<EncryptedArray> earlier, later;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    for (std::size_t j = i + 1; j < row.values.size(); ++j) {
      earlier.push_back(row.values[i]);
      later.push_back(row.values[j]);
    }
  }
  const EncryptedArray a = stacked(order.descending ? earlier : later, row.lead, options);
  const EncryptedArray b = stacked(order.descending ? later : earlier, row.lead, options);
  return order.digits ? less_digits(a, b, options) : less(a, b, options);
}

/// How many values come before each from number `first` on, along the first axis: of those behind it the ones that do,
/// and of those ahead of it the ones that don't come after.
EncryptedArray ranks(const Row& row, const Order& order, std::size_t first, const Options& options) {
  const std::size_t count = row.values.size();
  const EncryptedArray moved = without_bound(inversions(row, order, options));
  std::vector<std::optional<EncryptedArray>> sums(count);
  const auto count_in = [&](std::size_t i, EncryptedArray term) {
    sums[i] = sums[i] ? add(*sums[i], term, options) : std::move(term);
  };
  std::int64_t pair = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j, ++pair) {
      const EncryptedArray one = item(moved, pair);
      count_in(i, one);
      count_in(j, subtract(1, one, options));
    }
  }
  std::vector<EncryptedArray> all;
  for (std::size_t i = first; i < count; ++i) all.push_back(*sums[i]);
  const EncryptedArray result = stacked(all, 0, options);
  return with_bound(result, Bound(count - 1, result.layout().last()).from_zero());
}

/// For the first places an array each: whether a value from number `first` on, along the first axis, stands there.
std::vector<EncryptedArray> place_masks(const Row& row, const Order& order, std::size_t kept, const Options& options,
                                        std::size_t first = 0) {
  const EncryptedArray rank = ranks(row, order, first, options);
  const Range range{0, static_cast<std::int64_t>(row.values.size()) - 1};
  require_distinct("sort", range, rank.parameters());
  std::vector<std::vector<std::int64_t>> values(kept, std::vector<std::int64_t>(row.values.size()));
  for (std::size_t place = 0; place < kept; ++place) values[place][place] = 1;
  Computation computation{"sort", {}, std::vector<Bound>(kept, bound_of_masks(rank.layout().last()))};
  computation.function = [&](const Ciphertext& channel) {
    return by_plan(plan_of_values(range, values, modulus_of(channel)));
  };
  return computed(rank, computation, options);
}

std::size_t kept_of(const Row& row, const Order& order) {
  if (order.kept > row.values.size()) {
    throw ArgumentError(message("the first ", order.kept, " of ", row.values.size(), " values"));
  }
  return order.kept == 0 ? row.values.size() : order.kept;
}

}  // namespace

EncryptedArray places(const EncryptedArray& x, const Order& order, const Options& options) {
  const Row row = row_of(x, order);
  if (row.values.size() < 2) throw ArgumentError("the order of one value is known: there is nothing to compare");
  return stacked(place_masks(row, order, kept_of(row, order), options), 0, options);
}

EncryptedArray sorted(const EncryptedArray& x, const Order& order, const Options& options) {
  const Row row = row_of(x, order);
  const std::size_t kept = kept_of(row, order);
  if (row.values.size() < 2) return x;
  const EncryptedArray values = stacked(row.values, row.lead, options);
  const Keyring& keys = x.keys();
  // A row of results takes values from every row.
  const Bound bound = values.bound().regrouped(row.values.size(), row.values.front().layout().last());
  std::vector<EncryptedArray> results;
  for (const EncryptedArray& mask : place_masks(row, order, kept, options)) {
    const auto moved = [&](const EncryptedArray& a, const EncryptedArray& b, const Options& how) {
      return finished("sort", sum_of_products(a, b, Indices{row.lead}, how), bound, keys, how);
    };
    const EncryptedArray chosen = without_bound(mask), from = without_bound(values);
    results.push_back(options.refresh_operands ? with_room("sort", chosen, from, options, Growth::product, moved)
                                               : moved(chosen, from, options));
  }
  return stacked(results, row.axis, options);
}

EncryptedArray first_place(const EncryptedArray& x, const Order& order, const Options& options) {
  const Row row = row_of(x, order);
  if (row.values.size() < 2) throw ArgumentError("the place of the largest of one value is known");
  // Whether it is value 0 adds nothing to the number of its place.
  const EncryptedArray mask = without_bound(place_masks(row, order, 1, options, 1).front());
  std::optional<EncryptedArray> index;
  for (std::size_t i = 1; i < row.values.size(); ++i) {
    EncryptedArray term = multiply(item(mask, static_cast<std::int64_t>(i) - 1), static_cast<std::int64_t>(i), options);
    index = index ? add(*index, term, options) : std::move(term);
  }
  return with_bound(*index, Bound(row.values.size() - 1, index->layout().last()).from_zero());
}

}  // namespace cyclotome::value
