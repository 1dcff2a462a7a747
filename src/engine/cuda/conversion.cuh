// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/device_view.cuh"
#include "cyclotome/ring/base_conversion.hpp"

// A base conversion of a few coefficients in one thread: the y_i wait in shared memory, products with a tile of targets
// accumulate in registers, each constant serves all coefficients of the thread.
namespace cyclotome::cuda {

inline constexpr std::uint32_t tile_targets = 4;

template <class W>
struct TargetTile {
  W word[tile_targets];
};

/// A base conversion's constants on the device.
template <class W>
struct DeviceConversion {
  const ShoupFactor<W>* punctured_inverses;  // [source]
  const std::uint64_t* reciprocals;          // [source]
  const Modulus<W>* source_moduli;           // [source]
  const TargetTile<W>* matrix;               // [target / tile_targets][source], 0 beyond the last target
  const W* negative_wraps;                   // [target]
  const ShoupFactor<W>* copy_factors;        // [target]
  const Modulus<W>* target_moduli;           // [target]
  const int* copies;                         // [target]
  std::uint32_t sources, targets, lazy_terms;
  bool centred;

  /// Products that may be added to a reduced value and the term of the wraps.
  __device__ std::uint32_t step() const { return lazy_terms > 2 ? lazy_terms - 2 : 1; }
};

template <class W, class Visit>
void visit_pointers(const DeviceConversion<W>&, const Visit&) {}  // constants only

/// Neighbouring coefficients of a limb: 8 bytes.
template <class W>
struct alignas(8) Columns {
  static constexpr unsigned count = 8 / sizeof(W);
  W word[count];
};

template <class W>
__device__ inline Columns<W>* columns(W* limb, std::uint32_t first) {
  return reinterpret_cast<Columns<W>*>(limb + first);
}

/// First coefficient of this thread's columns in a grid of threads along x.
template <class W>
__device__ __forceinline__ std::uint32_t first_column() {
  return (blockIdx.x * blockDim.x + threadIdx.x) * Columns<W>::count;
}

/// y_i = f_i x_i mod q_i into y[i * blockDim.x], and how often q has to be taken off their sum. x: load(i).
template <class W, class Load>
__device__ __forceinline__ Columns<W> scale_sources(const DeviceConversion<W>& t, Columns<W>* y, const Load& load) {
  constexpr unsigned count = Columns<W>::count;
  std::uint64_t fractions[count];
#pragma unroll
  for (unsigned c = 0; c < count; ++c) fractions[c] = std::uint64_t{1} << (fraction_bits - 1);
  Columns<W> value{};
#pragma unroll 4
  for (std::uint32_t i = 0; i < t.sources; ++i) {
    const Columns<W> x = load(i);
    const Modulus<W> q = t.source_moduli[i];
    const ShoupFactor<W> factor = t.punctured_inverses[i];
    const std::uint64_t reciprocal = t.reciprocals[i];
#pragma unroll
    for (unsigned c = 0; c < count; ++c) {
      value.word[c] = factor.multiply(x.word[c], q.value());
      if (t.centred) fractions[c] += fraction(value.word[c], reciprocal, q.bits());
    }
    y[i * blockDim.x] = value;
  }
  Columns<W> wraps{};
  if (t.centred) {
#pragma unroll
    for (unsigned c = 0; c < count; ++c) {
      wraps.word[c] = static_cast<W>(fractions[c] >> fraction_bits);
      if (t.sources == 1) wraps.word[c] = static_cast<W>(value.word[c] >= t.source_moduli[0].value() - value.word[c]);
    }
  }
  return wraps;
}

/// Tiles of targets that a block works on: [first, last).
struct TileRange {
  std::uint32_t first, last;
};

/// The share of this block along z, of `each` tiles.
template <class W>
__device__ __forceinline__ TileRange tiles_of_block(const DeviceConversion<W>& t, std::uint32_t each) {
  const std::uint32_t all = (t.targets + tile_targets - 1) / tile_targets;
  return {min(blockIdx.z * each, all), min((blockIdx.z + 1) * each, all)};
}

/// emit(j, residues modulo target j) for the targets in `tiles`; x: load(i), for targets that are copied.
template <class W, class Load, class Emit>
__device__ __forceinline__ void spread_to_targets(const DeviceConversion<W>& t, const TargetTile<W>* matrix,
                                                  TileRange tiles, const Columns<W>* y, Columns<W> wraps,
                                                  const Load& load, const Emit& emit) {
  constexpr unsigned count = Columns<W>::count;
  const std::uint32_t step = t.step();
  matrix += tiles.first * t.sources;
  for (std::uint32_t tile = tiles.first; tile < tiles.last; ++tile, matrix += t.sources) {
    const std::uint32_t first = tile * tile_targets;
    Wide<W> sums[tile_targets][count];
#pragma unroll
    for (unsigned j = 0; j < tile_targets; ++j) {
      const W negative = first + j < t.targets ? t.negative_wraps[first + j] : 0;
#pragma unroll
      for (unsigned c = 0; c < count; ++c) sums[j][c] = static_cast<Wide<W>>(wraps.word[c]) * negative;
    }
    for (std::uint32_t start = 0; start < t.sources; start += step) {
      if (start != 0) {
#pragma unroll
        for (unsigned j = 0; j < tile_targets; ++j) {
          if (first + j < t.targets) {
#pragma unroll
            for (unsigned c = 0; c < count; ++c) sums[j][c] = t.target_moduli[first + j].reduce_wide(sums[j][c]);
          }
        }
      }
      const std::uint32_t end = min(start + step, t.sources);
#pragma unroll 4
      for (std::uint32_t i = start; i < end; ++i) {
        const Columns<W> value = y[i * blockDim.x];
        const TargetTile<W> row = matrix[i];
#pragma unroll
        for (unsigned j = 0; j < tile_targets; ++j) {
#pragma unroll
          for (unsigned c = 0; c < count; ++c) sums[j][c] += static_cast<Wide<W>>(value.word[c]) * row.word[j];
        }
      }
    }
#pragma unroll
    for (unsigned j = 0; j < tile_targets; ++j) {
      if (first + j >= t.targets) break;
      const Modulus<W> b = t.target_moduli[first + j];
      Columns<W> result;
      if (const int copy = t.copies[first + j]; copy >= 0) {
        const Columns<W> x = load(static_cast<std::uint32_t>(copy));
#pragma unroll
        for (unsigned c = 0; c < count; ++c) result.word[c] = t.copy_factors[first + j].multiply(x.word[c], b.value());
      } else {
#pragma unroll
        for (unsigned c = 0; c < count; ++c) result.word[c] = b.reduce_wide(sums[j][c]);
      }
      emit(first + j, result);
    }
  }
}

/// The matrix, in shared memory behind the y of all threads if Shared.
template <bool Shared, class W>
__device__ __forceinline__ const TargetTile<W>* matrix_of(const DeviceConversion<W>& t, TargetTile<W>* memory) {
  if constexpr (!Shared) return t.matrix;
  const std::uint32_t count = (t.targets + tile_targets - 1) / tile_targets * t.sources;
  for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) memory[i] = t.matrix[i];
  return memory;
}

}  // namespace cyclotome::cuda
