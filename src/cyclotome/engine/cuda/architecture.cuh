// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cyclotome/engine/cuda/code_paths.hpp"
#include "cyclotome/engine/cuda/graph/launch.cuh"

namespace cyclotome::cuda {

/// What this build was compiled for, ascending.
std::span<const Architecture> compiled_architectures();

/// What the code was compiled for that the driver has chosen for the current device, one of `device`. Throws
/// EngineError if there is none, or none that it could compile.
Architecture loaded_architecture(Architecture device);

/// *out = what a kernel sees that it was compiled for.
void report_architecture(const Queue& queue, Architecture* out);

}  // namespace cyclotome::cuda
