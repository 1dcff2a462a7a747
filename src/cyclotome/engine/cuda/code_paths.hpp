// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "cyclotome/math/errors.hpp"

// Which kernels an engine uses on a device. The driver takes what it finds in this build: machine code for the device,
// or intermediate code (PTX) for an older one, which it compiles. Either way a kernel is what its source says for the
// compute capability it was compiled for, so that one decides, and not the device's. Needs no CUDA.
namespace cyclotome::cuda {

/// A compute capability as __CUDA_ARCH__ counts: 900 is 9.0.
using Architecture = int;

inline constexpr Architecture oldest_architecture = 800;
/// From here on blocks form clusters, and kernels wait by themselves for the one before (early_start.cuh).
inline constexpr Architecture one_pass_architecture = 900;

/// "9.0"
inline std::string text_of(Architecture architecture) {
  return message(architecture / 100, ".", architecture % 100 / 10);
}

struct CodePaths {
  bool one_pass = false;         ///< kernels that hold whole limbs; recorded kernels may start early
  bool doubles = false;          ///< transforms on doubles where the modulus allows
  unsigned multiprocessors = 1;  ///< of the device: how much has to be in work at a time
};

/// device: what the device can do; loaded: what the code that runs there was compiled for; fused: whether whole limbs
/// may be held at all; single_to_double: how many times as fast floats are as doubles there.
constexpr CodePaths code_paths(Architecture device, Architecture loaded, bool fused, int single_to_double,
                               unsigned multiprocessors) {
  const bool one_pass = fused && std::min(device, loaded) >= one_pass_architecture;
  return {one_pass, one_pass && single_to_double <= 2, multiprocessors};  // elsewhere integers are faster
}

/// Why a device is refused; empty if it is not.
inline std::string age_problem(Architecture device) {
  if (device >= oldest_architecture) return {};
  return message("too old: compute capability ", text_of(device), ", and at least ", text_of(oldest_architecture),
                 " is needed");
}

/// What to say where the driver finds nothing in this build that the device can run; compiled: what it has.
inline std::string missing_code(Architecture device, std::span<const Architecture> compiled) {
  std::string list;
  for (const Architecture architecture : compiled) list += (list.empty() ? "" : ", ") + text_of(architecture);
  return message("this build has code for compute capability ", list, ", none that a device of ", text_of(device),
                 " can run; build it for this device: make install-cuda GPUS=", device / 10);
}

}  // namespace cyclotome::cuda
