// SPDX-License-Identifier: Apache-2.0
// Verbs that no program has: what they do depends on numbers that only a call knows.
#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/grid.cuh"
#include "cyclotome/engine/cuda/pointwise.cuh"
#include "cyclotome/engine/cuda/state.cuh"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/ring/mixed_radix.hpp"

namespace cyclotome {

using cuda::device_view;

void CudaEngine::do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) {
  const auto queue = state_->queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto tables = state_->constants.ring_tables<W>(*out.ring);
    std::vector<W> factors(out.limbs() * matrix.size());
    for (std::size_t l = 0; l < out.limbs(); ++l) {
      const Modulus<W> q = out.ring->basis().template moduli<W>()[l];
      for (std::size_t i = 0; i < matrix.size(); ++i) factors[l * matrix.size() + i] = q.reduce_signed(matrix[i]);
    }
    const cuda::DeviceMemory device(factors.size() * sizeof(W), queue.stream());
    upload(device.data(), factors.data(), factors.size() * sizeof(W));
    // The grid has at most 65535 items: rows are worked on in pieces.
    const std::size_t piece = std::max<std::size_t>(1, 60000 / out.parts);
    for (std::size_t first = 0; first < out.batch; first += piece) {
      const std::size_t rows = std::min(piece, out.batch - first);
      const dim3 grid = cuda::column_grid<W>(out.items(first, rows));
      cuda::launch<cuda::linear_combination<W>>(
          queue, grid, cuda::block_threads, 0, 1, "linear combination",
          device_view<W>(out.items(first, rows), out.parts), device_view<W>(a, out.parts), tables.value,
          static_cast<const W*>(device.data()) + first * a.batch, static_cast<std::uint32_t>(out.batch),
          static_cast<std::uint32_t>(a.batch), cuda::lazy_products<W>(out.ring->basis()));
    }
  });
}

void CudaEngine::do_mixed_radix(View out, ConstView a, const MixedRadix& step) {
  const auto queue = state_->queue();
  state_->garner.digits(out, a, step, queue);
}

void CudaEngine::do_reconstruct(std::uint64_t* words, ConstView a, const MixedRadix& step) {
  PolyArray digits(shared_from_this(), step.ring, a.batch, a.parts, Domain::coefficient, true);
  mixed_radix(digits.view(), a, step);
  const auto queue = state_->queue();
  state_->garner.compose(words, digits.view(), step, queue);
}

}  // namespace cyclotome
