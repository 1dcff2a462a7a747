// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/conversion.cuh"
#include "cyclotome/engine/cuda/memory/device_tables.cuh"

namespace cyclotome::cuda {

inline constexpr unsigned block_threads = 128;

inline unsigned blocks(std::size_t count, unsigned threads = block_threads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

/// Grid of kernels that work on columns: (columns, limbs, items).
template <class W>
dim3 column_grid(View out) {
  return dim3(blocks(out.degree() / Columns<W>::count), static_cast<unsigned>(out.limbs()),
              static_cast<unsigned>(out.batch * out.parts));
}

/// Items of a view; one of batch 1 stays itself.
template <bool IsConst>
BasicView<IsConst> piece_of(BasicView<IsConst> view, std::size_t first, std::size_t count) {
  return view.batch == 1 ? view : view.items(first, count);
}

}  // namespace cyclotome::cuda
