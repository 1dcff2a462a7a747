// SPDX-License-Identifier: Apache-2.0
// The simple verbs.
#include "cyclotome/engine/cuda/grid.cuh"
#include "cyclotome/engine/cuda/pointwise.cuh"
#include "cyclotome/engine/cuda/sample.cuh"
#include "cyclotome/engine/cuda/state.cuh"
#include "cyclotome/engine/cuda/transform.cuh"
#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome {

using cuda::block_threads;
using cuda::blocks;
using cuda::column_grid;
using cuda::device_view;
using cuda::for_pieces;
using cuda::launch;
using cuda::piece_of;

namespace {

template <class State, class Operation>
void pointwise(State& state, View out, ConstView a, ConstView b, Operation operation) {
  const auto queue = state.queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto* const tables = state.template ring_tables<W>(*out.ring);
    for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
      const View target = piece_of(out, first, count);
      launch<cuda::pointwise<W, Operation>, cuda::Start::early>(
          queue, column_grid<W>(target), block_threads, 0, 1, "pointwise", device_view<W>(target, out.parts),
          device_view<W>(piece_of(a, first, count), out.parts), device_view<W>(piece_of(b, first, count), out.parts),
          tables, operation);
    });
  });
}

}  // namespace

void CudaEngine::do_forward(View a) {
  const auto queue = state_->queue();
  with_word(a.word(), [&]<class W>(W) {
    const auto* const tables = state_->ring_tables<W>(*a.ring);
    const cuda::LimbArithmetics arithmetics = state_->arithmetics(*a.ring);
    for_pieces(a.batch, a.parts, [&](std::size_t first, std::size_t count) {
      const auto view = device_view<W>(piece_of(a, first, count), a.parts);
      const auto limbs = static_cast<unsigned>(a.limbs()), items = static_cast<unsigned>(count * a.parts);
      if (!cuda::forward_in_one_pass(queue, view, view, limbs, items, tables, arithmetics)) {
        cuda::forward_by_stages(queue, view, limbs, items, tables);
      }
    });
  });
}

void CudaEngine::do_inverse(View a) {
  const auto queue = state_->queue();
  with_word(a.word(), [&]<class W>(W) {
    const auto* const tables = state_->ring_tables<W>(*a.ring);
    const cuda::LimbArithmetics arithmetics = state_->arithmetics(*a.ring);
    for_pieces(a.batch, a.parts, [&](std::size_t first, std::size_t count) {
      const auto view = device_view<W>(piece_of(a, first, count), a.parts);
      const auto limbs = static_cast<unsigned>(a.limbs()), items = static_cast<unsigned>(count * a.parts);
      if (!cuda::inverse_in_one_pass(queue, view, view, limbs, items, tables, arithmetics)) {
        cuda::inverse_by_stages(queue, view, limbs, items, tables);
      }
    });
  });
}

void CudaEngine::do_copy(View out, ConstView a) { pointwise(*state_, out, a, a, cuda::Copy{}); }
void CudaEngine::do_add(View out, ConstView a, ConstView b) { pointwise(*state_, out, a, b, cuda::Add{}); }
void CudaEngine::do_subtract(View out, ConstView a, ConstView b) { pointwise(*state_, out, a, b, cuda::Subtract{}); }
void CudaEngine::do_negate(View out, ConstView a) { pointwise(*state_, out, a, a, cuda::Negate{}); }
void CudaEngine::do_multiply(View out, ConstView a, ConstView b) { pointwise(*state_, out, a, b, cuda::Multiply{}); }
void CudaEngine::do_multiply_accumulate(View accumulator, ConstView a, ConstView b) {
  pointwise(*state_, accumulator, a, b, cuda::MultiplyAccumulate{});
}

void CudaEngine::do_clear(View out) {
  const auto queue = state_->queue();
  with_word(out.word(), [&]<class W>(W) {
    for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
      const View target = piece_of(out, first, count);
      launch<cuda::clear<W>>(queue, column_grid<W>(target), block_threads, 0, 1, "clearing",
                             device_view<W>(target, out.parts));
    });
  });
}

