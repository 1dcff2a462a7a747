// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cyclotome/engine/cuda/memory/constant_cache.cuh"
#include "cyclotome/ring/tables/norm_constants.hpp"

namespace cyclotome::cuda {

struct NormAxis;

/// NormConstants where kernels read them, copied on first use. Thread-safe.
class DeviceNorms {
 public:
  explicit DeviceNorms(Upload upload);
  ~DeviceNorms();

  /// Of x^n + 1.
  Resident<const ComplexNumber*> half_turn(const NormConstants& constants);
  /// Over Phi_m; `memory` keeps what they point to.
  const Resident<std::vector<NormAxis>>& axes(const NormConstants& constants);

 private:
  Resident<std::vector<NormAxis>> make_axes(const NormConstants& constants) const;

  Upload upload_;
  OnceByKey<std::uint64_t, ConstantMemory> half_turns_;  ///< by index
  std::mutex mutex_;
  std::map<std::uint64_t, std::unique_ptr<const Resident<std::vector<NormAxis>>>> axes_;  ///< by index
};

}  // namespace cyclotome::cuda
