// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

namespace cyclotome::cuda {

/// The few functions of the driver that the runtime does not offer. The library is looked for when it is first needed,
/// so that everything loads on machines without a driver, and never let go.
class Driver {
 public:
  /// Throws EngineError without a driver, and for one that lacks a function.
  static const Driver& get();

  decltype(&cuInit) initialize;
  decltype(&cuDeviceGet) device;
  decltype(&cuDevicePrimaryCtxRetain) retain_primary;
  decltype(&cuCtxGetCurrent) current;
  decltype(&cuCtxPushCurrent) push;
  decltype(&cuCtxPopCurrent) pop;
  decltype(&cuStreamWriteValue32) write_word;

 private:
  Driver();
};

}  // namespace cyclotome::cuda
