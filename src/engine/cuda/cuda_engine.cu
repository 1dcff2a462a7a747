// SPDX-License-Identifier: Apache-2.0
// The engine's device, memory and stream.
#include <algorithm>
#include <utility>

#include "cyclotome/engine/cuda/state.cuh"

namespace cyclotome {

using cuda::check;

namespace {

class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(std::shared_ptr<Engine> engine, int device, cudaStream_t stream, cuda::SecretMemory& secrets, void* data,
             std::size_t bytes, bool secret)
      : Buffer(data, bytes, secret), engine_(std::move(engine)), device_(device), stream_(stream), secrets_(secrets) {}
  ~CudaBuffer() override {
    cudaSetDevice(device_);
    if (secret()) {
      secrets_.take_back(data(), bytes(), stream_);
    } else {
      cudaFreeAsync(data(), stream_);
    }
  }

 private:
  std::shared_ptr<Engine> engine_;  // keeps the stream and the rest alive
  int device_;
  cudaStream_t stream_;
  cuda::SecretMemory& secrets_;
};

}  // namespace

int CudaEngine::device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

std::shared_ptr<CudaEngine> CudaEngine::create(int device) {
  return std::shared_ptr<CudaEngine>(new CudaEngine(device));
}

CudaEngine::CudaEngine(int device, bool fused) {
  const int count = device_count();
  if (device < 0 || device >= count) {
    throw EngineError(message("GPU cuda:", device, " was asked for, but ", count,
                              " are usable; CUDA 13 needs a driver of at least version 580 and a GPU it can see"));
  }
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "device query");
  if (properties.major < 8) {
    throw EngineError(message("GPU cuda:", device, " (", properties.name, ") has compute capability ", properties.major,
                              ".", properties.minor, "; at least 8.0 is needed"));
  }
  auto state = std::make_unique<State>();
  state->device = device;
  state->one_pass = fused && properties.major >= 9;
  int single_to_double = 0;
  check(cudaDeviceGetAttribute(&single_to_double, cudaDevAttrSingleToDoublePrecisionPerfRatio, device), "device query");
  state->doubles = state->one_pass && single_to_double <= 2;  // elsewhere integers are faster
  // Engines that transform in ways of their own launch past the recording.
  if (fused) state->graphs = std::make_unique<cuda::OperationGraphs>(state.get(), properties.totalGlobalMem);
  state->activate();
  check(cudaStreamCreateWithFlags(&state->stream, cudaStreamNonBlocking), "stream creation");
  check(cudaDeviceGetDefaultMemPool(&state->pool, device), "memory pool query");
  // So much freed memory stays with this process for its next arrays; the rest goes back to the device with a wait.
  std::uint64_t keep = properties.totalGlobalMem / 4;
  check(cudaMemPoolSetAttribute(state->pool, cudaMemPoolAttrReleaseThreshold, &keep), "memory pool setting");
  state_ = std::move(state);
}

int CudaEngine::device() const noexcept { return state_->device; }
void* CudaEngine::stream() const noexcept { return state_->stream; }

CudaEngine::~CudaEngine() {
  cudaSetDevice(state_->device);
  const cudaStream_t stream = state_->stream;
  state_->secrets.flush(stream);
  cudaStreamSynchronize(stream);
  state_.reset();  // tables are freed on the stream
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

std::string CudaEngine::name() const { return message("cuda:", state_->device); }

std::unique_ptr<Buffer> CudaEngine::allocate(std::size_t bytes, bool secret) {
  state_->activate();
  if (const cuda::Recording* const recording = state_->recording()) {
    return cuda::make_buffer(shared_from_this(), recording->arena(), bytes, secret);
  }
  void* data = nullptr;
  if (cudaMallocAsync(&data, bytes, state_->stream) != cudaSuccess) {
    cudaGetLastError();
    if (state_->graphs != nullptr) state_->graphs->drop();
    state_->secrets.flush(state_->stream);
    cudaStreamSynchronize(state_->stream);  // pending frees may make room
    cudaMemPoolTrimTo(state_->pool, 0);
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    if (cudaMallocAsync(&data, bytes, state_->stream) != cudaSuccess) {
      cudaGetLastError();
      throw EngineError(message("GPU ", name(), " has no room for ", bytes, " bytes (", free, " of ", total,
                                " free); work on smaller batches, or free arrays"));
    }
  }
  return std::make_unique<CudaBuffer>(shared_from_this(), state_->device, state_->stream, state_->secrets, data, bytes,
                                      secret);
}

void CudaEngine::upload(void* destination, const void* host, std::size_t bytes) {
  state_->refuse_recording();
  state_->activate();
  check(cudaMemcpyAsync(destination, host, bytes, cudaMemcpyHostToDevice, state_->stream), "copy to the device");
  check(cudaStreamSynchronize(state_->stream), "copy to the device");
}

void CudaEngine::download(void* host, const void* source, std::size_t bytes) {
  state_->refuse_recording();
  state_->activate();
  check(cudaMemcpyAsync(host, source, bytes, cudaMemcpyDeviceToHost, state_->stream), "copy from the device");
  state_->wait("copy from the device");
}

void CudaEngine::download_runs(void* host, const void* source, std::size_t bytes, std::size_t stride,
                               std::size_t count) {
  state_->refuse_recording();
  state_->activate();
  check(cudaMemcpy2DAsync(host, bytes, source, std::max(stride, bytes), bytes, count, cudaMemcpyDeviceToHost,
                          state_->stream),
        "copy from the device");
  state_->wait("copy from the device");
}

void CudaEngine::do_run(const CompositeOperation& operation, const std::function<void()>& work) {
  state_->activate();
  if (state_->graphs == nullptr || !state_->graphs->run(operation, work, state_->stream)) work();
}

void CudaEngine::synchronize() { state_->wait("waiting"); }

std::size_t CudaEngine::batch_tile(std::size_t batch, std::size_t bytes_per_item) const {
  constexpr std::size_t scratch = std::size_t{2} << 30;
  constexpr std::size_t grid_limit = 4096;  // items times parts stay below the grid's 65535
  return std::clamp<std::size_t>(scratch / std::max<std::size_t>(bytes_per_item, 1), 1,
                                 std::min(std::max<std::size_t>(batch, 1), grid_limit));
}

}  // namespace cyclotome
