// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/device_constants.cuh"
#include "cyclotome/engine/cuda/device_graph.cuh"
#include "cyclotome/engine/cuda/device_scope.cuh"
#include "cyclotome/engine/cuda/garner.cuh"
#include "cyclotome/engine/cuda/operation_graphs.cuh"
#include "cyclotome/engine/cuda/products.cuh"
#include "cyclotome/engine/cuda/secret_memory.cuh"
#include "cyclotome/engine/cuda/secret_transfer.cuh"

namespace cyclotome {

namespace cuda {

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
  EnteredQueue(CUcontext context, cudaStream_t stream, int device, bool one_pass, Recording* recorded)
      : Queue(stream, device, one_pass, recorded), scope_(context) {}

 private:
  DeviceScope scope_;
};

}  // namespace cuda

/// Device, stream, and constants on the device. Made and destroyed in the device's context.
struct CudaEngine::State {
  State(int to_device, CUcontext of_device);

  const int device;
  const CUcontext context;
  cuda::Architecture loaded = 0;  ///< what the kernels that run there were compiled for
  cuda::OwnedStream stream;       ///< longer than what is freed on it
  cudaMemPool_t pool = nullptr;
  cuda::Garner garner;
  cuda::SecretMemory secrets;
  cuda::SecretTransfer transfer;
  cuda::DeviceConstants constants;
  std::unique_ptr<cuda::OperationGraphs> graphs;  ///< null: every operation runs as it is
  std::unique_ptr<cuda::GraphStore> programs;     ///< null: programs are walked by verbs and coarse verbs

  /// The calling thread works on the device as long as the result lives. Throws EngineError.
  cuda::DeviceScope enter() const {
    refuse_if_closed();
    return cuda::DeviceScope(context);
  }
  cuda::EnteredQueue queue() const {
    refuse_if_closed();
    return {context, stream, device, constants.paths.one_pass, recording()};
  }
  /// What the calling thread records of this engine, or null.
  cuda::Recording* recording() const noexcept { return cuda::Recording::of(this); }
  /// Throws NotRecordable while it does.
  void refuse_recording() const { cuda::Recording::refuse(this); }

  /// Waits for all work; secrets that were given back are zeroised by then.
  void wait(const char* what) {
    refuse_recording();
    const cuda::DeviceScope scope = enter();
    secrets.flush();
    cuda::check(cudaStreamSynchronize(stream), what);
  }

  // Constants, kept by what the calling thread records, or by `constants` alone.
  template <class W>
  const cuda::RingTables<W>* ring_tables(const Ring& ring);
  cuda::LimbArithmetics arithmetics(const Ring& ring) const { return constants.arithmetics(ring); }
  template <class W>
  cuda::ColumnConversion<W> conversion(const BaseConversion& conversion);
  template <class W>
  const ShoupFactor<W>* division_factors(const DivideAndRound& step);
  template <class W>
  cuda::DeviceDigits<W> digits(const KeySwitchStep& step);
  /// Where a kernel puts the peaks of items `first` and following, or nowhere if peaks is null.
  cuda::PeakOutput peak_output(std::uint64_t* peaks, std::size_t first);

 private:
  template <class T>
  T kept(cuda::Resident<T> found) const;
  void refuse_if_closed() const {
    if (secrets.closed()) throw EngineError("the process ends, and the GPU's secrets are gone: nothing is computed");
  }
};

}  // namespace cyclotome
