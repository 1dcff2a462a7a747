// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/state.cuh"

namespace cyclotome::cuda {

DeviceState::DeviceState(int to_device, CUcontext of_device)
    : device(to_device),
      context(of_device),
      secrets(of_device, stream),
      constants([this](const void* host, std::size_t bytes) {
        const auto release = [of_device = context](const DeviceMemory* memory) {
          const DeviceScope scope(of_device, std::nothrow);  // whichever thread is the last to hold it
          delete memory;
        };
        const std::shared_ptr<const DeviceMemory> memory(new DeviceMemory(bytes, stream), release);
        check(cudaMemcpyAsync(memory->data(), host, bytes, cudaMemcpyHostToDevice, stream), "copy of constants");
        check(cudaStreamSynchronize(stream), "copy of constants");  // the host copy goes away
        return ConstantMemory(memory, memory->data());
      }) {}

}  // namespace cyclotome::cuda
