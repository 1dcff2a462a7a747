// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arrays of integers in the clear, by definition and without the library's help: what encrypted ones are compared with.

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

namespace cyclotome::check {

__extension__ typedef __int128 Wide;
using Lengths = std::vector<std::size_t>;

struct Model {
  Lengths shape;
  std::vector<Wide> values;  // in C order
};

inline std::size_t product_of(const Lengths& shape) {
  std::size_t count = 1;
  for (const std::size_t length : shape) count *= length;
  return count;
}

/// The indices of element `number` in C order.
inline Lengths index_of(const Lengths& shape, std::size_t number) {
  Lengths index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; number /= shape[i]) index[i] = number % shape[i];
  return index;
}

/// The element that `index`, of a shape of as many or more axes, names after broadcasting.
inline Wide at(const Model& a, const Lengths& index) {
  std::size_t number = 0;
  const std::size_t added = index.size() - a.shape.size();
  for (std::size_t i = 0; i < a.shape.size(); ++i) {
    number = number * a.shape[i] + (a.shape[i] == 1 ? 0 : index[added + i]);
  }
  return a.values[number];
}

/// A model of this shape whose elements are a function of their indices.
inline Model made(const Lengths& shape, const std::function<Wide(const Lengths&)>& value) {
  Model result{shape, {}};
  for (std::size_t i = 0; i < product_of(shape); ++i) result.values.push_back(value(index_of(shape, i)));
  return result;
}

/// Whether two shapes broadcast, and what to.
inline bool broadcasts(const Lengths& a, const Lengths& b, Lengths& shape) {
  shape.assign(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t m = i < a.size() ? a[a.size() - 1 - i] : 1, n = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (m != n && m != 1 && n != 1) return false;
    shape[shape.size() - 1 - i] = std::max(m, n);
  }
  return true;
}

inline Model combined(const Model& a, const Model& b, const std::function<Wide(Wide, Wide)>& function) {
  Lengths shape;
  broadcasts(a.shape, b.shape, shape);
  return made(shape, [&](const Lengths& index) { return function(at(a, index), at(b, index)); });
}

inline Model summed(const Model& a, std::size_t axis) {
  Lengths shape = a.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return made(shape, [&](const Lengths& index) {
    Wide total = 0;
    Lengths full = index;
    full.insert(full.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    for (full[axis] = 0; full[axis] < a.shape[axis]; ++full[axis]) total += at(a, full);
    return total;
  });
}

/// a (m, k) or (k) times b (k, n) or (k).
inline Model multiplied(const Model& a, const Model& b) {
  Lengths shape(a.shape.begin(), a.shape.end() - 1);
  const bool vector = b.shape.size() == 1;
  if (!vector) shape.push_back(b.shape.back());
  return made(shape, [&](const Lengths& index) {
    Wide total = 0;
    Lengths left(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(a.shape.size() - 1)), right{0};
    left.push_back(0);
    if (!vector) right.push_back(index.back());
    for (std::size_t k = 0; k < a.shape.back(); ++k) {
      left.back() = right[0] = k;
      total += at(a, left) * at(b, right);
    }
    return total;
  });
}

}  // namespace cyclotome::check
