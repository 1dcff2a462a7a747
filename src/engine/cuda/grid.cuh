// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cyclotome/engine/cuda/conversion.cuh"

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

/// A grid has at most 65535 items: calls body(first, count) for pieces of a batch of items of `parts` parts.
template <class Body>
void for_pieces(std::size_t batch, std::size_t parts, const Body& body) {
  const std::size_t piece = std::max<std::size_t>(1, 65535 / parts);
  for (std::size_t first = 0; first < batch; first += piece) body(first, std::min(piece, batch - first));
}

/// Items of a view; one of batch 1 stays itself.
template <bool IsConst>
BasicView<IsConst> piece_of(BasicView<IsConst> view, std::size_t first, std::size_t count) {
  return view.batch == 1 ? view : view.items(first, count);
}

}  // namespace cyclotome::cuda
