// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace cyclotome {

/// One GPU as the driver describes it.
struct CudaDevice {
  int index = 0;
  std::string name;
  /// Compute capability.
  int major = 0, minor = 0;
  int multiprocessors = 0;
  /// The compute capability that the code for it was compiled for, "9.0"; empty where there is none.
  std::string code;
  /// Bytes; free ones are 0 where the device could not be asked.
  std::size_t memory = 0, memory_free = 0;
  /// Empty for a device that `CudaEngine::create` takes, else what is wrong with it.
  std::string problem;
};

/// What this machine has for CUDA. Never throws for want of a driver or device: `problem` then says what is missing
/// and what to do; it is empty when there is at least one device that can be used.
struct CudaSystem {
  /// As CUDA counts: 13000 is 13.0. driver: the newest CUDA that the driver knows; 0 without a driver.
  int runtime = 0, driver = 0;
  std::vector<CudaDevice> devices;
  std::string problem;
};
CudaSystem cuda_system();

/// Bytes of the device's memory pool that arrays of this process hold now, and the most since the last reset.
/// Throws EngineError.
std::pair<std::size_t, std::size_t> cuda_memory(int device);
void reset_cuda_memory_peak(int device);

/// What a device can do at most, measured now (some milliseconds): the scale for the engine's own speed.
struct CudaCeilings {
  /// Bytes read and written in a second by copies from device memory to device memory, both counted.
  double copy_bytes_per_second = 0;
  /// Products modulo a prime in a second, all operands in registers, Shoup's way, in words of 32 and of 64 bits.
  double products_per_second_32 = 0, products_per_second_64 = 0;
};
/// Throws EngineError, above all when there is no room for 2 x 256 MiB.
CudaCeilings cuda_ceilings(int device);

}  // namespace cyclotome
