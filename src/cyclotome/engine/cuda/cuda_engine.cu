// SPDX-License-Identifier: Apache-2.0
// The engine's device, memory and stream.
#include <algorithm>
#include <utility>

#include "cyclotome/engine/cuda/architecture.cuh"
#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/prime_factor.cuh"
#include "cyclotome/engine/cuda/state.cuh"

namespace cyclotome {

using cuda::check;
using cuda::DeviceScope;
using cuda::succeeded;

namespace {

class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(std::shared_ptr<Engine> engine, CUcontext context, cudaStream_t stream, cuda::SecretMemory& secrets,
             void* data, std::size_t bytes, bool secret)
      : Buffer(data, bytes, secret),
        engine_(std::move(engine)),
        context_(context),
        stream_(stream),
        secrets_(secrets) {}
  ~CudaBuffer() override {
    const cuda::DeviceScope scope(context_, std::nothrow);
    if (secret()) {
      secrets_.take_back(data(), bytes());
    } else {
      succeeded(cudaFreeAsync(data(), stream_));
    }
  }

 private:
  std::shared_ptr<Engine> engine_;  // keeps the stream and the rest alive
  CUcontext context_;
  cudaStream_t stream_;
  cuda::SecretMemory& secrets_;
};

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
  auto state = std::make_unique<cuda::DeviceState>(device, context);
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
  // Engines that transform in ways of their own launch past graphs.
  if (fused) state->programs = std::make_unique<cuda::GraphStore>(context, properties.totalGlobalMem);
  check(cudaDeviceGetDefaultMemPool(&state->pool, device), "memory pool query");
  // So much freed memory stays with this process for its next arrays; the rest goes back to the device with a wait.
  std::uint64_t keep = properties.totalGlobalMem / 4;
  check(cudaMemPoolSetAttribute(state->pool, cudaMemPoolAttrReleaseThreshold, &keep), "memory pool setting");
  state_ = std::move(state);
}

int CudaEngine::device() const noexcept { return state_->device; }
void* CudaEngine::context() const noexcept { return state_->context; }
void* CudaEngine::stream() const noexcept { return static_cast<cudaStream_t>(state_->stream); }
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
  state_->secrets.flush();
  succeeded(cudaStreamSynchronize(state_->stream));  // no secret is left when this returns
  state_.reset();                                    // tables are freed on the stream, which goes when it is done
}

std::string CudaEngine::name() const { return message("cuda:", state_->device); }

std::unique_ptr<Buffer> CudaEngine::allocate(std::size_t bytes, bool secret) {
  const DeviceScope scope = state_->enter();
  cuda::DeviceState& state = *state_;
  void* data = nullptr;
  cudaError_t status = cudaMallocAsync(&data, bytes, state.stream);
  if (!succeeded(status) && status == cudaErrorMemoryAllocation) {
    if (state.programs != nullptr) state.programs->drop_all();
    state.secrets.flush();
    succeeded(cudaStreamSynchronize(state.stream));  // pending frees may make room
    succeeded(cudaMemPoolTrimTo(state.pool, 0));
    status = cudaMallocAsync(&data, bytes, state.stream);
    if (!succeeded(status) && status == cudaErrorMemoryAllocation) {
      std::size_t free = 0, total = 0;
      succeeded(cudaMemGetInfo(&free, &total));
      throw EngineError(message("GPU ", name(), " has no room for ", bytes, " bytes (", free, " of ", total,
                                " free); work on smaller batches, or free arrays"));
    }
  }
  check(status, "allocation");
  try {
    auto buffer = std::make_unique<CudaBuffer>(shared_from_this(), state.context, state.stream, state.secrets, data,
                                               bytes, secret);
    data = nullptr;
    if (secret) state.secrets.hold(buffer->data(), bytes);
    return buffer;
  } catch (...) {
    if (data != nullptr) succeeded(cudaFreeAsync(data, state.stream));
    throw;
  }
}

void CudaEngine::upload(void* destination, const void* host, std::size_t bytes) {
  const DeviceScope scope = state_->enter();
  if (state_->secrets.holds(destination)) return state_->transfer.upload(destination, host, bytes, state_->stream);
  check(cudaMemcpyAsync(destination, host, bytes, cudaMemcpyHostToDevice, state_->stream), "copy to the device");
  check(cudaStreamSynchronize(state_->stream), "copy to the device");
}

void CudaEngine::download(void* host, const void* source, std::size_t bytes) {
  const DeviceScope scope = state_->enter();
  if (state_->secrets.holds(source)) return state_->transfer.download(host, source, bytes, state_->stream);
  check(cudaMemcpyAsync(host, source, bytes, cudaMemcpyDeviceToHost, state_->stream), "copy from the device");
  state_->wait("copy from the device");
}

void CudaEngine::download_runs(void* host, const void* source, std::size_t bytes, std::size_t stride,
                               std::size_t count) {
  const DeviceScope scope = state_->enter();
  if (state_->secrets.holds(source)) {
    return state_->transfer.download_runs(host, source, bytes, stride, count, state_->stream);
  }
  check(cudaMemcpy2DAsync(host, bytes, source, std::max(stride, bytes), bytes, count, cudaMemcpyDeviceToHost,
                          state_->stream),
        "copy from the device");
  state_->wait("copy from the device");
}

void CudaEngine::synchronize() { state_->wait("waiting"); }

}  // namespace cyclotome
