// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/study/classic_reconstruction.hpp"
#include "cyclotome/study/laws.hpp"
#include "cyclotome/study/word_reduction.hpp"

// What papers 000 and 001 time on a GPU beside transforms. This header needs no CUDA.
namespace cyclotome::cuda::study {

/// Microseconds that the device takes for one call of `work`, which calls verbs of `engine`: by CUDA events around
/// `repetitions` (>= 1) calls that lie queued behind a kernel which waits until the host has queued them all. So the
/// host's part of a launch, which is more than a small kernel takes, is not in it. Throws ArgumentError for none.
double device_time(CudaEngine& engine, const std::function<void()>& work, unsigned repetitions);

/// Constants of a classic reconstruction on a device.
class DeviceReconstruction {
 public:
  DeviceReconstruction(std::shared_ptr<CudaEngine> engine, const cyclotome::study::ClassicReconstruction& step);
  ~DeviceReconstruction();
  DeviceReconstruction(const DeviceReconstruction&) = delete;
  DeviceReconstruction& operator=(const DeviceReconstruction&) = delete;

  /// As Engine::reconstruct, with the same words; a thread for each coefficient. Throws ArgumentError for another
  /// basis, domain or a short buffer.
  void run(Buffer& words, ConstView a, cyclotome::study::ClassicSum how);

 private:
  struct Tables;
  std::shared_ptr<CudaEngine> engine_;
  std::unique_ptr<Tables> tables_;
};

/// out[i] = in[i] mod p for `count` integers below 2^62, 32-bit words from 64-bit words; a thread for each. Throws
/// ArgumentError for short buffers.
void reduce_words(CudaEngine& engine, Buffer& out, const Buffer& in, std::size_t count,
                  cyclotome::study::WordReduction how, const cyclotome::study::ReducedPrime& p);

/// `count` 32-bit numbers of a paper's law, as study::draw has them: from the same words of the same streams, in single
/// precision, each number beyond the bound from a stream of its own. Throws ArgumentError for this library's laws,
/// which Engine::sample draws, for what study::draw refuses, and for a short buffer.
void draw(CudaEngine& engine, Buffer& out, std::size_t count, const cyclotome::study::SmallLaw& law, const Seed& seed);

}  // namespace cyclotome::cuda::study
