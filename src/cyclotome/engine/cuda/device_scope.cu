// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include "cyclotome/engine/cuda/device_scope.cuh"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::cuda {

namespace {

/// The few functions of the driver that the runtime does not offer. The library is looked for when it is first needed,
/// so that everything loads on machines without a driver, and never let go.
class Driver {
 public:
  static const Driver& get() {
    static const Driver driver;
    return driver;
  }

  decltype(&cuInit) initialize;
  decltype(&cuDeviceGet) device;
  decltype(&cuDevicePrimaryCtxRetain) retain_primary;
  decltype(&cuCtxGetCurrent) current;
  decltype(&cuCtxPushCurrent) push;
  decltype(&cuCtxPopCurrent) pop;

 private:
  Driver() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw EngineError("CUDA: no NVIDIA driver is loaded on this machine");
    // The names are those that cuda.h makes of the functions above.
    find(library, "cuInit", initialize);
    find(library, "cuDeviceGet", device);
    find(library, "cuDevicePrimaryCtxRetain", retain_primary);
    find(library, "cuCtxGetCurrent", current);
    find(library, "cuCtxPushCurrent_v2", push);
    find(library, "cuCtxPopCurrent_v2", pop);
  }

  template <class Function>
  static void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) throw EngineError(message("CUDA: the NVIDIA driver has no ", name, "; update it"));
  }
};

void check_driver(CUresult status, const char* what) {
  if (status != CUDA_SUCCESS) {
    throw EngineError(message("CUDA: ", what, " failed with the driver's error ", static_cast<int>(status)));
  }
}

/// Whether the calling thread is in that context already.
bool inside(const Driver& driver, CUcontext context) noexcept {
  CUcontext current = nullptr;
  return driver.current(&current) == CUDA_SUCCESS && current == context;
}

}  // namespace

CUcontext primary_context(int device) {
  const Driver& driver = Driver::get();
  check_driver(driver.initialize(0), "starting CUDA");
  CUdevice found = 0;
  check_driver(driver.device(&found, device), "device query");
  CUcontext context = nullptr;
  check_driver(driver.retain_primary(&context, found), "opening the device");
  return context;
}

DeviceScope::DeviceScope(CUcontext context) {
  const Driver& driver = Driver::get();
  if (inside(driver, context)) return;
  check_driver(driver.push(context), "choosing the device");
  pushed_ = true;
}

DeviceScope::DeviceScope(CUcontext context, std::nothrow_t) noexcept {
  const Driver& driver = Driver::get();  // whoever has a context has been here
  pushed_ = !inside(driver, context) && driver.push(context) == CUDA_SUCCESS;
}

DeviceScope::~DeviceScope() {
  CUcontext popped = nullptr;
  if (pushed_) Driver::get().pop(&popped);
}

}  // namespace cyclotome::cuda
