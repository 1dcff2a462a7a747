// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/driver.cuh"
#include "cyclotome/engine/cuda/streams/device_scope.cuh"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::cuda {

namespace {

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
