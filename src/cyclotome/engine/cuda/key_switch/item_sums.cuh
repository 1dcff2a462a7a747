// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/steps/pointwise.cuh"

// Sums of items that lie anywhere: kernels take where they are as an argument, so that nothing is copied before. Grids:
// (columns, limbs, items of the result).
namespace cyclotome::cuda {

/// Where an item's parts lie.
template <class W>
struct ItemPlace {
  const W* data;
  std::uint32_t part_stride, parts;

  __device__ const W* limb(std::uint32_t part, std::uint32_t l, std::uint32_t degree) const {
    return data + static_cast<std::size_t>(part) * part_stride + static_cast<std::size_t>(l) * degree;
  }
};

template <unsigned Bytes, class W>
__device__ __forceinline__ const Columns<W, Bytes>* columns_of(const W* limb, std::uint32_t first) {
  return reinterpret_cast<const Columns<W, Bytes>*>(limb + first);
}

/// A kernel's arguments have 4 KB.
inline constexpr std::size_t max_places = 240;

template <class W>
struct ItemPlaces {
  ItemPlace<W> at[max_places];
};

/// out[i] = the sum of `group` items from number i group on; each thread has one part.
template <class W, unsigned Bytes>
__global__ void sum_items(DeviceView<W> out, const __grid_constant__ ItemPlaces<W> items, const RingTables<W>* tables,
                          std::uint32_t group) {
  const std::uint32_t column = first_column<W, Bytes>();
  if (column >= out.degree) return;
  const std::uint32_t l = blockIdx.y, i = blockIdx.z / out.parts, part = blockIdx.z % out.parts;
  const Modulus<W> q = tables->limb[l].modulus;
  Columns<W, Bytes> sum{};
  for (std::uint32_t k = 0; k < group; ++k) {
    const ItemPlace<W> item = items.at[i * group + k];
    if (part >= item.parts) continue;
    const Columns<W, Bytes> x = *columns_of<Bytes>(item.limb(part, l, out.degree), column);
#pragma unroll
    for (unsigned c = 0; c < Columns<W, Bytes>::count; ++c) sum.word[c] = q.add(sum.word[c], x.word[c]);
  }
  *columns<Bytes>(out.limb(blockIdx.z, l), column) = sum;
}

/// A sum of products that is reduced as late as the double word allows.
template <class W>
class LazySum {
 public:
  /// lazy: products that fit beside a reduced sum.
  __device__ __forceinline__ void add(W x, W y, std::uint32_t products, std::uint32_t lazy, const Modulus<W>& q) {
    if (products != 0 && products % lazy == 0) sum_ = q.reduce_wide(sum_);
    sum_ += static_cast<Wide<W>>(x) * y;
  }
  __device__ __forceinline__ W reduced(const Modulus<W>& q) const { return q.reduce_wide(sum_); }

 private:
  Wide<W> sum_ = 0;
};

/// out[i] (3 parts) = the sum of the products of pairs i group ... of items of two parts, a's and b's in turns. Each
/// thread has all parts.
template <class W, unsigned Bytes>
__global__ void sum_products(DeviceView<W> out, const __grid_constant__ ItemPlaces<W> pairs,
                             const RingTables<W>* tables, std::uint32_t group, std::uint32_t lazy,
                             std::uint32_t accumulates) {
  constexpr unsigned count = Columns<W, Bytes>::count;
  const std::uint32_t column = first_column<W, Bytes>();
  if (column >= out.degree) return;
  const std::uint32_t l = blockIdx.y, i = blockIdx.z;
  const Modulus<W> q = tables->limb[l].modulus;
  LazySum<W> sums[3][count];
  for (std::uint32_t k = 0; k < group; ++k) {
    const ItemPlace<W> a = pairs.at[2 * (i * group + k)], b = pairs.at[2 * (i * group + k) + 1];
    Columns<W, Bytes> x[2], y[2];
#pragma unroll
    for (unsigned p = 0; p < 2; ++p) {
      x[p] = *columns_of<Bytes>(a.limb(p, l, out.degree), column);
      y[p] = *columns_of<Bytes>(b.limb(p, l, out.degree), column);
    }
#pragma unroll
    for (unsigned c = 0; c < count; ++c) {
      sums[0][c].add(x[0].word[c], y[0].word[c], k, lazy, q);
      sums[1][c].add(x[0].word[c], y[1].word[c], 2 * k, lazy, q);
      sums[1][c].add(x[1].word[c], y[0].word[c], 2 * k + 1, lazy, q);
      sums[2][c].add(x[1].word[c], y[1].word[c], k, lazy, q);
    }
  }
#pragma unroll
  for (unsigned p = 0; p < 3; ++p) {
    Columns<W, Bytes>* const to = columns<Bytes>(out.limb(i, p, l), column);
    Columns<W, Bytes> result{};
    if (accumulates != 0) result = *to;
#pragma unroll
    for (unsigned c = 0; c < count; ++c) result.word[c] = q.add(result.word[c], sums[p][c].reduced(q));
    *to = result;
  }
}

}  // namespace cyclotome::cuda
