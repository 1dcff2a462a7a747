// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/conversion_terms.cuh"

// How close a polynomial's coefficients come to half the modulus, found by the kernel that decrypts, while it rounds.
// No branch and no address depends on a coefficient. The arithmetic runs on the host too, for tests.
namespace cyclotome::cuda {

/// Where nobody asked.
struct NoPeak {
  template <class W>
  CYCLOTOME_INLINE void of_residue(W, W) {}
  CYCLOTOME_INLINE void of_sum(std::uint64_t) {}
  template <class W>
  CYCLOTOME_INLINE std::uint64_t value(const ExactFraction<W>&) const {
    return 0;
  }
};

/// The peak of the coefficients that a thread has seen, either as residues modulo one q or as sums of fractions.
template <class W>
struct Peak {
  W residue = 0;          ///< the largest min(y, q - y)
  std::uint64_t sum = 0;  ///< the largest peak_of_sum

  CYCLOTOME_INLINE void of_residue(W y, W q) {
    const W opposite = q - y, distance = y < opposite ? y : opposite;
    residue = distance > residue ? distance : residue;
  }
  CYCLOTOME_INLINE void of_sum(std::uint64_t fractions) {
    const std::uint64_t here = peak_of_sum(fractions);
    sum = here > sum ? here : sum;
  }
  /// In units of 2^-56, as the CPU has it; exact: of the one q.
  CYCLOTOME_INLINE std::uint64_t value(const ExactFraction<W>& exact) const {
    const std::uint64_t single = peak_of(residue, exact.reciprocal, exact.bits);
    return single > sum ? single : sum;
  }
};

/// What the blocks of one item have found so far, and how many have; zeros between two kernels.
struct PeakCell {
  unsigned long long peak;
  unsigned blocks;
};

/// Seen by the host as soon as it gets there, where the memory is the host's.
__device__ __forceinline__ void write_at_once(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

/// Where a kernel puts the peak of each of its items. Every block adds what it found to the item's cell, and the last
/// one empties it: so nothing has to be cleared before, and no kernel has to come after.
struct PeakOutput {
  template <class W>
  using Found = Peak<W>;

  std::uint64_t* peaks;  ///< per item
  PeakCell* cells;       ///< per item

  /// For all threads of all blocks with this blockIdx.y; mine: what the thread found, 0 where it had nothing to do.
  template <unsigned Threads>
  __device__ void report(std::uint32_t item, std::uint64_t mine) const {
    constexpr unsigned warps = Threads / 32;
    static_assert(Threads % 32 == 0);
    __shared__ unsigned long long found[warps];
    unsigned long long largest = mine;
#pragma unroll
    for (unsigned lanes = 16; lanes != 0; lanes /= 2) {
      largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, lanes));
    }
    if (threadIdx.x % 32 == 0) found[threadIdx.x / 32] = largest;
    __syncthreads();
    if (threadIdx.x != 0) return;
#pragma unroll
    for (unsigned warp = 0; warp < warps; ++warp) {
      largest = max(largest, found[warp]);
      found[warp] = 0;
    }
    PeakCell& cell = cells[item];
    atomicMax(&cell.peak, largest);
    __threadfence();
    if (atomicAdd(&cell.blocks, 1u) + 1 != gridDim.x * gridDim.z) return;
    __threadfence();
    write_at_once(peaks + item, atomicExch(&cell.peak, 0ull));
    cell.blocks = 0;
  }
};

struct NoPeaks {
  template <class W>
  using Found = NoPeak;

  template <unsigned Threads>
  __device__ void report(std::uint32_t, std::uint64_t) const {}
};

}  // namespace cyclotome::cuda
