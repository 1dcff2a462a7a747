// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/architecture.cuh"
#include "cyclotome/engine/cuda/cuda_device.hpp"
#include "cyclotome/engine/cuda/memory/memory_pool.cuh"
#include "cyclotome/engine/cuda/streams/device_scope.cuh"

namespace cyclotome {

using cuda::check;
using cuda::DeviceScope;
using cuda::primary_context;
using cuda::succeeded;

namespace {

std::string version_text(int version) { return message(version / 1000, ".", version % 1000 / 10); }

/// Why there are no devices, from the error of asking for their number.
std::string absence(cudaError_t status, const CudaSystem& system) {
  if (status == cudaErrorInsufficientDriver && system.driver == 0) {
    return "no NVIDIA driver is loaded on this machine; install one of at least version 580";
  }
  if (status == cudaErrorInsufficientDriver) {
    return message("the NVIDIA driver knows CUDA ", version_text(system.driver), ", and this build needs ",
                   version_text(system.runtime), "; update the driver to version 580 or later");
  }
  if (status == cudaErrorNoDevice || status == cudaSuccess) {
    return "the NVIDIA driver shows no GPU to this process; look at nvidia-smi, and at CUDA_VISIBLE_DEVICES";
  }
  return message("CUDA does not start: ", cudaGetErrorString(status), "; look at nvidia-smi");
}

CudaDevice describe(int index) {
  CudaDevice device;
  device.index = index;
  cudaDeviceProp properties{};
  if (const cudaError_t status = cudaGetDeviceProperties(&properties, index); !succeeded(status)) {
    device.problem = message("it cannot be asked for its properties: ", cudaGetErrorString(status));
    return device;
  }
  device.name = properties.name;
  device.major = properties.major;
  device.minor = properties.minor;
  device.multiprocessors = properties.multiProcessorCount;
  device.memory = properties.totalGlobalMem;
  const cuda::Architecture architecture = 100 * device.major + 10 * device.minor;
  device.problem = cuda::age_problem(architecture);
  if (!device.problem.empty()) return device;
  try {
    const DeviceScope scope(primary_context(index));
    std::size_t total = 0;
    check(cudaMemGetInfo(&device.memory_free, &total), "memory query");
    const cuda::Architecture loaded = cuda::loaded_architecture(architecture);
    device.code = cuda::text_of(loaded);
  } catch (const EngineError& error) {
    device.problem = message("it cannot be used: ", error.what());
  }
  return device;
}

constexpr unsigned rate_threads = 256, rate_blocks_per_multiprocessor = 16, rate_rounds = 2048, rate_chains = 8;

/// Eight independent chains of products in every thread; the sum keeps the compiler from leaving them out.
template <class W>
__global__ void multiply_in_registers(W* out, ShoupFactor<W> factor, W q) {
  W x[rate_chains];
  for (unsigned i = 0; i < rate_chains; ++i) x[i] = static_cast<W>(threadIdx.x + i + 1);
  for (unsigned round = 0; round < rate_rounds; ++round) {
    for (unsigned i = 0; i < rate_chains; ++i) x[i] = factor.multiply(x[i], q);
  }
  W sum = 0;
  for (unsigned i = 0; i < rate_chains; ++i) sum += x[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Device memory, a stream and two events for one measurement.
class Bench {
 public:
  Bench(int device, std::size_t bytes) : scope_(primary_context(device)) {
    check(cudaMalloc(&data_, bytes), "allocation for a measurement");
    check(cudaEventCreate(&start_), "event creation");
    check(cudaEventCreate(&stop_), "event creation");
  }
  ~Bench() {
    succeeded(cudaFree(data_));
    if (start_ != nullptr) succeeded(cudaEventDestroy(start_));
    if (stop_ != nullptr) succeeded(cudaEventDestroy(stop_));
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  unsigned char* data() const noexcept { return static_cast<unsigned char*>(data_); }

  /// Seconds of the fastest of several runs, after one that warms up.
  template <class Work>
  double seconds(const Work& work) {
    float best = 0;
    for (int run = 0; run < 6; ++run) {
      check(cudaEventRecord(start_), "timing");
      work();
      check(cudaEventRecord(stop_), "timing");
      check(cudaEventSynchronize(stop_), "timing");
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, start_, stop_), "timing");
      if (run == 1 || (run > 1 && milliseconds < best)) best = milliseconds;
    }
    return best / 1000.0;
  }

 private:
  DeviceScope scope_;
  void* data_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

template <class W>
double products_per_second(Bench& bench, int multiprocessors, W q) {
  const unsigned blocks = static_cast<unsigned>(multiprocessors) * rate_blocks_per_multiprocessor;
  const ShoupFactor<W> factor(q - 2, q);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(rate_threads);
  const double seconds = bench.seconds([&] {
    check(cudaLaunchKernelEx(&config, multiply_in_registers<W>, reinterpret_cast<W*>(bench.data()), factor, q),
          "launch of a measurement");
  });
  return static_cast<double>(blocks) * rate_threads * rate_chains * rate_rounds / seconds;
}

}  // namespace

CudaSystem cuda_system() {
  CudaSystem system;
  succeeded(cudaRuntimeGetVersion(&system.runtime));
  succeeded(cudaDriverGetVersion(&system.driver));
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (!succeeded(status) || count == 0) {
    system.problem = absence(status, system);
    return system;
  }
  bool usable = false;
  for (int index = 0; index < count; ++index) {
    system.devices.push_back(describe(index));
    usable |= system.devices.back().problem.empty();
  }
  if (!usable) {
    const CudaDevice& first = system.devices.front();
    system.problem =
        message("no GPU of this machine can be used; cuda:", first.index, " (", first.name, "): ", first.problem);
  }
  return system;
}

std::pair<std::size_t, std::size_t> cuda_memory(int device) {
  const DeviceScope scope(primary_context(device));
  const cudaMemPool_t pool = cuda::memory_pool(device);
  std::uint64_t used = 0, most = 0;
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "memory pool query");
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most), "memory pool query");
  used -= std::min<std::uint64_t>(used, cuda::kept_bytes(device));
  return {used, most};
}

void reset_cuda_memory_peak(int device) {
  const DeviceScope scope(primary_context(device));
  std::uint64_t zero = 0;
  check(cudaMemPoolSetAttribute(cuda::memory_pool(device), cudaMemPoolAttrUsedMemHigh, &zero), "memory pool setting");
}

CudaCeilings cuda_ceilings(int device) {
  constexpr std::size_t half = std::size_t{256} << 20;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "device query");
  Bench bench(device, 2 * half);
  CudaCeilings ceilings;
  const double copy = bench.seconds(
      [&] { check(cudaMemcpyAsync(bench.data() + half, bench.data(), half, cudaMemcpyDeviceToDevice), "copying"); });
  ceilings.copy_bytes_per_second = 2.0 * static_cast<double>(half) / copy;
  ceilings.products_per_second_32 =
      products_per_second<std::uint32_t>(bench, properties.multiProcessorCount, (1U << 30) - 35);
  ceilings.products_per_second_64 =
      products_per_second<std::uint64_t>(bench, properties.multiProcessorCount, (std::uint64_t{1} << 60) - 93);
  return ceilings;
}

}  // namespace cyclotome
