// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/transform/transform_plans.cuh"

// Kernels for few values, in which the transforms of a product or a key switch stand side by side.
namespace cyclotome::cuda {

/// with_transform for them. At n = 4096 a thread has half as many values as elsewhere, and a block twice the threads:
/// a product with relinearisation is 14 % faster so, at 16384 11 % slower (measured).
template <class A, class Visit>
bool with_transform_side_by_side(unsigned log_n, const Visit& visit) {
  if constexpr (sizeof(typename A::Word) == 4) {
    if (log_n == 12) {
      visit.template operator()<BlockTransform<A, 12, 3, 2>>();
      return true;
    }
  }
  return with_transform<A, Plan::fused_latency, max_fused_log_degree>(log_n, visit);
}

/// When such a kernel, of clusters, may start behind a base conversion. That occupies the whole device but at the small
/// degree: elsewhere clusters that start early are slower (measured).
template <class T>
inline constexpr Start behind_conversions = T::degree == 4096 ? Start::early : Start::in_order;

}  // namespace cyclotome::cuda
