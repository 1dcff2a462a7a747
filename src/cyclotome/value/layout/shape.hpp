// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Shapes of arrays and the order of their elements: the first axis is outermost (C order), as in NumPy. How an array is
// rearranged is a list of numbers: for every element of the result, the number of the element that it takes.
namespace cyclotome::value {

/// Lengths of axes, the outermost first; none for a scalar.
using Shape = std::vector<std::size_t>;
/// Numbers of elements, counted in C order.
using Indices = std::vector<std::size_t>;

/// As many as NumPy had for long.
inline constexpr std::size_t max_axes = 32;

/// "(2, 3)", "(4,)", "()".
std::string to_string(const Shape& shape);

/// Number of elements. Throws ArgumentError for a length of 0 (arrays are never empty), more than max_axes axes, or
/// more than 2^60 elements.
std::size_t count_of(const Shape& shape);

/// The shape that two broadcast to: axes are matched from the last, and those of length 1 repeat. Throws ArgumentError.
Shape broadcast_shape(const char* operation, const Shape& a, const Shape& b);

/// `from` broadcast to `to`: for every element of `to`, the number of the one of `from`.
/// Precondition: it fits.
Indices broadcast_indices(const Shape& from, const Shape& to);

/// The axes of `shape` in the order `axes` (a permutation), as np.transpose: for every element of the result, the
/// number of the one in `shape`.
Indices transposed_indices(const Shape& shape, std::span<const std::size_t> axes);

/// 0, 1, ..., count - 1.
Indices iota(std::size_t count);

/// Position of an axis that may be negative, counted from the end. Throws ArgumentError.
std::size_t axis_of(const char* operation, std::int64_t axis, const Shape& shape);

/// Positions of axes, ascending. Throws ArgumentError, also for one that is named twice.
std::vector<std::size_t> axes_of(const char* operation, std::span<const std::int64_t> axes, const Shape& shape);
/// A shape without some of its axes.
Shape without(const Shape& shape, std::span<const std::size_t> axes);

}  // namespace cyclotome::value