void CudaEngine::do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) {
  const auto queue = state_->queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto* const tables = state_->ring_tables<W>(*out.ring);
    const auto run = [&]<unsigned Limbs>(cuda::Factors<W, Limbs> prepared) {
      for (std::size_t l = 0; l < factors.size(); ++l) {
        prepared.factor[l] = ShoupFactor<W>(static_cast<W>(factors[l]), static_cast<W>(out.ring->basis()[l]));
      }
      for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
        const View target = piece_of(out, first, count);
        launch<cuda::multiply_scalars<W, Limbs>>(
            queue, column_grid<W>(target), block_threads, 0, 1, "scalar product", device_view<W>(target, out.parts),
            device_view<W>(piece_of(a, first, count), out.parts), tables, prepared);
      });
    };
    if (factors.size() <= 32) {
      run(cuda::Factors<W, 32>{});
    } else {
      run(cuda::Factors<W, cuda::max_limbs>{});
    }
  });
}

void CudaEngine::do_convert(View out, ConstView a, const BaseConversion& conversion) {
  do_convert_with_peaks(out, a, conversion, nullptr);
}

void CudaEngine::do_convert_with_peaks(View out, ConstView a, const BaseConversion& conversion, std::uint64_t* peaks) {
  const auto queue = state_->queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto constants = state_->conversion<W>(conversion);
    for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
      cuda::convert(queue, device_view<W>(piece_of(out, first, count), out.parts),
                    device_view<W>(piece_of(a, first, count), out.parts), constants,
                    static_cast<unsigned>(count * out.parts), state_->peak_output(peaks, first));
    });
  });
}

void CudaEngine::do_automorphism(View out, ConstView a, std::uint64_t element) {
  const auto queue = state_->queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto* const tables = state_->ring_tables<W>(*out.ring);
    for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
      const dim3 grid(blocks(out.degree()), static_cast<unsigned>(out.limbs()),
                      static_cast<unsigned>(count * out.parts));
      const auto to = device_view<W>(piece_of(out, first, count), out.parts),
                 from = device_view<W>(piece_of(a, first, count), out.parts);
      if (a.domain == Domain::coefficient) {
        const auto inverse = static_cast<std::uint32_t>(out.ring->galois().inverse(element));
        launch<cuda::automorphism_coefficients<W>>(queue, grid, block_threads, 0, 1, "automorphism", to, from, tables,
                                                   inverse);
      } else {
        launch<cuda::automorphism_transform<W>>(queue, grid, block_threads, 0, 1, "automorphism", to, from,
                                                static_cast<std::uint32_t>(element), bit_length(out.degree()) - 1);
      }
    });
  });
}

void CudaEngine::do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) {
  const auto queue = state_->queue();
  struct Secret {
    cuda::StreamKey key{};
    std::array<std::uint32_t, 8> words;
    ~Secret() { secure_zero(this, sizeof(*this)); }
  } secret{.words = seed.words()};
  auto& [key, words] = secret;
  std::copy(words.begin(), words.end(), key.key);
  key.stream = static_cast<std::uint32_t>(stream);
  with_word(out.word(), [&]<class W>(W) {
    const auto* const tables = state_->ring_tables<W>(*out.ring);
    const auto limbs = static_cast<unsigned>(out.limbs());
    for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
      const auto view = device_view<W>(piece_of(out, first, count), out.parts);
      const auto items = static_cast<unsigned>(count * out.parts);
      key.first_item = first_item + static_cast<std::uint32_t>(first);
      if (law == Law::uniform) {
        const dim3 grid(blocks(blocks(out.degree(), uniform_draws_per_block)), limbs, items);
        launch<cuda::sample_uniform<W>, cuda::Start::early>(queue, grid, block_threads, 0, 1, "sampling", view, tables,
                                                            key);
      } else {
        // Few polynomials: each block draws the same integers for some of the limbs.
        const unsigned along_x = blocks(blocks(out.degree(), small_draws_per_block));
        const unsigned shares = std::clamp(264 / (along_x * items), 1u, limbs), each = blocks(limbs, shares);
        launch<cuda::sample_small<W>, cuda::Start::early>(queue, dim3(along_x, blocks(limbs, each), items),
                                                          block_threads, 0, 1, "sampling", view, tables, key, each,
                                                          limbs, law == Law::ternary);
      }
    });
  });
}

}  // namespace cyclotome
