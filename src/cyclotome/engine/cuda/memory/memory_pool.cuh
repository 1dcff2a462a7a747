// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cuda_runtime.h>

namespace cyclotome::cuda {

/// The pool from which all engines of this process take memory on a device: the library's own, so that other libraries
/// keep the settings of the device's default pool. What is freed stays in it for the next arrays, up to an eighth of
/// the device's memory; what is more goes back to the device as soon as somebody waits for it. A stream that finds no
/// free memory that it can have at once gets new memory rather than wait for another stream. It lives as long as the
/// process. The calling thread is in the device's context. Throws EngineError.
cudaMemPool_t memory_pool(int device);

/// Bytes of that pool that engines keep aside for their next small arrays (kept_blocks.hpp): nobody holds them.
std::atomic<std::size_t>& kept_bytes(int device);

/// From that pool, in a stream's order; throws EngineError, naming `what`. Freed by cudaFreeAsync.
void* allocate(cudaMemPool_t pool, std::size_t bytes, cudaStream_t stream, const char* what);

}  // namespace cyclotome::cuda
