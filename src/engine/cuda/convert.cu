// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/convert.cuh"

namespace cyclotome::cuda {

namespace {

template <class W>
__global__ void convert_kernel(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ DeviceConversion<W> t,
                               bool shared) {
  extern __shared__ uint4 memory[];
  auto* const y = reinterpret_cast<Columns<W>*>(memory) + threadIdx.x;
  const TargetTile<W>* const matrix =
      shared_matrix(t, reinterpret_cast<Columns<W>*>(memory) + t.sources * blockDim.x, shared);
  __syncthreads();
  const std::uint32_t column = first_column<W>(), item = blockIdx.y;
  if (column >= out.degree) return;
  const auto load = [&](std::uint32_t i) { return *columns(a.limb(item, i), column); };
  const Columns<W> wraps = scale_sources(t, y, load);
  spread_to_targets(t, matrix, y, wraps, load,
                    [&](std::uint32_t j, Columns<W> value) { *columns(out.limb(item, j), column) = value; });
}

template <class W>
__global__ void divide_kernel(DeviceView<W> out, DeviceView<W> kept, DeviceView<W> dropped,
                              const __grid_constant__ DeviceConversion<W> t, const ShoupFactor<W>* factors,
                              DeviceView<W> addend, std::uint32_t addend_parts, bool shared) {
  extern __shared__ uint4 memory[];
  auto* const y = reinterpret_cast<Columns<W>*>(memory) + threadIdx.x;
  const TargetTile<W>* const matrix =
      shared_matrix(t, reinterpret_cast<Columns<W>*>(memory) + t.sources * blockDim.x, shared);
  __syncthreads();
  const std::uint32_t column = first_column<W>(), item = blockIdx.y;
  if (column >= out.degree) return;
  const bool add = addend.data != nullptr && item % out.parts < addend_parts;
  const auto load = [&](std::uint32_t i) { return *columns(dropped.limb(item, i), column); };
  const Columns<W> wraps = scale_sources(t, y, load);
  spread_to_targets(t, matrix, y, wraps, load, [&](std::uint32_t j, Columns<W> value) {
    const Modulus<W> q = t.target_moduli[j];
    const Columns<W> x = *columns(kept.limb(item, j), column);
#pragma unroll
    for (unsigned c = 0; c < Columns<W>::count; ++c) {
      value.word[c] = q.add(value.word[c], factors[j].multiply(x.word[c], q.value()));
    }
    if (add) {
      const Columns<W> z = *columns(addend.limb(item, j), column);
#pragma unroll
      for (unsigned c = 0; c < Columns<W>::count; ++c) value.word[c] = q.add(value.word[c], z.word[c]);
    }
    *columns(out.limb(item, j), column) = value;
  });
}

template <class W>
__global__ void hps_lift_kernel(DeviceView<W> first, DeviceView<W> second, DeviceView<W> a, DeviceView<W> b,
                                const __grid_constant__ DeviceConversion<W> extend,
                                const __grid_constant__ DeviceConversion<W> exchange,
                                const __grid_constant__ DeviceConversion<W> restore, std::uint32_t first_items,
                                bool shared) {
  extern __shared__ uint4 memory[];
  auto* const y = reinterpret_cast<Columns<W>*>(memory) + threadIdx.x;
  auto* const z = y + extend.sources * blockDim.x;
  auto* const constants = reinterpret_cast<Columns<W>*>(memory) + (extend.sources + extend.targets) * blockDim.x;
  const std::uint32_t column = first_column<W>();
  if (blockIdx.y < first_items) {
    const TargetTile<W>* const matrix = shared_matrix(extend, constants, shared);
    __syncthreads();
    if (column >= first.degree) return;
    const std::uint32_t item = blockIdx.y;
    const auto load = [&](std::uint32_t i) {
      const Columns<W> x = *columns(a.limb(item, i), column);
      *columns(first.limb(item, i), column) = x;
      return x;
    };
    const Columns<W> wraps = scale_sources(extend, y, load);
    spread_to_targets(extend, matrix, y, wraps, load, [&](std::uint32_t j, Columns<W> value) {
      *columns(first.limb(item, extend.sources + j), column) = value;
    });
  } else {
    const TargetTile<W>* const matrix = shared_matrix(exchange, constants, shared);
    const std::uint32_t tiles = (exchange.targets + tile_targets - 1) / tile_targets * exchange.sources;
    const TargetTile<W>* const back =
        shared_matrix(restore, reinterpret_cast<TargetTile<W>*>(constants) + tiles, shared);
    __syncthreads();
    if (column >= second.degree) return;
    const std::uint32_t item = blockIdx.y - first_items;
    const auto load = [&](std::uint32_t i) { return *columns(b.limb(item, i), column); };
    const Columns<W> wraps = scale_sources(exchange, y, load);
    spread_to_targets(exchange, matrix, y, wraps, load, [&](std::uint32_t j, Columns<W> value) {
      *columns(second.limb(item, exchange.sources + j), column) = value;
      z[j * blockDim.x] = value;
    });
    const auto exchanged = [&](std::uint32_t i) { return z[i * blockDim.x]; };
    const Columns<W> wraps_back = scale_sources(restore, z, exchanged);
    spread_to_targets(restore, back, z, wraps_back, exchanged,
                      [&](std::uint32_t j, Columns<W> value) { *columns(second.limb(item, j), column) = value; });
  }
}

template <class W>
__global__ void scale_to_plain_kernel(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ DeviceConversion<W> t,
                                      const __grid_constant__ DeviceConversion<W> correction) {
  extern __shared__ uint4 memory[];
  auto* const y = reinterpret_cast<Columns<W>*>(memory) + threadIdx.x;
  const std::uint32_t column = first_column<W>(), item = blockIdx.y;
  if (column >= out.degree) return;
  const auto load = [&](std::uint32_t i) { return *columns(a.limb(item, i), column); };
  const Columns<W> wraps = scale_sources(t, y, load);
  Columns<W> plain{}, gamma{};
  spread_to_targets(t, t.matrix, y, wraps, load,
                    [&](std::uint32_t j, Columns<W> value) { (j == 0 ? plain : gamma) = value; });
  const auto load_gamma = [&](std::uint32_t) { return gamma; };
  const Columns<W> more = scale_sources(correction, y, load_gamma);
  spread_to_targets(correction, correction.matrix, y, more, load_gamma, [&](std::uint32_t, Columns<W> value) {
#pragma unroll
    for (unsigned c = 0; c < Columns<W>::count; ++c) {
      value.word[c] = correction.target_moduli[0].add(value.word[c], plain.word[c]);
    }
    *columns(out.limb(item, 0), column) = value;
  });
  for (std::uint32_t i = 0; i < t.sources; ++i) y[i * blockDim.x] = Columns<W>{};  // a trace of the phase
}

/// Threads and shared memory for `per_thread` columns in a thread, and matrices of `tiles` tiles.
struct Shape {
  unsigned threads;
  std::size_t bytes;
  bool matrix_in_shared;
};

template <class W>
Shape shape(std::uint32_t degree, unsigned items, std::size_t per_thread, std::size_t tiles) {
  constexpr std::size_t limit = 96 * 1024;
  unsigned threads = std::size_t{degree} * items >= std::size_t{1} << 18 ? 128 : 64;
  while (threads > 32 && threads * per_thread * 8 > limit / 2) threads /= 2;
  const std::size_t columns = threads * per_thread * 8, matrices = tiles * sizeof(TargetTile<W>);
  const bool fits = columns + matrices <= limit;
  return {threads, columns + (fits ? matrices : 0), fits};
}

template <class W>
std::size_t tiles_of(const DeviceConversion<W>& t) {
  return (t.targets + tile_targets - 1) / tile_targets * t.sources;
}

template <class W>
dim3 grid(const Shape& s, std::uint32_t degree, unsigned items) {
  const unsigned per_block = s.threads * Columns<W>::count;
  return dim3((degree + per_block - 1) / per_block, items);
}

}  // namespace

template <class W>
void convert(const Queue& queue, DeviceView<W> out, DeviceView<W> a, const DeviceConversion<W>& conversion,
             unsigned items) {
  const Shape s = shape<W>(out.degree, items, conversion.sources, tiles_of(conversion));
  launch<convert_kernel<W>>(queue, grid<W>(s, out.degree, items), s.threads, s.bytes, 1, "base conversion", out, a,
                            conversion, s.matrix_in_shared);
}

template <class W>
void divide_and_round(const Queue& queue, DeviceView<W> out, DeviceView<W> kept, DeviceView<W> dropped,
                      const DeviceConversion<W>& conversion, const ShoupFactor<W>* factors, DeviceView<W> addend,
                      std::uint32_t addend_parts, unsigned items) {
  const Shape s = shape<W>(out.degree, items, conversion.sources, tiles_of(conversion));
  launch<divide_kernel<W>>(queue, grid<W>(s, out.degree, items), s.threads, s.bytes, 1, "division with rounding", out,
                           kept, dropped, conversion, factors, addend, addend_parts, s.matrix_in_shared);
}

template <class W>
void hps_lift(const Queue& queue, DeviceView<W> first, DeviceView<W> second, DeviceView<W> a, DeviceView<W> b,
              const DeviceConversion<W>& extend, const DeviceConversion<W>& exchange,
              const DeviceConversion<W>& restore, unsigned first_items, unsigned second_items) {
  const unsigned items = first_items + second_items;
  const Shape s =
      shape<W>(first.degree, items, extend.sources + extend.targets, tiles_of(exchange) + tiles_of(restore));
  launch<hps_lift_kernel<W>>(queue, grid<W>(s, first.degree, items), s.threads, s.bytes, 1, "lift", first, second, a, b,
                             extend, exchange, restore, first_items, s.matrix_in_shared);
}

template <class W>
void scale_to_plain(const Queue& queue, DeviceView<W> out, DeviceView<W> a, const DeviceConversion<W>& scale,
                    const DeviceConversion<W>& correction, unsigned items) {
  const Shape s = shape<W>(out.degree, items, scale.sources, 0);
  launch<scale_to_plain_kernel<W>>(queue, grid<W>(s, out.degree, items), s.threads, s.bytes, 1, "decryption", out, a,
                                   scale, correction);
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
