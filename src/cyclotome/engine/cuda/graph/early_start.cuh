// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels that may be launched while the one before them still runs (launch.cuh, Start::early): they set up what rests
// on constants only, and wait before they touch what other kernels write or read. Code for older devices has nothing to
// wait for: the host lets kernels start early only where what was loaded waits (code_paths.hpp).
namespace cyclotome::cuda {

/// The next kernel may be launched as soon as all blocks of this one have said so.
__device__ __forceinline__ void let_next_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Returns when all work before this kernel is done. Some thread of every kernel that starts early comes here, so that
/// the kernel after it need wait for no other than this one.
__device__ __forceinline__ void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace cyclotome::cuda
