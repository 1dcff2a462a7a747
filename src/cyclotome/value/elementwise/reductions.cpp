// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/elementwise/reductions.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/elementwise/shaping.hpp"
#include "cyclotome/value/layout/alignment.hpp"
#include "cyclotome/value/layout/slots.hpp"
#include "cyclotome/value/matrices/field_rolls.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

using Axes = std::vector<std::size_t>;

bool among(std::size_t axis, const Axes& axes) { return std::ranges::find(axes, axis) != axes.end(); }

std::size_t product_of(const Shape& shape, const Axes& axes) {
  std::size_t count = 1;
  for (const std::size_t axis : axes) count *= shape[axis];
  return count;
}

Placed sum_outer(const Placed& x, const Axes& axes) {
  if (axes.empty()) return x;
  const Shape numbered = x.layout.ciphertext_axes();
  Axes order;  // summed axes innermost
  for (std::size_t i = 0; i < numbered.size(); ++i) {
    if (!among(i, axes)) order.push_back(i);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  const Channels sorted = take(x.channels, transposed_indices(numbered, order));
  return {sum_groups(sorted, product_of(numbered, axes)), x.layout.with_shape(without(x.layout.shape(), axes))};
}

Placed sum_last(const Placed& x, const Keyring& keys, const Options& options) {
  const rlwe::EvaluationKeys& evaluation = keys.require_evaluation("sum over the last axis");
  const Channels rows = sum_groups(cleaned(x, options).channels, x.layout.chunks());
  Shape shape = x.layout.shape();
  shape.pop_back();
  return {sum_of_slots(rows, evaluation, options), x.layout.placed(shape, Placement::replicated)};
}

/// Whether these axes, which ascend, have the packed one among them.
bool has_packed(const Layout& layout, const Axes& axes) {
  return layout.packed() && !axes.empty() && axes.back() == layout.outer().size();
}

/// Products that wait are added up in three parts; over slots their sum is relinearised first.
EncryptedArray total(const char* operation, const EncryptedArray& x, const Axes& axes, const Bound& bound,
                     const Options& options) {
  const bool last = has_packed(x.layout(), axes);
  if (!x.waits() || (last && axes.size() == 1)) {
    return finished(operation, sum_over(x.placed(), x.keys(), axes, options), bound, x.keys(), options);
  }
  if (last) require_slots("sum over the last axis", x.layout());
  Placed sums = sum_outer(x.as_it_is(), last ? Axes(axes.begin(), axes.end() - 1) : axes);
  if (!last) return finished(operation, std::move(sums), bound, x.keys(), options, x.levels());
  sums.channels = relinearize(sums.channels, x.levels(), x.keys().require_evaluation(operation), options);
  return finished(operation, sum_last(sums, x.keys(), options), bound, x.keys(), options);
}

}  // namespace

EncryptedArray sum(const EncryptedArray& x, const Options& options) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < x.ndim(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  return sum(x, axes, false, options);
}

EncryptedArray sum(const EncryptedArray& x, std::span<const std::int64_t> axes, bool keepdims, const Options& options) {
  if (options.refresh_operands) {
    return with_room("sum", x, options, [&](const auto& a, const Options& how) { return sum(a, axes, keepdims, how); });
  }
  const Axes chosen = axes_of("sum", axes, x.shape());
  const Bound bound = total_bound(x.bound(), x.shape(), chosen);
  require_within("sum", bound, x.parameters());
  const EncryptedArray result = total("sum", x, chosen, bound, options);
  if (!keepdims) return result;
  Shape shape = x.shape();
  for (const std::size_t axis : chosen) shape[axis] = 1;
  return reshape(result, shape);
}

EncryptedArray sum_of_parts(std::span<const EncryptedArray> parts, const Bound& bound, const Options& options) {
  const EncryptedArray together = stack(parts, 0, options);
  require_within("sum", bound, together.parameters());
  return total("sum", together, {0}, bound, options);
}

Placed sum_over(const Placed& x, const Keyring& keys, const std::vector<std::size_t>& axes, const Options& options) {
  const bool last = has_packed(x.layout, axes);
  if (last) require_slots("sum over the last axis", x.layout);
  return sum_rest(sum_outer(x, last ? Axes(axes.begin(), axes.end() - 1) : axes), keys, last, options);
}

Placed sum_rest(Placed sums, const Keyring& keys, bool last, const Options& options) {
  if (sums.channels.front().parts() > 2) {
    sums.channels = relinearize(sums.channels, keys.require_evaluation("sum of products"), options);
  }
  return last ? sum_last(sums, keys, options) : sums;
}

}  // namespace cyclotome::value
