// SPDX-License-Identifier: Apache-2.0
// Verbs that no program has: what they do depends on numbers that only a call knows.
#include <limits>

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/grid.cuh"
#include "cyclotome/engine/cuda/key_switch/item_sums.cuh"
#include "cyclotome/engine/cuda/state.cuh"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"

namespace cyclotome {

using cuda::device_view;
using cuda::DeviceView;
using cuda::ItemPlace;
using cuda::ItemPlaces;
using cuda::max_places;

namespace {

template <class W>
ItemPlace<W> place_of(ConstView item) {
  return {static_cast<const W*>(item.data), static_cast<std::uint32_t>(item.parts == 1 ? 0 : item.part_stride),
          static_cast<std::uint32_t>(item.parts)};
}

/// Whether kernels can be told where the parts of these items lie.
bool in_reach(std::span<const ConstView> items) {
  return std::ranges::all_of(
      items, [](const ConstView& item) { return item.part_stride <= std::numeric_limits<std::uint32_t>::max(); });
}

std::vector<const void*> addresses(std::span<const ConstView> items) {
  std::vector<const void*> found;
  for (const ConstView& item : items) found.push_back(item.data);
  return found;
}

/// Calls body(items of out from `first` on, how many, terms of each from `start` on, how many) until each has had all
/// its `group` terms, as many at a time as a launch takes. An item's terms come in order.
template <class Body>
void for_launches(std::size_t items, std::size_t group, std::size_t most, const Body& body) {
  const std::size_t terms = std::min(group, most), each = most / terms;
  for (std::size_t first = 0; first < items; first += each) {
    const std::size_t count = std::min(each, items - first);
    for (std::size_t start = 0; start < group; start += terms)
      body(first, count, start, std::min(terms, group - start));
  }
}

/// Calls body with the bytes that a thread has of each limb.
template <class W, class Body>
void with_columns(const View& out, const Body& body) {
  const auto run = [&]<unsigned Bytes>() {
    const unsigned columns = cuda::blocks(out.degree() / cuda::Columns<W, Bytes>::count);
    body.template operator()<Bytes>(columns);
  };
  out.degree() % cuda::Columns<W, 16>::count == 0 ? run.template operator()<16>() : run.template operator()<8>();
}

/// A thread for each residue; neighbours read neighbouring words. Grid: (coefficients, limbs, items).
template <class W>
__global__ void decompose_integers(DeviceView<W> out, const std::uint64_t* words, std::uint32_t count,
                                   const cuda::RingTables<W>* tables) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, n = out.degree;
  if (c >= n) return;
  const std::uint64_t* const integer = words + static_cast<std::size_t>(blockIdx.z) * count * n + c;
  out.limb(blockIdx.z, blockIdx.y)[c] = residue_of_words(integer, n, count, tables->limb[blockIdx.y].modulus);
}

}  // namespace

void CudaEngine::do_sum_items(View out, std::span<const ConstView> items, std::size_t group) {
  if (!in_reach(items)) return Engine::do_sum_items(out, items, group);
  const cuda::Turn turn(*state_, addresses(items), {&out.data, 1});
  const cuda::Queue& queue = turn.queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto tables = state_->constants.ring_tables<W>(*out.ring);
    // What was summed before is a term of what is summed next.
    for_launches(out.batch, group, max_places - 1,
                 [&](std::size_t first, std::size_t count, std::size_t start, std::size_t terms) {
                   const bool again = start != 0;
                   ItemPlaces<W> places{};
                   ItemPlace<W>* next = places.at;
                   for (std::size_t i = first; i < first + count; ++i) {
                     if (again) *next++ = place_of<W>(out.items(i));
                     for (std::size_t k = 0; k < terms; ++k) *next++ = place_of<W>(items[i * group + start + k]);
                   }
                   const View part = out.items(first, count);
                   with_columns<W>(out, [&]<unsigned Bytes>(unsigned columns) {
                     cuda::launch<cuda::sum_items<W, Bytes>>(
                         queue, dim3(columns, static_cast<unsigned>(out.limbs()), count * out.parts),
                         cuda::block_threads, 0, 1, "sum of items", device_view<W>(part, out.parts), places,
                         tables.value, static_cast<std::uint32_t>(terms + again));
                   });
                 });
  });
}

