// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/block_transform.cuh"

// Which BlockTransform serves which degree: values a thread, blocks a limb. Found by measuring (doc/gpu-notes.md).
namespace cyclotome::cuda {

/// `throughput`: many limbs; `latency`: few limbs, each spread over more blocks; `fused`: kernels that keep several
/// polynomials in registers.
enum class Plan { throughput, latency, fused, fused_latency };

template <class W>
constexpr unsigned log_values(Plan plan, unsigned log_n) {
  if (sizeof(W) == 8) return plan == Plan::throughput && log_n >= 16 ? 5 : plan == Plan::throughput || plan == Plan::latency ? 4 : 3;
  return plan == Plan::throughput && log_n >= 12 && log_n != 15 ? 5 : 4;
}

template <class W>
constexpr unsigned log_blocks(Plan plan, unsigned log_n) {
  const bool few = plan == Plan::latency || plan == Plan::fused_latency;
  if (few && log_n >= 12 && log_n <= 13) return 2;
  if (few && log_n == 14) return 3;
  const unsigned in_one = log_values<W>(plan, log_n) + 8;  // 256 threads
  return log_n <= in_one ? 0 : log_n - in_one < 3 ? log_n - in_one : 3;
}

template <class W, Plan P, unsigned LogN>
using PlannedTransform = BlockTransform<W, LogN, log_values<W>(P, LogN), log_blocks<W>(P, LogN)>;

inline constexpr unsigned min_log_degree = 10, max_log_degree = 17;

/// Calls visit.template operator()<T>() with the plan's transform for degree 2^log_n; false if there is none.
template <class W, Plan P, unsigned Max = max_log_degree, unsigned LogN = min_log_degree, class Visit>
bool with_transform(unsigned log_n, const Visit& visit) {
  if constexpr (LogN <= Max) {
    if (log_n != LogN) return with_transform<W, P, Max, LogN + 1>(log_n, visit);
    visit.template operator()<PlannedTransform<W, P, LogN>>();
    return true;
  } else {
    return false;
  }
}

}  // namespace cyclotome::cuda
