// SPDX-License-Identifier: Apache-2.0
// HostValues: values cross the bus as they are, and the device takes them to residues and to their places, and back.
#include <algorithm>

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/grid.cuh"
#include "cyclotome/engine/cuda/state.cuh"
#include "cyclotome/math/declassify.hpp"

namespace cyclotome {

namespace {

/// Rows of values, and where value j of a row stands in an item: `positions` is null where that is j.
template <class Value, class W>
struct PlacedRows {
  Value* values;
  W* limbs;
  const std::uint32_t* positions;
  std::size_t stride;
  std::size_t count;  ///< of values
  std::uint32_t width, degree;

  __device__ Value& value(std::uint32_t item, std::uint32_t j) const {
    return values[static_cast<std::size_t>(item) * width + j];
  }
  __device__ W& residue(std::uint32_t item, std::uint32_t j) const {
    return limbs[item * stride + (positions == nullptr ? j : positions[j])];
  }
};

/// A thread for each place of an item. Grid: (places, items).
template <class W>
__global__ void place_values(PlacedRows<const std::int64_t, W> rows, const cuda::RingTables<W>* tables) {
  const std::uint32_t j = blockIdx.x * blockDim.x + threadIdx.x, item = blockIdx.y;
  if (j >= rows.degree) return;
  const bool there = j < rows.width && static_cast<std::size_t>(item) * rows.width + j < rows.count;
  rows.residue(item, j) = there ? tables->limb[0].modulus.reduce_signed(rows.value(item, j)) : W{0};
}

/// A thread for each value. Grid: (values of a row, items).
template <class W>
__global__ void collect_values(PlacedRows<std::int64_t, const W> rows, std::uint64_t t) {
  const std::uint32_t j = blockIdx.x * blockDim.x + threadIdx.x, item = blockIdx.y;
  if (j >= rows.width) return;
  const std::uint64_t residue = rows.residue(item, j);
  rows.value(item, j) = static_cast<std::int64_t>(residue - (residue >= (t + 1) / 2 ? t : 0));
}

template <class Value, class W>
PlacedRows<Value, W> placed_rows(void* values, const void* limbs, const ConstView& a, const std::uint32_t* positions,
                                 std::size_t count, std::size_t width) {
  return {static_cast<Value*>(values),
          static_cast<W*>(const_cast<void*>(limbs)),
          positions,
          a.batch == 1 ? 0 : a.batch_stride,
          count,
          static_cast<std::uint32_t>(width),
          static_cast<std::uint32_t>(a.degree())};
}

void require_rows(const char* what, const ConstView& a, std::size_t values, std::size_t width,
                  std::span<const std::uint32_t> positions) {
  const std::size_t n = a.degree();
  if (a.parts != 1 || a.limbs() != 1 || width > n || values > a.batch * width || values + width < a.batch * width ||
      (!positions.empty() && positions.size() != n)) {
    throw ArgumentError(message(what, ": ", values, " values as ", a.batch, " rows of ", width, " at ",
                                positions.size(), " positions, in items of ", a.parts, " parts, ", a.limbs(),
                                " limbs and ", n, " residues"));
  }
}

/// Whether all lie in [-t/2, t/2].
bool all_centred(std::span<const std::int64_t> values, std::uint64_t t) {
  const std::uint64_t half = t / 2;
  std::uint64_t outside = 0;  // the sign of 2 half - (value + half), each as a number without a sign
  for (const std::int64_t value : values) {
    const std::uint64_t shifted = static_cast<std::uint64_t>(value) + half;
    outside |= shifted | (2 * half - shifted);
  }
  return !declassify(outside >> 63 != 0);
}

}  // namespace

bool CudaEngine::place(View out, std::span<const std::int64_t> values, std::size_t width,
                       std::span<const std::uint32_t> positions, bool reduce) {
  require_rows("place", out, values.size(), width, positions);
  if (!reduce && !all_centred(values, out.ring->basis()[0])) return false;
  const auto memory = values.empty() ? nullptr : allocate(values.size_bytes(), true);
  if (memory != nullptr) upload(memory->data(), values.data(), values.size_bytes());
  void* const data = memory == nullptr ? nullptr : memory->data();
  const cuda::Turn turn(*state_, {data}, {out.data});
  const auto places = state_->constants.slot_positions(*out.ring, positions);
  with_word(out.word(), [&]<class W>(W) {
    const auto tables = state_->constants.ring_tables<W>(*out.ring);
    cuda::for_pieces(out.batch, 1, [&](std::size_t first, std::size_t items) {
      auto* const from = static_cast<std::int64_t*>(data) + first * width;
      cuda::launch<place_values<W>>(
          turn.queue(), dim3(cuda::blocks(out.degree()), static_cast<unsigned>(items)), cuda::block_threads, 0, 1,
          "values to residues",
          placed_rows<const std::int64_t, W>(from, out.items(first, items).data, out, places.value,
                                             values.size() - std::min(values.size(), first * width), width),
          tables.value);
    });
  });
  return true;
}

void CudaEngine::collect(std::span<std::int64_t> values, ConstView a, std::size_t width,
                         std::span<const std::uint32_t> positions) {
  require_rows("collect", a, values.size(), width, positions);
  if (values.size() != a.batch * width) {
    throw ArgumentError(message("collect: ", values.size(), " values for ", a.batch, " rows of ", width));
  }
  if (values.empty()) return;
  const auto memory = allocate(values.size_bytes(), true);
  {
    const cuda::Turn turn(*state_, {a.data}, {memory->data()});
    const auto places = state_->constants.slot_positions(*a.ring, positions);
    with_word(a.word(), [&]<class W>(W) {
      cuda::for_pieces(a.batch, 1, [&](std::size_t first, std::size_t items) {
        auto* const to = static_cast<std::int64_t*>(memory->data()) + first * width;
        cuda::launch<collect_values<W>>(
            turn.queue(), dim3(cuda::blocks(width), static_cast<unsigned>(items)), cuda::block_threads, 0, 1,
            "residues to values",
            placed_rows<std::int64_t, const W>(to, a.items(first, items).data, a, places.value, values.size(), width),
            a.ring->basis()[0]);
      });
    });
  }
  download(values.data(), memory->data(), values.size_bytes());
}

}  // namespace cyclotome
