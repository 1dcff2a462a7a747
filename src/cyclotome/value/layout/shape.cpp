// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/layout/shape.hpp"

#include <algorithm>
#include <numeric>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

namespace {

constexpr std::size_t max_elements = std::size_t{1} << 60;

Shape strides_of(const Shape& shape) {
  Shape strides(shape.size());
  std::size_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

/// Of every element of `shape` in C order, the sum of its indices times strides.
Indices strided(const Shape& shape, const Shape& strides) {
  Indices numbers{0};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    Indices next;
    next.reserve(numbers.size() * shape[axis]);
    for (const std::size_t number : numbers) {
      for (std::size_t i = 0; i < shape[axis]; ++i) next.push_back(number + i * strides[axis]);
    }
    numbers = std::move(next);
  }
  return numbers;
}

}  // namespace

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::size_t count_of(const Shape& shape) {
  if (shape.size() > max_axes) {
    throw ArgumentError(message("an array of ", shape.size(), " axes; at most ", max_axes, " are possible"));
  }
  std::size_t count = 1;
  for (const std::size_t length : shape) {
    if (length == 0) throw ArgumentError(message("shape ", to_string(shape), " holds no values"));
    if (length > max_elements / count) throw ArgumentError(message("shape ", to_string(shape), " is too large"));
    count *= length;
  }
  return count;
}

Shape broadcast_shape(const char* operation, const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < shape.size(); ++i) {  // from the last axis
    const std::size_t m = i < a.size() ? a[a.size() - 1 - i] : 1, n = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (m != n && m != 1 && n != 1) {
      throw ArgumentError(
          message(operation, ": shapes ", to_string(a), " and ", to_string(b), " do not broadcast together"));
    }
    shape[shape.size() - 1 - i] = m == 1 ? n : m;
  }
  if (std::ranges::find(shape, std::size_t{0}) != shape.end()) {
    throw ArgumentError(message(operation, ": shapes ", to_string(a), " and ", to_string(b),
                                " leave no values; encrypted arrays are never empty"));
  }
  count_of(shape);
  return shape;
}

Indices broadcast_indices(const Shape& from, const Shape& to) {
  Shape strides(to.size(), 0);
  const Shape own = strides_of(from);
  const std::size_t added = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) strides[added + i] = from[i] == 1 ? 0 : own[i];
  return strided(to, strides);
}

Indices transposed_indices(const Shape& shape, std::span<const std::size_t> axes) {
  const Shape own = strides_of(shape);
  Shape lengths, strides;
  for (const std::size_t axis : axes) {
    lengths.push_back(shape[axis]);
    strides.push_back(own[axis]);
  }
  return strided(lengths, strides);
}

Indices iota(std::size_t count) {
  Indices numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

std::size_t axis_of(const char* operation, std::int64_t axis, const Shape& shape) {
  const auto axes = static_cast<std::int64_t>(shape.size());
  if (axis < -axes || axis >= axes) {
    throw ArgumentError(message(operation, ": axis ", axis, " of an array of shape ", to_string(shape)));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

std::vector<std::size_t> axes_of(const char* operation, std::span<const std::int64_t> axes, const Shape& shape) {
  std::vector<std::size_t> chosen;
  for (const std::int64_t axis : axes) chosen.push_back(axis_of(operation, axis, shape));
  std::ranges::sort(chosen);
  if (std::ranges::adjacent_find(chosen) != chosen.end()) {
    throw ArgumentError(message(operation, ": the axes name one twice"));
  }
  return chosen;
}

Shape without(const Shape& shape, std::span<const std::size_t> axes) {
  Shape rest;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (std::ranges::find(axes, i) == axes.end()) rest.push_back(shape[i]);
  }
  return rest;
}

}  // namespace cyclotome::value
