// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>

#include "cyclotome/engine/cuda/memory/device_view.cuh"
#include "cyclotome/engine/cuda/memory/memory_pool.cuh"

namespace cyclotome::cuda {

namespace {

cudaMemPool_t make_pool(int device) {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "memory query");
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  check(cudaMemPoolCreate(&pool, &properties), "making a memory pool");
  std::uint64_t keep = total / 8;
  int wait_for_others = 0;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "memory pool setting");
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &wait_for_others),
        "memory pool setting");
  return pool;
}

}  // namespace

cudaMemPool_t memory_pool(int device) {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  const std::lock_guard lock(mutex);
  cudaMemPool_t& pool = pools[device];
  if (pool == nullptr) pool = make_pool(device);
  return pool;
}

std::atomic<std::size_t>& kept_bytes(int device) {
  static std::mutex mutex;
  static std::map<int, std::atomic<std::size_t>> all;
  const std::lock_guard lock(mutex);
  return all[device];
}

void* allocate(cudaMemPool_t pool, std::size_t bytes, cudaStream_t stream, const char* what) {
  void* data = nullptr;
  check(cudaMallocFromPoolAsync(&data, bytes, pool, stream), what);
  return data;
}

}  // namespace cyclotome::cuda
