// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

namespace cyclotome::cuda {

/// The places of a grid (y, z), given to clusters along x in the order in which they start. CUDA does not say in which
/// order that is; so where a block waits for another one, which must be running by then, places follow from tickets:
/// who has one waits for lower ones only.
struct TicketedGrid {
  std::uint32_t* next;  ///< 0 between kernels

  struct Place {
    std::uint32_t y, z;
  };

  /// y before z. For all threads of all blocks, at the start; the last ticket leaves 0. The next kernel must not start
  /// before.
  template <unsigned Blocks>
  __device__ __forceinline__ Place take() const {
    __shared__ std::uint32_t mine;
    if (threadIdx.x == 0 && (Blocks == 1 || blockIdx.x == 0)) mine = atomicInc(next, gridDim.y * gridDim.z - 1);
    std::uint32_t ticket;
    if constexpr (Blocks == 1) {
      __syncthreads();
      ticket = mine;
    } else {
      // The first block's, which stays until the others have exchanged words with it.
      asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
      asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
      std::uint32_t address = static_cast<std::uint32_t>(__cvta_generic_to_shared(&mine));
      asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(address), "r"(0));
      asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(ticket) : "r"(address) : "memory");
    }
    return {ticket % gridDim.y, ticket / gridDim.y};
  }
};

}  // namespace cyclotome::cuda
