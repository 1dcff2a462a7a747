// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/bootstrapping/slot_stages.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::bfv {

namespace {

using Row = std::vector<std::uint64_t>;

/// Stages that are put into one map, and rotations that are made at once of a ciphertext: both by what was fastest.
constexpr std::size_t most_stages = 5, inner_rotations = 8;

Row& factors_of(SlotMap& map, const SlotMove& move, std::size_t n) {
  Row& row = map[move];
  if (row.empty()) row.assign(n, 0);
  return row;
}

/// `second` after `first`.
SlotMap composed(const SlotMap& second, const SlotMap& first, const SlotTransform& transform) {
  const std::size_t n = transform.degree(), half = n / 2;
  const Modulus<std::uint64_t>& modulus = transform.modulus();
  SlotMap out;
  for (const auto& [outer, a] : second) {
    for (const auto& [inner, b] : first) {
      Row& sum = factors_of(out, {outer.swap != inner.swap, (outer.shift + inner.shift) % half}, n);
      for (std::size_t i = 0; i < n; ++i) {
        if (a[i] == 0) continue;
        const std::size_t row = i / half ^ static_cast<std::size_t>(outer.swap);
        const std::size_t from = row * half + (i % half + outer.shift) % half;
        sum[i] = modulus.add(sum[i], modulus.multiply(a[i], b[from]));
      }
    }
  }
  std::erase_if(out,
                [](const auto& entry) { return std::ranges::all_of(entry.second, [](auto x) { return x == 0; }); });
  return out;
}

/// Stage number s of 1 ... row_stages: slots k and k + d of blocks of 2 d, d = n/2^(s + 1). To slots: halves of the
/// sum, and of the difference over y, y = zeta^(g 2^(s-1)), g the unit of slot k; to coefficients the inverse.
SlotMap row_stage(std::size_t s, SlotDirection direction, const SlotTransform& transform) {
  const std::size_t n = transform.degree(), half = n / 2, block = half >> (s - 1), d = block / 2;
  const Modulus<std::uint64_t>& modulus = transform.modulus();
  const std::uint64_t one_half = (modulus.value() + 1) / 2;
  SlotMap out;
  Row stay(n, 0), forward(n, 0), back(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const bool low = i % half % block < d;
    const std::size_t exponent = (transform.unit(low ? i : i - d) << (s - 1)) % transform.index();
    if (direction == SlotDirection::to_slots) {
      const std::uint64_t over = modulus.multiply(one_half, transform.inverse_root(exponent));
      stay[i] = low ? one_half : modulus.negate(over);
      (low ? forward : back)[i] = low ? one_half : over;
    } else {
      const std::uint64_t y = transform.root(exponent);
      stay[i] = low ? 1 : modulus.negate(y);
      (low ? forward : back)[i] = low ? y : 1;
    }
  }
  out[{false, 0}] = std::move(stay);
  out[{false, d}] = std::move(forward);
  Row& other = factors_of(out, {false, half - d}, n);  // the same move where d is a quarter of n
  for (std::size_t i = 0; i < n; ++i) other[i] = modulus.add(other[i], back[i]);
  return out;
}

/// Two neighbours of both rows: four values of a polynomial of degree 3.
SlotMap last_stage(std::size_t row_stages, SlotDirection direction, const SlotTransform& transform) {
  const std::size_t n = transform.degree(), half = n / 2;
  const Modulus<std::uint64_t>& modulus = transform.modulus();
  const std::uint64_t one_half = (modulus.value() + 1) / 2, quarter = modulus.multiply(one_half, one_half);
  SlotMap out;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = i / half, column = i % half, first = column - column % 2, own = 2 * row + column % 2;
    for (std::size_t other = 0; other < 4; ++other) {
      const std::size_t from_row = other / 2, from_column = first + other % 2;
      const std::size_t of_own = (transform.unit(i) << row_stages) % transform.index();
      const std::size_t of_other = (transform.unit(from_row * half + from_column) << row_stages) % transform.index();
      const std::uint64_t factor =
          direction == SlotDirection::to_slots
              ? modulus.multiply(quarter, transform.inverse_root(of_other * own % transform.index()))
              : transform.root(of_own * other % transform.index());
      Row& factors = factors_of(out, {row != from_row, (from_column + half - column) % half}, n);
      factors[i] = modulus.add(factors[i], factor);
    }
  }
  return out;
}

/// Rotations by j d for |j| < reach, in rows of `half`.
rlwe::RotationGrid grid_of(std::size_t d, std::size_t reach, std::size_t half) {
  reach = std::min(reach, half / (2 * d));
  rlwe::RotationGrid grid;
  const std::size_t inner = std::min(inner_rotations, 2 * reach);
  for (std::size_t j = 0; j < inner; ++j) grid.inner.push_back(j * d);
  std::set<std::uint64_t> outer;
  for (std::size_t j = 0; j < 2 * reach; j += inner) outer.insert((half - reach * d + j * d) % half);
  grid.outer.assign(outer.begin(), outer.end());
  return grid;
}

}  // namespace

SlotStages::SlotStages(std::size_t n) : n_(n), row_stages_(static_cast<std::size_t>(std::countr_zero(n)) - 2) {
  const std::size_t half = n / 2, groups = std::max<std::size_t>(2, (row_stages_ + most_stages - 1) / most_stages);
  std::size_t done = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const bool last = group + 1 == groups;
    const std::size_t stages = last ? row_stages_ - done : std::min(most_stages, row_stages_ - done);
    done += stages;
    stages_.push_back(stages);
    // Within a group distances are multiples of the last stage's; the four neighbours have distance 1.
    grids_.push_back(last ? grid_of(1, std::size_t{2} << stages, half)
                          : grid_of(half >> done, std::size_t{1} << stages, half));
  }
}

std::vector<std::uint64_t> SlotStages::rotations() const {
  std::set<std::uint64_t> steps;
  for (const rlwe::RotationGrid& grid : grids_) {
    steps.insert(grid.inner.begin(), grid.inner.end());
    for (std::size_t i = 0; i < grid.outer.size(); ++i) steps.insert(rlwe::outer_turn(grid, i));
  }
  steps.erase(0);
  return {steps.begin(), steps.end()};
}

SlotMap SlotStages::map(std::size_t group, SlotDirection direction, const SlotTransform& transform) const {
  std::size_t first = 1;
  for (std::size_t i = 0; i < group; ++i) first += stages_[i];
  std::vector<SlotMap> maps;
  for (std::size_t s = first; s < first + stages_.at(group); ++s) maps.push_back(row_stage(s, direction, transform));
  if (group + 1 == count()) maps.push_back(last_stage(row_stages_, direction, transform));
  if (direction == SlotDirection::to_coefficients) std::ranges::reverse(maps);
  SlotMap out = std::move(maps.front());
  for (std::size_t i = 1; i < maps.size(); ++i) out = composed(maps[i], out, transform);
  return out;
}

}  // namespace cyclotome::bfv
