// SPDX-License-Identifier: Apache-2.0
#pragma once

// The driver's view of the calling thread, for programs that need a GPU.

#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdexcept>

namespace cyclotome::check {

template <class Function>
Function driver_function(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(name);
  return reinterpret_cast<Function>(found);
}

inline CUcontext current_context() {
  CUcontext context = nullptr;
  driver_function<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent")(&context);
  return context;
}

/// A context of one's own, as applications have that know the driver only; current as long as it lives.
class ForeignContext {
 public:
  explicit ForeignContext(CUdevice device) {
    driver_function<decltype(&cuCtxCreate)>("cuCtxCreate_v4")(&context_, nullptr, 0, device);
  }
  ~ForeignContext() { driver_function<decltype(&cuCtxDestroy)>("cuCtxDestroy_v2")(context_); }
  ForeignContext(const ForeignContext&) = delete;
  ForeignContext& operator=(const ForeignContext&) = delete;
  CUcontext get() const { return context_; }

 private:
  CUcontext context_ = nullptr;
};

/// What a thread would find out about itself.
struct ThreadState {
  CUcontext context = current_context();
  cudaError_t error = cudaPeekAtLastError();
  bool operator==(const ThreadState&) const = default;
};

}  // namespace cyclotome::check
