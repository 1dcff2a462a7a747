// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cuda_runtime.h>

namespace cyclotome::cuda {

/// Shared memory in which the 2^LogC blocks of a cluster exchange words, each block receiving `Words` of them at a
/// time.
///
/// Words go by st.async, which counts bytes at a barrier of the receiver. The cluster's own barrier would do as well,
/// but its release waits for all of a thread's stores, and its acquire empties the multiprocessor's cache, where the
/// transforms' factors are. One block alone stores and synchronises as usual.
template <class W, unsigned LogC, unsigned Words>
class ClusterExchange {
 public:
  static constexpr unsigned blocks = 1u << LogC;
  static constexpr unsigned barrier_bytes = LogC == 0 ? 0 : 16;

  /// memory: the block's dynamic shared memory, aligned to 16 bytes. For all threads of all blocks, at the start.
  __device__ __forceinline__ explicit ClusterExchange(uint4* memory)
      : words_(reinterpret_cast<W*>(memory + barrier_bytes / 16)) {
    if constexpr (LogC > 0) {
      barriers_ = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
      if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(full()), "r"(1) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(free()), "r"(blocks) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      }
      asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    }
  }

  /// Goes on where another exchange over the same memory stopped, which is not used any more.
  template <class Other>
  __device__ __forceinline__ explicit ClusterExchange(const Other& before)
      : words_(reinterpret_cast<W*>(before.words())),
        barriers_(before.barriers_),
        full_phase_(before.full_phase_),
        free_phase_(before.free_phase_),
        used_(before.used_),
        started_(before.started_),
        announced_(before.announced_) {
    static_assert(Other::blocks == blocks);
  }

  __device__ __forceinline__ W* words() const { return words_; }

  /// This block's threads are about to use the words among themselves.
  __device__ __forceinline__ void enter() {
    if (used_) __syncthreads();
    used_ = true;
  }

  /// This block's words may be overwritten, as soon as all its threads say so; then `wait` until all blocks have said
  /// it. Between the two a thread may compute, but not touch the words.
  __device__ __forceinline__ void arrive() {
    if constexpr (LogC > 0) {
      announced_ = used_;
      if (!used_) return;
      start();
      __syncthreads();
      if (threadIdx.x < blocks) {
        asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote(free(), threadIdx.x))
                     : "memory");
      }
    }
  }
  __device__ __forceinline__ void wait() {
    if constexpr (LogC == 0) {
      if (used_) __syncthreads();
    } else {
      if (announced_) {
        wait_for(free(), free_phase_);
        free_phase_ ^= 1;
      } else {
        start();  // nobody has used its words yet
      }
      if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full()),
                     "r"(static_cast<std::uint32_t>(Words * sizeof(W)))
                     : "memory");
      }
    }
    used_ = true;
  }

  /// words[index] of that block = value.
  __device__ __forceinline__ void send(unsigned block, unsigned index, W value) const {
    if constexpr (LogC == 0) {
      words_[index] = value;
    } else {
      const std::uint32_t target = remote(barriers_, block);
      const std::uint32_t place = target + barrier_bytes + index * static_cast<std::uint32_t>(sizeof(W));
      if constexpr (sizeof(W) == 4) {
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(place),
                     "r"(std::bit_cast<std::uint32_t>(value)), "r"(target)
                     : "memory");
      } else {
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(place),
                     "l"(std::bit_cast<std::uint64_t>(value)), "r"(target)
                     : "memory");
      }
    }
  }
  /// Vector `index` of that block's words = value: 8 or 16 bytes.
  template <class Bytes>
  __device__ __forceinline__ void send_vector(unsigned block, unsigned index, const Bytes& value) const {
    static_assert(sizeof(Bytes) == 8 || sizeof(Bytes) == 16);
    if constexpr (LogC == 0) {
      reinterpret_cast<Bytes*>(words_)[index] = value;
    } else {
      const std::uint32_t target = remote(barriers_, block);
      const std::uint32_t place = target + barrier_bytes + index * static_cast<std::uint32_t>(sizeof(Bytes));
      if constexpr (sizeof(Bytes) == 16) {
        const uint4 bits = std::bit_cast<uint4>(value);
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(place),
            "r"(bits.x), "r"(bits.y), "r"(bits.z), "r"(bits.w), "r"(target)
            : "memory");
      } else {
        const uint2 bits = std::bit_cast<uint2>(value);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(place),
                     "r"(bits.x), "r"(bits.y), "r"(target)
                     : "memory");
      }
    }
  }
  /// Waits until all of this block's words have come.
  __device__ __forceinline__ void receive() {
    if constexpr (LogC == 0) {
      __syncthreads();
    } else {
      wait_for(full(), full_phase_);
      full_phase_ ^= 1;
    }
  }

 private:
  template <class, unsigned, unsigned>
  friend class ClusterExchange;

  __device__ __forceinline__ std::uint32_t full() const { return barriers_; }
  __device__ __forceinline__ std::uint32_t free() const { return barriers_ + 8; }

  /// All blocks' barriers exist.
  __device__ __forceinline__ void start() {
    if (!started_) asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    started_ = true;
  }
  __device__ __forceinline__ static std::uint32_t remote(std::uint32_t address, unsigned block) {
    std::uint32_t result;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(result) : "r"(address), "r"(block));
    return result;
  }
  __device__ __forceinline__ static void wait_for(std::uint32_t barrier, std::uint32_t phase) {
    std::uint32_t done;
    do {
      asm volatile(
          "{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
          : "=r"(done)
          : "r"(barrier), "r"(phase)
          : "memory");
    } while (done == 0);
  }

  W* words_;
  std::uint32_t barriers_ = 0, full_phase_ = 0, free_phase_ = 0;
  bool used_ = false, started_ = false, announced_ = false;
};

}  // namespace cyclotome::cuda