void CudaEngine::do_sum_products(View out, std::span<const ConstView> a, std::span<const ConstView> b,
                                 std::size_t group) {
  if (!in_reach(a) || !in_reach(b)) return Engine::do_sum_products(out, a, b, group);
  std::vector<const void*> reads = addresses(a);
  std::ranges::copy(addresses(b), std::back_inserter(reads));
  const cuda::Turn turn(*state_, reads, {&out.data, 1});
  const cuda::Queue& queue = turn.queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto tables = state_->constants.ring_tables<W>(*out.ring);
    const std::uint32_t lazy = cuda::lazy_products<W>(out.ring->basis());
    for_launches(out.batch, group, max_places / 2,
                 [&](std::size_t first, std::size_t count, std::size_t start, std::size_t terms) {
                   ItemPlaces<W> pairs{};
                   ItemPlace<W>* next = pairs.at;
                   for (std::size_t i = first; i < first + count; ++i) {
                     for (std::size_t k = i * group + start; k < i * group + start + terms; ++k) {
                       *next++ = place_of<W>(a[k]);
                       *next++ = place_of<W>(b[k]);
                     }
                   }
                   const View part = out.items(first, count);
                   with_columns<W>(out, [&]<unsigned Bytes>(unsigned columns) {
                     cuda::launch<cuda::sum_products<W, Bytes>>(
                         queue, dim3(columns, static_cast<unsigned>(out.limbs()), count), cuda::block_threads, 0, 1,
                         "sum of products", device_view<W>(part, 3), pairs, tables.value,
                         static_cast<std::uint32_t>(terms), lazy, static_cast<std::uint32_t>(start != 0));
                   });
                 });
  });
}

void CudaEngine::do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) {
  const cuda::Turn turn(*state_, {a.data}, {out.data});
  const cuda::Queue& queue = turn.queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto tables = state_->constants.ring_tables<W>(*out.ring);
    std::vector<W> factors(out.limbs() * matrix.size());
    for (std::size_t l = 0; l < out.limbs(); ++l) {
      const Modulus<W> q = out.ring->basis().template moduli<W>()[l];
      for (std::size_t i = 0; i < matrix.size(); ++i) factors[l * matrix.size() + i] = q.reduce_signed(matrix[i]);
    }
    const cuda::ConstantMemory device = state_->call_constants(factors.data(), factors.size() * sizeof(W), turn);
    // The grid has at most 65535 items: rows are worked on in pieces.
    const std::size_t piece = std::max<std::size_t>(1, 60000 / out.parts);
    for (std::size_t first = 0; first < out.batch; first += piece) {
      const std::size_t rows = std::min(piece, out.batch - first);
      const dim3 grid = cuda::column_grid<W>(out.items(first, rows));
      cuda::launch<cuda::linear_combination<W>>(
          queue, grid, cuda::block_threads, 0, 1, "linear combination",
          device_view<W>(out.items(first, rows), out.parts), device_view<W>(a, out.parts), tables.value,
          static_cast<const W*>(device.get()) + first * a.batch, static_cast<std::uint32_t>(out.batch),
          static_cast<std::uint32_t>(a.batch), cuda::lazy_products<W>(out.ring->basis()));
    }
  });
}

void CudaEngine::do_mixed_radix(View out, ConstView a, const MixedRadix& step) {
  const cuda::Turn turn(*state_, {a.data}, {out.data});
  state_->garner.digits(out, a, step, turn.queue());
}

void CudaEngine::do_reconstruct(std::uint64_t* words, ConstView a, const MixedRadix& step) {
  PolyArray digits(shared_from_this(), step.ring, a.batch, a.parts, Domain::coefficient, true);
  mixed_radix(digits.view(), a, step);
  const cuda::Turn turn(*state_, {digits.view().data}, {words});
  state_->garner.compose(words, digits.view(), step, turn.queue());
}

void CudaEngine::do_decompose(View out, const std::uint64_t* words, std::size_t count) {
  const cuda::Turn turn(*state_, {words}, {out.data});
  const cuda::Queue& queue = turn.queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto tables = state_->constants.ring_tables<W>(*out.ring);
    const std::size_t item = out.parts * count * out.degree();
    cuda::for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t items) {
      const View part = out.items(first, items);
      const dim3 grid(cuda::blocks(out.degree()), static_cast<unsigned>(out.limbs()),
                      static_cast<unsigned>(items * out.parts));
      cuda::launch<decompose_integers<W>>(queue, grid, cuda::block_threads, 0, 1, "decomposition",
                                          device_view<W>(part, out.parts), words + first * item,
                                          static_cast<std::uint32_t>(count), tables.value);
    });
  });
}

}  // namespace cyclotome
