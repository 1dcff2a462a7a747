// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/study/carrier_kernels.cuh"

namespace cyclotome::cuda::study {

inline constexpr unsigned threads_of_block = 128;

inline unsigned blocks_for(std::size_t count, unsigned threads = threads_of_block) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

/// The three kernels; `first` and `second` hold what is between them.
template <class Source, class Sink>
void transform_rows(const cuda::Queue& queue, const TransformSteps& steps, unsigned rows, const std::uint64_t* twiddles,
                    std::uint64_t* first, std::uint64_t* second, const Source& source, const Sink& sink) {
  const unsigned blocks = steps.columns * steps.rest / columns_of_block;
  const auto all = [&]<unsigned rest>() {
    cuda::launch<first_step<Source>>(queue, {blocks, rows}, threads_of_columns, 0, 1, "first step", first, source,
                                     twiddles, steps);
    cuda::launch<second_step<rest>>(queue, {blocks, rows}, threads_of_columns, 0, 1, "second step", second, first,
                                    twiddles, steps);
    cuda::launch<third_step<rest, Sink>>(queue, {4096 / threads_of_block, rows}, threads_of_block, 0, 1, "third step",
                                         sink, second);
  };
  switch (steps.rest) {
    case 2:
      return all.template operator()<2>();
    case 4:
      return all.template operator()<4>();
    case 8:
      return all.template operator()<8>();
    default:
      return all.template operator()<16>();
  }
}

}  // namespace cyclotome::cuda::study
