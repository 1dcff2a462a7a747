// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/architecture.cuh"

namespace cyclotome::cuda {

namespace {

constexpr Architecture compiled[] = {__CUDA_ARCH_LIST__};

/// Asked about in the name of all kernels, which are compiled alike.
__global__ void report(Architecture* out) {
#ifdef __CUDA_ARCH__
  *out = __CUDA_ARCH__;
#endif
}

}  // namespace

std::span<const Architecture> compiled_architectures() { return compiled; }

Architecture loaded_architecture(Architecture device) {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, report);
  if (succeeded(status)) return 10 * attributes.ptxVersion;
  switch (status) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      throw EngineError(missing_code(device, compiled));
    case cudaErrorInvalidKernelImage:
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
      throw EngineError(message(missing_code(device, compiled), " (", cudaGetErrorString(status), ")"));
    default:
      check(status, "loading of kernels");
  }
  return 0;
}

void report_architecture(const Queue& queue, Architecture* out) {
  launch<report>(queue, dim3(1), 1, 0, 1, "self-test", out);
}

}  // namespace cyclotome::cuda
