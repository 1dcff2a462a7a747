// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cyclotome/engine/cuda/device_constants.cuh"
#include "cyclotome/engine/cuda/device_graph.cuh"
#include "cyclotome/engine/cuda/device_scope.cuh"
#include "cyclotome/engine/cuda/garner.cuh"
#include "cyclotome/engine/cuda/secret_memory.cuh"
#include "cyclotome/engine/cuda/secret_transfer.cuh"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::cuda {

/// Memory that frees itself on its stream.
class DeviceMemory {
 public:
  DeviceMemory(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
    check(cudaMallocAsync(&data_, bytes, stream), "allocation");
  }
  ~DeviceMemory() { succeeded(cudaFreeAsync(data_, stream_)); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  void* data() const noexcept { return data_; }

 private:
  void* data_ = nullptr;
  cudaStream_t stream_;
};

/// A stream of the current device's that is destroyed with this object.
class OwnedStream {
 public:
  OwnedStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream creation"); }
  ~OwnedStream() { succeeded(cudaStreamDestroy(stream_)); }
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;
  operator cudaStream_t() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A queue, and the calling thread in the device's context as long as it lives.
class EnteredQueue : public Queue {
 public:
  EnteredQueue(CUcontext context, cudaStream_t stream, int device, const CodePaths& paths)
      : Queue(stream, device, paths), scope_(context) {}

 private:
  DeviceScope scope_;
};

/// Device, stream, and constants on the device. Made and destroyed in the device's context.
struct DeviceState {
  DeviceState(int to_device, CUcontext of_device);

  const int device;
  const CUcontext context;
  std::size_t block_bytes = 0;  ///< of shared memory that a block may have
  Architecture loaded = 0;      ///< what the kernels that run there were compiled for
  OwnedStream stream;           ///< longer than what is freed on it
  cudaMemPool_t pool = nullptr;
  Garner garner;
  SecretMemory secrets;
  SecretTransfer transfer;
  DeviceConstants constants;
  std::unique_ptr<GraphStore> programs;  ///< null: programs are interpreted

  /// The calling thread works on the device as long as the result lives. Throws EngineError.
  DeviceScope enter() const {
    refuse_if_closed();
    return DeviceScope(context);
  }
  EnteredQueue queue() const {
    refuse_if_closed();
    return {context, stream, device, constants.paths};
  }

  /// Waits for all work; secrets that were given back are zeroised by then.
  void wait(const char* what) {
    const DeviceScope scope = enter();
    secrets.flush();
    check(cudaStreamSynchronize(stream), what);
  }

 private:
  void refuse_if_closed() const {
    if (secrets.closed()) throw EngineError("the process ends, and the GPU's secrets are gone: nothing is computed");
  }
};

}  // namespace cyclotome::cuda
