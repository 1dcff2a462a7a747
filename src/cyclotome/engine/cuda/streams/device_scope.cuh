// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <new>

namespace cyclotome::cuda {

/// The context in which the CUDA runtime works on a device, shared by everybody in this process who works there. It
/// stays as long as the process. Throws EngineError.
CUcontext primary_context(int device);

/// Lets the calling thread work in a context for as long as this object lives, and leaves it as it was found: its
/// device, its current context, or that it had none. Other libraries and the host application choose for themselves,
/// and cudaSetDevice would leave more behind: it opens the device that the thread goes back to.
class DeviceScope {
 public:
  /// Throws EngineError.
  explicit DeviceScope(CUcontext context);
  /// For destructors: where the context is gone, calls fail one by one.
  DeviceScope(CUcontext context, std::nothrow_t) noexcept;
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  bool pushed_ = false;
};

}  // namespace cyclotome::cuda
