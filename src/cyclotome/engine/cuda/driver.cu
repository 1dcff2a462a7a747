// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include "cyclotome/engine/cuda/driver.cuh"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::cuda {

namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw EngineError(message("CUDA: the NVIDIA driver has no ", name, "; update it"));
}

}  // namespace

const Driver& Driver::get() {
  static const Driver driver;
  return driver;
}

Driver::Driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw EngineError("CUDA: no NVIDIA driver is loaded on this machine");
  // The names are those that cuda.h makes of the functions above.
  find(library, "cuInit", initialize);
  find(library, "cuDeviceGet", device);
  find(library, "cuDevicePrimaryCtxRetain", retain_primary);
  find(library, "cuCtxGetCurrent", current);
  find(library, "cuCtxPushCurrent_v2", push);
  find(library, "cuCtxPopCurrent_v2", pop);
  find(library, "cuStreamWriteValue32_v2", write_word);
}

}  // namespace cyclotome::cuda
