// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/state.cuh"

namespace cyclotome {

using cuda::check;
using cuda::ConstantMemory;
using cuda::DeviceMemory;

CudaEngine::State::State(int to_device, CUcontext of_device)
    : device(to_device),
      context(of_device),
      secrets(of_device, stream),
      constants([this](const void* host, std::size_t bytes) {
        const auto release = [of_device = context](const DeviceMemory* memory) {
          const cuda::DeviceScope scope(of_device, std::nothrow);  // whichever thread is the last to hold it
          delete memory;
        };
        const std::shared_ptr<const DeviceMemory> memory(new DeviceMemory(bytes, stream), release);
        check(cudaMemcpyAsync(memory->data(), host, bytes, cudaMemcpyHostToDevice, stream), "copy of constants");
        check(cudaStreamSynchronize(stream), "copy of constants");  // the host copy goes away
        return ConstantMemory(memory, memory->data());
      }) {}

template <class T>
T CudaEngine::State::kept(cuda::Resident<T> found) const {
  if (cuda::Recording* const by = recording()) by->keep(found.memory);
  return found.value;
}

template <class W>
const cuda::RingTables<W>* CudaEngine::State::ring_tables(const Ring& ring) {
  return kept(constants.ring_tables<W>(ring));
}

template <class W>
cuda::ColumnConversion<W> CudaEngine::State::conversion(const BaseConversion& conversion) {
  return kept(constants.conversion<W>(conversion));
}

template <class W>
const ShoupFactor<W>* CudaEngine::State::division_factors(const DivideAndRound& step) {
  return kept(constants.division_factors<W>(step));
}

template <class W>
cuda::DeviceDigits<W> CudaEngine::State::digits(const KeySwitchStep& step) {
  return kept(constants.digits<W>(step));
}

cuda::PeakOutput CudaEngine::State::peak_output(std::uint64_t* peaks, std::size_t first) {
  if (peaks == nullptr) return {};
  return {peaks + first, kept(constants.peak_cells())};
}

#define CYCLOTOME_INSTANTIATE(W)                                                                \
  template const cuda::RingTables<W>* CudaEngine::State::ring_tables<W>(const Ring&);           \
  template cuda::ColumnConversion<W> CudaEngine::State::conversion<W>(const BaseConversion&);   \
  template const ShoupFactor<W>* CudaEngine::State::division_factors<W>(const DivideAndRound&); \
  template cuda::DeviceDigits<W> CudaEngine::State::digits<W>(const KeySwitchStep&);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome
