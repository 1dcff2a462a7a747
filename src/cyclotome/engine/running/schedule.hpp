// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cyclotome/program/program.hpp"

namespace cyclotome {

/// In which steps an engine does a program that knows some of its composites, and from which step to which each of its
/// temporaries is there. An engine's own way to run programs starts from it too.
class Schedule {
 public:
  struct Step {
    std::uint32_t index;  ///< of the operation, or of the composite
    bool composite;
    std::vector<std::uint32_t> begins, ends;  ///< temporaries that this step is the first, or the last, to use
  };

  /// known: for each composite whether the engine has a native; of nested ones the outermost is taken.
  Schedule(const program::Program& program, const std::vector<bool>& known);

  /// What needs nothing that differs between tiles: done once, before them. Its temporaries live until the end.
  const std::vector<Step>& once() const noexcept { return once_; }
  /// What each tile of items takes.
  const std::vector<Step>& tile() const noexcept { return tile_; }
  /// Temporaries of `once`.
  const std::vector<std::uint32_t>& kept() const noexcept { return kept_; }
  /// The most bytes of temporaries that are there together in a tile: for each item, and besides.
  std::size_t item_bytes() const noexcept { return item_bytes_; }
  std::size_t fixed_bytes() const noexcept { return fixed_bytes_; }

 private:
  void find_lives(const program::Program& program);
  void find_peak(const program::Program& program);

  std::vector<Step> once_, tile_;
  std::vector<std::uint32_t> kept_;
  std::size_t item_bytes_ = 0, fixed_bytes_ = 0;
};

}  // namespace cyclotome
