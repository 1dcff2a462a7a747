// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cyclotome/engine/cuda/convert.cuh"

namespace cyclotome::cuda {

namespace {

/// This thread's y, and where matrices go in shared memory.
template <class W>
struct Scratch {
  Columns<W>* y;
  TargetTile<W>* matrices;
};

template <class W>
__device__ __forceinline__ Scratch<W> scratch(std::uint32_t sources) {
  extern __shared__ uint4 memory[];
  auto* const y = reinterpret_cast<Columns<W>*>(memory);
  return {y + threadIdx.x, reinterpret_cast<TargetTile<W>*>(y + sources * blockDim.x)};
}

// Grids: (columns, items, shares of the targets).

template <class W, bool Shared>
__global__ void convert_kernel(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ DeviceConversion<W> t,
                               std::uint32_t tiles) {
  const auto [y, matrices] = scratch<W>(t.sources);
  const TargetTile<W>* const matrix = matrix_of<Shared>(t, matrices);
  __syncthreads();
  const std::uint32_t column = first_column<W>(), item = blockIdx.y;
  if (column >= out.degree) return;
  const auto load = [&](std::uint32_t i) { return *columns(a.limb(item, i), column); };
  const Columns<W> wraps = scale_sources(t, y, load);
  spread_to_targets(t, matrix, tiles_of_block(t, tiles), y, wraps, load,
                    [&](std::uint32_t j, Columns<W> value) { *columns(out.limb(item, j), column) = value; });
}

template <class W, bool Shared>
__global__ void divide_kernel(DeviceView<W> out, DeviceView<W> kept, DeviceView<W> dropped,
                              const __grid_constant__ DeviceConversion<W> t, const ShoupFactor<W>* factors,
                              DeviceView<W> addend, std::uint32_t addend_parts, std::uint32_t tiles) {
  const auto [y, matrices] = scratch<W>(t.sources);
  const TargetTile<W>* const matrix = matrix_of<Shared>(t, matrices);
  __syncthreads();
  const std::uint32_t column = first_column<W>(), item = blockIdx.y;
  if (column >= out.degree) return;
  const bool add = addend.data != nullptr && item % out.parts < addend_parts;
  const auto load = [&](std::uint32_t i) { return *columns(dropped.limb(item, i), column); };
  const Columns<W> wraps = scale_sources(t, y, load);
  spread_to_targets(t, matrix, tiles_of_block(t, tiles), y, wraps, load, [&](std::uint32_t j, Columns<W> value) {
    const Modulus<W> q = t.target_moduli[j];
    const Columns<W> x = *columns(kept.limb(item, j), column);
    const Columns<W> z = add ? *columns(addend.limb(item, j), column) : Columns<W>{};
#pragma unroll
    for (unsigned c = 0; c < Columns<W>::count; ++c) {
      value.word[c] = q.add(q.add(value.word[c], factors[j].multiply(x.word[c], q.value())), z.word[c]);
    }
    *columns(out.limb(item, j), column) = value;
  });
}

template <class W, bool Shared>
__global__ void hps_lift_kernel(DeviceView<W> first, DeviceView<W> second, DeviceView<W> a, DeviceView<W> b,
                                const __grid_constant__ DeviceConversion<W> extend,
                                const __grid_constant__ DeviceConversion<W> exchange,
                                const __grid_constant__ DeviceConversion<W> restore, std::uint32_t first_items,
                                std::uint32_t tiles) {
  const auto [y, matrices] = scratch<W>(max(extend.sources, extend.targets));
  const std::uint32_t column = first_column<W>();
  if (blockIdx.y < first_items) {
    const TargetTile<W>* const matrix = matrix_of<Shared>(extend, matrices);
    __syncthreads();
    if (column >= first.degree) return;
    const std::uint32_t item = blockIdx.y;
    const auto load = [&](std::uint32_t i) {
      const Columns<W> x = *columns(a.limb(item, i), column);
      if (blockIdx.z == 0) *columns(first.limb(item, i), column) = x;
      return x;
    };
    const Columns<W> wraps = scale_sources(extend, y, load);
    spread_to_targets(
        extend, matrix, tiles_of_block(extend, tiles), y, wraps, load,
        [&](std::uint32_t j, Columns<W> value) { *columns(first.limb(item, extend.sources + j), column) = value; });
  } else {
    const TargetTile<W>* const matrix = matrix_of<Shared>(exchange, matrices);
    const std::uint32_t all = (exchange.targets + tile_targets - 1) / tile_targets;
    const TargetTile<W>* const back = matrix_of<Shared>(restore, matrices + all * exchange.sources);
    __syncthreads();
    if (column >= second.degree) return;
    const std::uint32_t item = blockIdx.y - first_items;
    // Every block needs all exchanged residues, so every share stores the same ones.
    const auto exchanged = [&](std::uint32_t j) { return columns(second.limb(item, exchange.sources + j), column); };
    const auto load = [&](std::uint32_t i) { return *columns(b.limb(item, i), column); };
    const Columns<W> wraps = scale_sources(exchange, y, load);
    spread_to_targets(exchange, matrix, {0, all}, y, wraps, load,
                      [&](std::uint32_t j, Columns<W> value) { *exchanged(j) = value; });
    const auto load_exchanged = [&](std::uint32_t j) { return *exchanged(j); };
    const Columns<W> wraps_back = scale_sources(restore, y, load_exchanged);
    spread_to_targets(restore, back, tiles_of_block(restore, tiles), y, wraps_back, load_exchanged,
                      [&](std::uint32_t j, Columns<W> value) { *columns(second.limb(item, j), column) = value; });
  }
}

template <class W>
__global__ void scale_to_plain_kernel(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ DeviceConversion<W> t,
                                      const __grid_constant__ DeviceConversion<W> correction) {
  Columns<W>* const y = scratch<W>(t.sources).y;
  const std::uint32_t column = first_column<W>(), item = blockIdx.y;
  if (column >= out.degree) return;
  const auto load = [&](std::uint32_t i) { return *columns(a.limb(item, i), column); };
  const Columns<W> wraps = scale_sources(t, y, load);
  Columns<W> plain{}, gamma{};
  spread_to_targets(t, t.matrix, {0, 1}, y, wraps, load,
                    [&](std::uint32_t j, Columns<W> value) { (j == 0 ? plain : gamma) = value; });
  const auto load_gamma = [&](std::uint32_t) { return gamma; };
  const Columns<W> more = scale_sources(correction, y, load_gamma);
  spread_to_targets(correction, correction.matrix, {0, 1}, y, more, load_gamma, [&](std::uint32_t, Columns<W> value) {
#pragma unroll
    for (unsigned c = 0; c < Columns<W>::count; ++c) {
      value.word[c] = correction.target_moduli[0].add(value.word[c], plain.word[c]);
    }
    *columns(out.limb(item, 0), column) = value;
  });
  for (std::uint32_t i = 0; i < t.sources; ++i) y[i * blockDim.x] = Columns<W>{};  // a trace of the phase
}

template <class W>
std::uint32_t tiles_of(const DeviceConversion<W>& t) {
  return (t.targets + tile_targets - 1) / tile_targets;
}

/// How a kernel is launched: `sources` columns wait in a thread, matrices have `tiles` tiles, of which a block works on
/// `share`.
struct Shape {
  dim3 grid;
  unsigned threads;
  std::size_t bytes;
  bool shared;
  std::uint32_t share;
};

template <class W>
Shape shape(std::uint32_t degree, unsigned items, std::size_t sources, std::size_t matrices, std::uint32_t tiles) {
  constexpr std::size_t limit = 96 * 1024;
  constexpr std::size_t enough_threads = 132 * 1024;
  unsigned threads = std::size_t{degree} * items >= std::size_t{1} << 18 ? 128 : 64;
  while (threads > 32 && threads * sources * 8 > limit / 2) threads /= 2;
  const unsigned per_block = threads * Columns<W>::count, along_x = (degree + per_block - 1) / per_block;
  const std::size_t columns = threads * sources * 8, constants = matrices * sizeof(TargetTile<W>);
  const bool fits = columns + constants <= limit;
  // Few columns: several blocks share a column's targets.
  const std::size_t all_threads = std::size_t{along_x} * items * threads;
  const auto shares = static_cast<std::uint32_t>(std::clamp<std::size_t>(enough_threads / all_threads, 1, tiles));
  const std::uint32_t share = (tiles + shares - 1) / shares;
  return {dim3(along_x, items, (tiles + share - 1) / share), threads, columns + (fits ? constants : 0), fits, share};
}

}  // namespace

template <class W>
void convert(const Queue& queue, DeviceView<W> out, DeviceView<W> a, const DeviceConversion<W>& conversion,
             unsigned items) {
  const std::uint32_t tiles = tiles_of(conversion);
  const Shape s = shape<W>(out.degree, items, conversion.sources, tiles * conversion.sources, tiles);
  const auto run = [&]<bool Shared>() {
    launch<convert_kernel<W, Shared>>(queue, s.grid, s.threads, s.bytes, 1, "base conversion", out, a, conversion,
                                      s.share);
  };
  s.shared ? run.template operator()<true>() : run.template operator()<false>();
}

template <class W>
void divide_and_round(const Queue& queue, DeviceView<W> out, DeviceView<W> kept, DeviceView<W> dropped,
                      const DeviceConversion<W>& conversion, const ShoupFactor<W>* factors, DeviceView<W> addend,
                      std::uint32_t addend_parts, unsigned items) {
  const std::uint32_t tiles = tiles_of(conversion);
  const Shape s = shape<W>(out.degree, items, conversion.sources, tiles * conversion.sources, tiles);
  const auto run = [&]<bool Shared>() {
    launch<divide_kernel<W, Shared>>(queue, s.grid, s.threads, s.bytes, 1, "division with rounding", out, kept, dropped,
                                     conversion, factors, addend, addend_parts, s.share);
  };
  s.shared ? run.template operator()<true>() : run.template operator()<false>();
}

template <class W>
void hps_lift(const Queue& queue, DeviceView<W> first, DeviceView<W> second, DeviceView<W> a, DeviceView<W> b,
              const DeviceConversion<W>& extend, const DeviceConversion<W>& exchange,
              const DeviceConversion<W>& restore, unsigned first_items, unsigned second_items) {
  const std::uint32_t back = tiles_of(restore);
  const Shape s =
      shape<W>(first.degree, first_items + second_items, std::max(extend.sources, extend.targets),
               tiles_of(exchange) * exchange.sources + back * restore.sources, std::max(back, tiles_of(extend)));
  const auto run = [&]<bool Shared>() {
    launch<hps_lift_kernel<W, Shared>>(queue, s.grid, s.threads, s.bytes, 1, "lift", first, second, a, b, extend,
                                       exchange, restore, first_items, s.share);
  };
  s.shared ? run.template operator()<true>() : run.template operator()<false>();
}

template <class W>
void scale_to_plain(const Queue& queue, DeviceView<W> out, DeviceView<W> a, const DeviceConversion<W>& scale,
                    const DeviceConversion<W>& correction, unsigned items) {
  const Shape s = shape<W>(out.degree, items, scale.sources, 0, 1);
  launch<scale_to_plain_kernel<W>>(queue, s.grid, s.threads, s.bytes, 1, "decryption", out, a, scale, correction);
}

#define CYCLOTOME_INSTANTIATE(W)                                                                                       \
  template void convert(const Queue&, DeviceView<W>, DeviceView<W>, const DeviceConversion<W>&, unsigned);             \
  template void divide_and_round(const Queue&, DeviceView<W>, DeviceView<W>, DeviceView<W>,                            \
                                 const DeviceConversion<W>&, const ShoupFactor<W>*, DeviceView<W>, std::uint32_t,      \
                                 unsigned);                                                                            \
  template void hps_lift(const Queue&, DeviceView<W>, DeviceView<W>, DeviceView<W>, DeviceView<W>,                     \
                         const DeviceConversion<W>&, const DeviceConversion<W>&, const DeviceConversion<W>&, unsigned, \
                         unsigned);                                                                                    \
  template void scale_to_plain(const Queue&, DeviceView<W>, DeviceView<W>, const DeviceConversion<W>&,                 \
                               const DeviceConversion<W>&, unsigned);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
