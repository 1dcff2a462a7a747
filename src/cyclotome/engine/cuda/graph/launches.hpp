// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "cyclotome/engine/cuda/code_paths.hpp"
#include "cyclotome/program/program.hpp"

namespace cyclotome::cuda {

/// What the CUDA engine does for a program and a number of items.
struct Launches {
  std::vector<std::string_view> steps;    ///< verbs and composites
  std::vector<std::string_view> kernels;  ///< in the order of the graph
  std::size_t scratch_bytes;              ///< that the graph holds
};

/// Found without a device: all of it is decided on the host.
Launches launches_of(const program::Program& program, std::size_t items, CodePaths paths);

}  // namespace cyclotome::cuda
