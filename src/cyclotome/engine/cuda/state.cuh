// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>

#include "cyclotome/engine/cuda/conversion/garner.cuh"
#include "cyclotome/engine/cuda/memory/device_constants.cuh"
#include "cyclotome/engine/cuda/memory/host_memory.cuh"
#include "cyclotome/engine/cuda/memory/kept_blocks.hpp"
#include "cyclotome/engine/cuda/memory/memory_pool.cuh"
#include "cyclotome/engine/cuda/steps/device_norms.hpp"
#include "cyclotome/engine/cuda/streams/device_scope.cuh"
#include "cyclotome/engine/cuda/streams/lanes.cuh"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::cuda {

class Turn;

/// What an engine has on its device. Made and destroyed in the device's context.
struct DeviceState {
  /// streams: 1 to max_streams. graph_bytes: that graphs may hold together; 0: programs are interpreted.
  DeviceState(int to_device, CUcontext of_device, std::size_t streams, std::size_t graph_bytes);
  ~DeviceState() { free_kept(); }

  const int device;
  const CUcontext context;
  const cudaMemPool_t pool;
  std::size_t block_bytes = 0;  ///< of shared memory that a block may have
  Architecture loaded = 0;      ///< what the kernels that run there were compiled for
  SecretMemory secrets;
  StreamOrder order;
  KeptBlocks kept;
  Lanes lanes;         ///< longer than what is freed on them
  OwnedStream copies;  ///< of constants
  HostMemory host;     ///< for numbers
  Garner garner;
  DeviceConstants constants;
  DeviceNorms norms;

  Lane& copying() {
    const DeviceScope scope = enter();
    return lanes.copying();
  }
  bool has_graphs() const noexcept { return has_graphs_; }
  /// The calling thread works on the device as long as the result lives. Throws EngineError.
  DeviceScope enter() const {
    refuse_if_closed();
    return DeviceScope(context);
  }
  /// Throws EngineError at the end of the process.
  void refuse_if_closed() const {
    if (secrets.closed()) throw EngineError("the process ends, and the GPU's secrets are gone: nothing is computed");
  }
  /// Waits for all work; secrets that were given back are zeroised by then.
  void wait(const char* what);
  /// Memory that was kept, or null.
  void* reuse(std::size_t bytes);
  /// Memory from the pool. engine: for messages. Throws EngineError.
  void* new_memory(std::size_t bytes, const std::string& engine);
  /// Frees memory of the pool after everything that has to do with it: zeroised if it is secret. For memory that cannot
  /// be ordered, since the device takes no work any more, it does nothing.
  void free(void* data, std::size_t bytes, bool secret) noexcept;
  /// Constants of one call, until its turn is over and the device has passed it. Throws EngineError.
  ConstantMemory call_constants(const void* host, std::size_t bytes, const Turn& turn);
  /// Gives up what can be given up, and waits for what is on its way back.
  void make_room() noexcept;
  /// The same as `free` for what any operation may have read.
  void free_constants(void* data) noexcept;

 private:
  void free_kept() noexcept;
  /// Within an operation of the calling thread's own, if that is possible.
  void free_secret(void* data, std::size_t bytes, Lane& lane) noexcept;
  ConstantMemory constant(const void* host, std::size_t bytes);
  const bool has_graphs_;
};

/// An operation's turn on the calling thread's stream, from before anything of it is queued until all of it is: it
/// waits there for those operations of other streams that wrote what it reads, or have to do with what it writes. The
/// calling thread is in the device's context meanwhile. Memory may be allocated and freed within; an operation within
/// an operation must touch nothing. Throws EngineError.
class Turn {
 public:
  using List = std::initializer_list<const void*>;

  Turn(DeviceState& state, Addresses reads, Addresses writes, bool alone = false);
  Turn(DeviceState& state, List reads, List writes)
      : Turn(state, Addresses(reads.begin(), reads.size()), Addresses(writes.begin(), writes.size())) {}
  /// On another stream than the thread's.
  Turn(DeviceState& state, Lane& lane, List reads, List writes);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  Lane& lane() const noexcept { return place_.lane; }
  const Queue& queue() const noexcept { return queue_; }
  cudaStream_t stream() const noexcept { return place_.lane.stream; }

 private:
  /// The lane's turn; what was begun there is queued when it goes.
  struct Place {
    explicit Place(Lane& on) : lane(on), lock(on.turn), within(on.operation != 0) {}
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    Lane& lane;
    const std::lock_guard<std::recursive_mutex> lock;
    const bool within;  ///< an operation
  };

  void begin(DeviceState& state, Addresses reads, Addresses writes, bool alone);

  DeviceScope scope_;
  Place place_;
  Queue queue_;
};

}  // namespace cyclotome::cuda
