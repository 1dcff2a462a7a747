// SPDX-License-Identifier: Apache-2.0
// The engine's device, memory and stream.
#include <algorithm>
#include <utility>

#include "cyclotome/engine/cuda/architecture.cuh"
#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/memory/host_numbers.cuh"
#include "cyclotome/engine/cuda/phi_m/prime_factor.cuh"
#include "cyclotome/engine/cuda/state.cuh"

namespace cyclotome {

using cuda::check;
using cuda::DeviceScope;
using cuda::succeeded;

namespace {

class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(std::shared_ptr<Engine> engine, cuda::DeviceState& state, void* data, std::size_t bytes, bool secret)
      : Buffer(data, bytes, secret), engine_(std::move(engine)), state_(state) {}
  ~CudaBuffer() override { state_.free(data(), bytes(), secret()); }

 private:
  std::shared_ptr<Engine> engine_;  // keeps the streams and the rest alive
  cuda::DeviceState& state_;
};

/// What takes the way by pinned memory, on which nobody waits for the driver's own.
constexpr std::size_t small_bytes = std::size_t{64} << 10;

}  // namespace

int CudaEngine::device_count() noexcept {
  int count = 0;
  return succeeded(cudaGetDeviceCount(&count)) ? count : 0;
}

std::shared_ptr<CudaEngine> CudaEngine::create(int device) {
  std::shared_ptr<CudaEngine> engine(new CudaEngine(device));
  engine->test_itself();
  return engine;
}

CudaEngine::CudaEngine(int device, bool fused) {
  const int count = device_count();
  if (device < 0 || device >= count) {
    throw EngineError(message("GPU cuda:", device, " was asked for, but ", count,
                              " are usable; CUDA 13 needs a driver of at least version 580 and a GPU it can see"));
  }
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "device query");
  const cuda::Architecture architecture = 100 * properties.major + 10 * properties.minor;
  const std::string named = message("GPU cuda:", device, " (", properties.name, "): ");
  if (const std::string problem = cuda::age_problem(architecture); !problem.empty()) throw EngineError(named + problem);
  const CUcontext context = cuda::primary_context(device);
  const DeviceScope scope(context);
  // Engines that transform in ways of their own launch past graphs, and know one stream.
  const std::size_t graph_bytes = fused ? std::max(properties.totalGlobalMem / 32, cuda::DeviceGraph::max_bytes) : 0;
  auto state = std::make_unique<cuda::DeviceState>(device, context, fused ? cuda::max_streams : 1, graph_bytes);
  try {
    state->loaded = cuda::loaded_architecture(architecture);
  } catch (const EngineError& error) {
    throw EngineError(named + error.what());
  }
  int single_to_double = 0;
  check(cudaDeviceGetAttribute(&single_to_double, cudaDevAttrSingleToDoublePrecisionPerfRatio, device), "device query");
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "device query");
  state->constants.paths =
      cuda::code_paths(architecture, state->loaded, fused, single_to_double, static_cast<unsigned>(multiprocessors));
  state->block_bytes = properties.sharedMemPerBlockOptin;
  state_ = std::move(state);
}

int CudaEngine::device() const noexcept { return state_->device; }
void* CudaEngine::context() const noexcept { return state_->context; }
void* CudaEngine::stream() const {
  const DeviceScope scope(state_->context);
  return static_cast<cudaStream_t>(state_->lanes.mine().stream);
}

CudaEngine::Aside::Aside(CudaEngine& engine)
    : turn_(std::make_unique<cuda::Turn>(*engine.state_, cuda::Addresses(), cuda::Addresses(), true)) {}
CudaEngine::Aside::~Aside() = default;
void* CudaEngine::Aside::stream() const noexcept { return turn_->stream(); }

bool CudaEngine::holds_whole_limbs() const noexcept { return state_->constants.paths.one_pass; }

bool CudaEngine::computes_in(const Ring& ring) const noexcept {
  if (ring.limb_words() != ring.degree()) return false;
  // Along x^n + 1 there is nothing to ask for: its transforms go stage by stage if they must.
  if (ring.kind() == RingKind::negacyclic) return true;
  if (cuda::error_bytes(ring.index()) > state_->block_bytes) return false;
  for (const GaloisGroup::Generator& generator : ring.galois().generators()) {
    if (cuda::line_bytes(generator.order, ring.word()) > state_->block_bytes) return false;
  }
  return true;
}

CudaEngine::~CudaEngine() {
  const DeviceScope scope(state_->context, std::nothrow);
  try {
    state_->lanes.for_each([](cuda::Lane& lane) { lane.finish("the end"); });  // no secret is left when this returns
  } catch (const EngineError&) {                                               // then nothing runs there any more
  }
  state_.reset();  // tables are freed on streams, which go when they are done
}

std::string CudaEngine::name() const { return message("cuda:", state_->device); }

std::unique_ptr<Buffer> CudaEngine::allocate(std::size_t bytes, bool secret) {
  cuda::DeviceState& state = *state_;
  state.refuse_if_closed();
  void* data = state.reuse(bytes);
  if (data == nullptr) data = state.new_memory(bytes, name());
  try {
    if (secret) state.secrets.hold(data, bytes);
    return std::make_unique<CudaBuffer>(shared_from_this(), state, data, bytes, secret);
  } catch (...) {
    state.free(data, bytes, secret);
    throw;
  }
}

std::unique_ptr<ProgramNumbers> CudaEngine::make_numbers(std::size_t count) {
  if (count > cuda::HostMemory::words) return Engine::make_numbers(count);
  return std::make_unique<cuda::HostNumbers>(shared_from_this(), *state_, count);
}

void CudaEngine::upload(void* destination, const void* host, std::size_t bytes) {
  const cuda::Turn turn(*state_, {}, {destination});
  if (state_->secrets.holds(destination)) {
    return turn.lane().transfer.upload(destination, host, bytes, turn.stream());
  }
  check(cudaMemcpyAsync(destination, host, bytes, cudaMemcpyHostToDevice, turn.stream()), "copy to the device");
  check(cudaStreamSynchronize(turn.stream()), "copy to the device");
}

void CudaEngine::download(void* host, const void* source, std::size_t bytes) {
  download_runs(host, source, bytes, bytes, 1);
}

void CudaEngine::download_runs(void* host, const void* source, std::size_t bytes, std::size_t stride,
                               std::size_t count) {
  if (bytes == 0 || count == 0) return;
  cuda::Lane* lane = nullptr;
  {
    const cuda::Turn turn(*state_, {source}, {});
    lane = &turn.lane();
    if (bytes * count <= small_bytes || state_->secrets.holds(source)) {
      return lane->transfer.download_runs(host, source, bytes, stride, count, lane->stream);
    }
    check(cudaMemcpy2DAsync(host, bytes, source, std::max(stride, bytes), bytes, count, cudaMemcpyDeviceToHost,
                            lane->stream),
          "copy from the device");
  }
  const DeviceScope scope(state_->context);
  lane->finish("copy from the device");
}

void CudaEngine::synchronize() { state_->wait("waiting"); }

}  // namespace cyclotome
