// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "cyclotome/engine/cuda/code_paths.hpp"
#include "cyclotome/engine/cuda/convert.cuh"
#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/device_scope.cuh"
#include "cyclotome/engine/cuda/garner.cuh"
#include "cyclotome/engine/cuda/operation_graphs.cuh"
#include "cyclotome/engine/cuda/products.cuh"
#include "cyclotome/engine/cuda/secret_memory.cuh"
#include "cyclotome/engine/cuda/secret_transfer.cuh"
#include "cyclotome/engine/cuda/tables.cuh"
#include "cyclotome/engine/cuda/transform.cuh"
#include "cyclotome/ring/key_switch_step.hpp"

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

using DeviceMemoryPtr = std::shared_ptr<DeviceMemory>;

/// Constants in device memory, and a structure of pointers to them as bytes (its type depends on the word).
struct Constants {
  std::vector<DeviceMemoryPtr> memory;
  std::vector<unsigned char> structure;
};

template <class W>
struct DeviceDigits {
  const DeviceDigit<W>* data;
  std::uint32_t count;
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

/// Device, stream, and constants on the device: made once from what is known on the host, found again by the ids of
/// rings and conversions. Made and destroyed in the device's context.
struct CudaEngine::State {
  State(int to_device, CUcontext of_device) : device(to_device), context(of_device), secrets(of_device, stream) {}

  const int device;
  const CUcontext context;
  cuda::Architecture loaded = 0;  ///< what the kernels that run there were compiled for
  cuda::CodePaths paths;
  cuda::OwnedStream stream;  ///< longer than what is freed on it
  cudaMemPool_t pool = nullptr;
  cuda::Garner garner;
  cuda::SecretMemory secrets;
  cuda::SecretTransfer transfer;
  std::unique_ptr<cuda::OperationGraphs> graphs;  ///< null: every operation runs as it is

  /// The calling thread works on the device as long as the result lives. Throws EngineError.
  cuda::DeviceScope enter() const {
    refuse_if_closed();
    return cuda::DeviceScope(context);
  }
  cuda::EnteredQueue queue() const {
    refuse_if_closed();
    return {context, stream, device, paths.one_pass, recording()};
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

  template <class W>
  const cuda::RingTables<W>* ring_tables(const Ring& ring);
  cuda::LimbArithmetics arithmetics(const Ring& ring) const;
  template <class W>
  cuda::ColumnConversion<W> conversion(const BaseConversion& conversion);
  /// The factors of a division, one for each limb.
  template <class W>
  const ShoupFactor<W>* division_factors(const DivideAndRound& step);
  template <class W>
  cuda::DeviceDigits<W> digits(const KeySwitchStep& step);
  /// Where a kernel puts the peaks of items `first` and following, or nowhere if peaks is null.
  cuda::PeakOutput peak_output(std::uint64_t* peaks, std::size_t first);

 private:
  /// What was made lately, and before that: entries in use are not dropped under another thread's hands.
  struct Cache {
    std::unordered_map<std::uint64_t, cuda::Constants> recent, older;
  };

  void refuse_if_closed() const {
    if (secrets.closed()) throw EngineError("the process ends, and the GPU's secrets are gone: nothing is computed");
  }
  cuda::DeviceMemoryPtr put(const void* host, std::size_t bytes);
  /// The structure under `id`, made by `make` (with the lock held) unless it is there.
  template <class Structure, class Make>
  Structure find(Cache& cache, std::uint64_t id, const Make& make);
  bool on_doubles(const Ring& ring, std::size_t l) const;
  template <class W>
  cuda::LimbTables<W> limb_tables(const Ring& ring, std::size_t l);
  template <class W>
  cuda::Constants make_conversion(const BaseConversion& conversion);
  template <class W>
  cuda::Constants make_extension(const BaseConversion& extension);

  std::mutex mutex_;
  cuda::DeviceMemoryPtr peak_cells_;
  Cache rings_, conversions_, divisions_, digits_;
  /// Roots by word, degree and modulus, from which the root of unity follows; rings share them.
  std::map<std::tuple<Word, std::size_t, std::uint64_t>, cuda::DeviceMemoryPtr> roots_;
};

}  // namespace cyclotome
