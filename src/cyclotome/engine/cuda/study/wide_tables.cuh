// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/memory/device_tables.cuh"
#include "cyclotome/engine/cuda/streams/device_scope.cuh"
#include "cyclotome/engine/cuda/study/wide_positional.cuh"
#include "cyclotome/study/fermat/limbs/conversion.hpp"

namespace cyclotome::cuda::study {

using cyclotome::study::fermat::Limb;

/// Launches beside an engine's verbs.
class WideQueue {
 public:
  explicit WideQueue(CudaEngine& engine)
      : aside_(engine), queue_(static_cast<cudaStream_t>(aside_.stream()), engine.device()) {}
  const Queue& operator*() const noexcept { return queue_; }

 private:
  CudaEngine::Aside aside_;
  Queue queue_;
};

/// Constants of one step. Freed in the device's context, when what reads them is done.
class WideTables {
 public:
  explicit WideTables(std::shared_ptr<CudaEngine> engine)
      : engine_(std::move(engine)), tables_(std::make_unique<DeviceTables>()) {}
  ~WideTables() {
    const DeviceScope scope(static_cast<CUcontext>(engine_->context()), std::nothrow);
    succeeded(cudaDeviceSynchronize());
    tables_.reset();
  }
  WideTables(const WideTables&) = delete;
  WideTables& operator=(const WideTables&) = delete;

  template <class T>
  const T* put(const std::vector<T>& host) {
    const DeviceScope scope(static_cast<CUcontext>(engine_->context()));
    return tables_->put(host, static_cast<cudaStream_t>(engine_->stream()));
  }
  template <class T>
  const T* put_one(const T& host) {
    return put(std::vector<T>{host});
  }
  CudaEngine& engine() const noexcept { return *engine_; }

 private:
  std::shared_ptr<CudaEngine> engine_;
  std::unique_ptr<DeviceTables> tables_;
};

/// One limb, with the modulus that it has if it is less than a word.
struct LimbTable {
  DeviceLimb limb;
  std::size_t first_word;
  const Modulus<Word>* small;  ///< null for an aligned limb
  Word small_value;

  LimbTable(const Limb& from, WideTables& tables)
      : limb{from.bits, from.plus ? 1U : 0U, from.shift, static_cast<std::uint32_t>(from.words)},
        first_word(from.first_word),
        small(nullptr),
        small_value(0) {
    if (from.aligned()) return;
    small_value = (Word{1} << from.bits) + (from.plus ? 1 : ~Word{0});
    small = tables.put_one(Modulus<Word>(small_value));
  }
  std::size_t low() const noexcept { return limb.bits / 64; }
};

/// How a number of so many words lies on lanes.
struct Spread {
  unsigned lanes, words;
};

/// For low words, a power of two up to 512: the lanes and words of one that are chosen (set_words_of_lane).
Spread spread_of(std::size_t low);
/// Whether lanes hold it.
constexpr bool fits_lanes(std::size_t low) noexcept { return low <= 512 && (low & (low - 1)) == 0; }

/// body.operator()<C>() for the words of a lane.
template <class Body>
void with_words(unsigned words, const Body& body) {
  switch (words) {
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    case 4:
      return body.template operator()<4>();
    case 8:
      return body.template operator()<8>();
    default:
      return body.template operator()<16>();
  }
}

inline unsigned blocks_of(std::size_t count, unsigned threads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

inline dim3 grid_of(std::size_t degree, std::size_t parts, unsigned lanes = 1, std::size_t layers = 1) {
  return {blocks_of(degree * lanes, wide_threads), static_cast<unsigned>(parts), static_cast<unsigned>(layers)};
}

}  // namespace cyclotome::cuda::study
