// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/floating_arithmetic.hpp"
#include "cyclotome/engine/cuda/transform/block_transform.cuh"
#include "cyclotome/engine/cuda/transform/pair_arithmetic.cuh"
#include "cyclotome/engine/cuda/transform/transform.cuh"

// Which BlockTransform serves which degree: values a thread, blocks a limb. Found by measuring (doc/gpu-notes.md).
namespace cyclotome::cuda {

/// `throughput`: many limbs, forwards or back; `latency`: few limbs, each spread over more blocks; `fused`: kernels
/// that keep several polynomials on the chip.
enum class Plan { throughput, throughput_back, latency, fused, fused_latency };

constexpr bool of_many_limbs(Plan plan) { return plan == Plan::throughput || plan == Plan::throughput_back; }

template <class A>
inline constexpr bool is_floating = std::is_same_v<typename A::Value, double>;

template <class A>
constexpr unsigned log_values(Plan plan, unsigned log_n) {
  const bool many = of_many_limbs(plan);
  if (is_floating<A>) return many && log_n >= 13 ? 5 : 4;
  if (sizeof(typename A::Word) == 8) return many && log_n >= 16 ? 5 : many || plan == Plan::latency ? 4 : 3;
  const bool back = plan == Plan::throughput_back && log_n == 14;
  return many && log_n >= 12 && !back ? 5 : 4;
}

template <class A>
constexpr unsigned log_blocks(Plan plan, unsigned log_n) {
  const bool few = plan == Plan::latency || plan == Plan::fused_latency;
  if (few && log_n >= 12 && log_n <= 13) return 2;
  if (few && log_n == 14) return 3;
  if (sizeof(typename A::Word) == 4) {
    if (plan == Plan::fused && (log_n == 13 || log_n == 14)) return log_n - 11;
    if (of_many_limbs(plan) && (log_n == 14 || log_n == 15)) return plan == Plan::throughput ? log_n - 12 : 3;
  }
  if (is_floating<A> && of_many_limbs(plan) && log_n == 15) return 3;
  const unsigned in_one = log_values<A>(plan, log_n) + 8;  // 256 threads
  return log_n <= in_one ? 0 : log_n - in_one < 3 ? log_n - in_one : 3;
}

template <class A, Plan P, unsigned LogN>
using PlannedTransform = BlockTransform<A, LogN, log_values<A>(P, LogN), log_blocks<A>(P, LogN)>;

/// Blocks of a fused kernel that a multiprocessor should hold, so many threads in all. Doubles are 16 values a thread
/// where words of 64 bits are 8.
template <class T>
constexpr unsigned fused_blocks(unsigned threads = sizeof(typename T::W) == 4 && T::degree >= 8192 ? 1024 : 768) {
  if (is_floating<typename T::Arithmetic> || of_pairs<typename T::Arithmetic>) threads = 512;
  return T::threads >= threads ? 1 : threads / T::threads;
}

inline constexpr unsigned min_log_degree = 10, max_log_degree = 17;
static_assert(min_log_degree == min_fused_log_degree);

/// Calls visit.template operator()<T>() with the plan's transform for degree 2^log_n; false if there is none.
template <class A, Plan P, unsigned Max = max_log_degree, unsigned LogN = min_log_degree, class Visit>
bool with_transform(unsigned log_n, const Visit& visit) {
  if constexpr (LogN <= Max) {
    if (log_n != LogN) return with_transform<A, P, Max, LogN + 1>(log_n, visit);
    visit.template operator()<PlannedTransform<A, P, LogN>>();
    return true;
  } else {
    return false;
  }
}

/// Calls body.template operator()<A>() for each arithmetic that some limb wants, as long as it returns true.
template <class W, class Body>
bool for_arithmetics(LimbArithmetics wanted, const Body& body) {
  if (wanted.integer && !body.template operator()<IntegerArithmetic<W>>()) return false;
  if constexpr (sizeof(W) == 8) {
    if (wanted.floating && !body.template operator()<FloatingArithmetic>()) return false;
  }
  return true;
}

}  // namespace cyclotome::cuda
