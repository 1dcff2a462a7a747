// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>

#include "cyclotome/rlwe/switching/linear_transform.hpp"
#include "cyclotome/scheme/bfv/bootstrapping/slot_transform.hpp"

// The map between slots and coefficients as a product of few linear maps of slots with few diagonals each (Ma, Huang,
// Wang and Wang, 2024, after the stages of the Cooley-Tukey transform): slots k and k + d of a row are paired, d = n/4,
// n/8, ... 2, and in the end two neighbours of both rows.
namespace cyclotome::bfv {

/// Where a slot takes a value from: the slot `shift` places further on in its row, or in the other row.
struct SlotMove {
  bool swap = false;
  std::size_t shift = 0;
  auto operator<=>(const SlotMove&) const = default;
};

/// A linear map of slots: for each move the factors of all slots, by slot.
using SlotMap = std::map<SlotMove, std::vector<std::uint64_t>>;

/// Which way: coefficient number i of the message into slot i (in an order of its own), or back.
enum class SlotDirection : std::uint8_t { to_slots, to_coefficients };

/// How the stages of a degree are put together, and which rotations each group takes. The same for both directions.
class SlotStages {
 public:
  /// n: a power of two, at least 16.
  explicit SlotStages(std::size_t n);

  std::size_t count() const noexcept { return grids_.size(); }
  /// Rotations of a group's moves, of those that swap rows too.
  const rlwe::RotationGrid& grid(std::size_t group) const { return grids_.at(group); }
  /// The number of steps that rotations are made of: of every inner and every outer one. Ascending, without 0.
  std::vector<std::uint64_t> rotations() const;
  /// The map of a group, modulo the transform's modulus. Slots to coefficients goes through the groups from the last
  /// one to the first.
  SlotMap map(std::size_t group, SlotDirection direction, const SlotTransform& transform) const;

 private:
  std::size_t n_, row_stages_;
  std::vector<std::size_t> stages_;  ///< of each group; the last one has the four neighbours besides
  std::vector<rlwe::RotationGrid> grids_;
};

}  // namespace cyclotome::bfv
