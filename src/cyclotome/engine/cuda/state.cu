// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/state.cuh"

namespace cyclotome::cuda {

DeviceState::DeviceState(int to_device, CUcontext of_device, std::size_t streams, std::size_t graph_bytes)
    : device(to_device),
      context(of_device),
      pool(memory_pool(to_device)),
      secrets(of_device),
      kept(kept_bytes(to_device)),
      lanes(streams, secrets, kept, graph_bytes),
      constants([this](const void* host, std::size_t bytes) { return constant(host, bytes); }),
      norms([this](const void* host, std::size_t bytes) { return constant(host, bytes); }),
      has_graphs_(graph_bytes != 0) {}

ConstantMemory DeviceState::constant(const void* host, std::size_t bytes) {
  constexpr auto what = "copy of constants";
  // Whichever thread is the last to hold it.
  const ConstantMemory memory(allocate(pool, std::max<std::size_t>(bytes, 1), copies, what),
                              [this](const void* data) { free_constants(const_cast<void*>(data)); });
  check(cudaMemcpyAsync(const_cast<void*>(memory.get()), host, bytes, cudaMemcpyHostToDevice, copies), what);
  check(cudaStreamSynchronize(copies), what);  // the host copy goes away
  return memory;
}

ConstantMemory DeviceState::call_constants(const void* host, std::size_t bytes, const Turn& turn) {
  constexpr auto what = "copy of constants";
  cudaStream_t const stream = turn.stream();
  const ConstantMemory memory(allocate(pool, bytes, stream, what), [stream](const void* data) {
    succeeded(cudaFreeAsync(const_cast<void*>(data), stream));
  });
  // From pageable memory, which has been read when the call returns.
  check(cudaMemcpyAsync(const_cast<void*>(memory.get()), host, bytes, cudaMemcpyHostToDevice, stream), what);
  return memory;
}

void DeviceState::wait(const char* what) {
  const DeviceScope scope = enter();
  lanes.for_each([&](Lane& lane) { lane.finish(what); });
}

void* DeviceState::reuse(std::size_t bytes) {
  Lane* const lane = lanes.within();
  if (lane == nullptr) {
    const auto block = kept.take(bytes, [](const StreamNumbers&) { return true; });
    if (!block) return nullptr;
    order.add(block->data, bytes, block->touched);  // the operation that has it first waits
    return block->data;
  }
  // An operation under way waits at once, and for nothing that may wait for it.
  const auto block = kept.take(bytes, [&](StreamNumbers touched) {
    touched[lane->index] = 0;
    return lanes.are_queued(touched);
  });
  if (!block) return nullptr;
  const DeviceScope scope = enter();
  lanes.wait_for(*lane, block->touched);
  order.add(block->data, bytes, lane->index, lane->operation);
  return block->data;
}

void* DeviceState::new_memory(std::size_t bytes, const std::string& engine) {
  const Turn turn(*this, {}, {});
  const std::size_t size = KeptBlocks::rounded(bytes);
  void* data = nullptr;
  cudaError_t status = cudaMallocFromPoolAsync(&data, size, pool, turn.stream());
  if (!succeeded(status) && status == cudaErrorMemoryAllocation) {
    make_room();
    status = cudaMallocFromPoolAsync(&data, size, pool, turn.stream());
    if (!succeeded(status) && status == cudaErrorMemoryAllocation) {
      std::size_t free = 0, total = 0;
      succeeded(cudaMemGetInfo(&free, &total));
      throw EngineError(message("GPU ", engine, " has no room for ", bytes, " bytes (", free, " of ", total,
                                " free); work on smaller batches, or free arrays"));
    }
  }
  check(status, "allocation");
  try {
    order.add(data, bytes, turn.lane().index, turn.lane().operation);
  } catch (...) {
    succeeded(cudaFreeAsync(data, turn.stream()));
    throw;
  }
  return data;
}

void DeviceState::free_kept() noexcept {
  try {
    // What is not queued yet may wait for an operation that this thread is within.
    for (const KeptBlock& block : kept.take_all([this](const StreamNumbers& n) { return lanes.are_queued(n); })) {
      Lane& lane = lanes.after(block.touched);
      succeeded(cudaFreeAsync(block.data, lane.stream));
      lane.note_work();
    }
  } catch (const std::exception&) {  // without memory, or a device that takes work
  }
}

void DeviceState::make_room() noexcept {
  free_kept();
  lanes.for_each([](Lane& lane) {
    if (lane.programs != nullptr) lane.programs->drop_all();
    lane.secrets.flush();
    succeeded(cudaStreamSynchronize(lane.stream));  // pending frees may make room
  });
  succeeded(cudaMemPoolTrimTo(pool, 0));
}

void DeviceState::free(void* data, std::size_t bytes, bool secret) noexcept {
  if (secret) secrets.let_go(data);
  StreamNumbers touched = order.remove(data);
  const StreamNumbers alone = order.alone();
  lanes.for_each([&](const Lane& lane) {  // what is not queued yet is another thread's, on memory of its own
    touched[lane.index] = std::max(touched[lane.index], std::min(alone[lane.index], lane.queued()));
  });
  if (!secret && kept.put({data, touched}, bytes)) return;
  const DeviceScope scope(context, std::nothrow);
  try {
    Lane& lane = lanes.after(touched);
    if (secret) {
      free_secret(data, KeptBlocks::rounded(bytes), lane);
    } else {
      succeeded(cudaFreeAsync(data, lane.stream));
    }
    lane.note_work();
  } catch (const EngineError&) {
  }
}

void DeviceState::free_secret(void* data, std::size_t bytes, Lane& lane) noexcept {
  constexpr std::size_t small = std::size_t{1} << 20;  // large ones go back to the pool, for others too
  if (bytes <= small && lanes.is_mine(lane)) {
    std::optional<Turn> turn;
    try {
      turn.emplace(*this, lane, Turn::List{}, Turn::List{});
    } catch (const EngineError&) {  // there are no operations any more
    }
    // Whoever has it next waits for the zeros by the operation's number.
    if (turn) return lane.secrets.take_back(data, bytes, lane.operation);
  }
  lane.secrets.take_back(data, bytes);
}

void DeviceState::free_constants(void* data) noexcept {
  const DeviceScope scope(context, std::nothrow);
  try {
    Lane& lane = lanes.after_everything();
    succeeded(cudaFreeAsync(data, lane.stream));
    lane.note_work();
  } catch (const EngineError&) {
  }
}

Turn::Turn(DeviceState& state, Addresses reads, Addresses writes, bool alone)
    : scope_(state.enter()),
      place_(state.lanes.mine()),
      queue_(place_.lane.stream, state.device, state.constants.paths) {
  begin(state, reads, writes, alone);
}

Turn::Turn(DeviceState& state, Lane& lane, List reads, List writes)
    : scope_(state.enter()), place_(lane), queue_(lane.stream, state.device, state.constants.paths) {
  begin(state, Addresses(reads.begin(), reads.size()), Addresses(writes.begin(), writes.size()), false);
}

void Turn::begin(DeviceState& state, Addresses reads, Addresses writes, bool alone) {
  Lane& lane = place_.lane;
  if (place_.within) {
    if (alone || !reads.empty() || !writes.empty()) throw EngineError("CUDA: an operation within an operation");
    return;
  }
  const StreamOrder::Begun begun = state.order.begin(lane.index, reads, writes, alone);
  lane.operation = begun.number;
  state.lanes.wait_for(lane, begun.after);
}

Turn::Place::~Place() {
  if (within || lane.operation == 0) return;
  lane.is_queued(std::exchange(lane.operation, 0));
}

}  // namespace cyclotome::cuda
