// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cyclotome/engine/cuda/conversion/conversion_launch.cuh"
#include "cyclotome/engine/cuda/conversion/conversion_staging.cuh"
#include "cyclotome/engine/cuda/conversion/convert.cuh"
#include "cyclotome/engine/cuda/conversion/convert_by_bytes.cuh"
#include "cyclotome/engine/cuda/conversion/plain_scale.cuh"

namespace cyclotome::cuda {

namespace {

/// The share of this block along z, of `each` tiles.
template <class W>
__device__ __forceinline__ TileRange tiles_of_block(const ColumnConversion<W>& t, std::uint32_t each) {
  return {min(blockIdx.z * each, t.tiles()), min((blockIdx.z + 1) * each, t.tiles())};
}

struct Ignore {
  template <class X>
  __device__ void operator()(std::uint32_t, const X&) const {}
};

extern __shared__ uint4 shared_memory[];

// Grids: (columns, items, shares of the targets).

template <class W, class V, Count How, class Peaks>
__global__ void __launch_bounds__(V::threads)
    convert_kernel(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ ColumnConversion<W> constants,
                   std::uint32_t tiles, Peaks peaks) {
  constexpr unsigned bytes = V::bytes;
  let_next_start();
  SharedMemory memory(shared_memory);
  const ColumnConversion<W> t = stage<V>(constants, memory);
  auto* const y = take_columns<V, W>(memory, t.sources);
  const std::uint32_t column = first_column<W, bytes>(), degree = out.degree;
  const bool inside = column < degree;
  const Item item(blockIdx.y, out.parts);
  W* const from = item.in(a) + column;
  W* const to = item.in(out) + column;
  wait_for_previous();
  if (inside) fetch<V>(y, from, degree, t.sources);
  arrive();
  typename Peaks::template Found<W> peak{};
  if (inside) {
    const auto wraps = scale_sources<How, V::threads>(t, y, Ignore{}, peak);
    const auto emit = [&](std::uint32_t j, const Columns<W, bytes>& value) { store_columns(to, degree, j, value); };
    if (t.copies) {
      const auto source = [&](std::uint32_t i) { return *columns<bytes>(from + std::size_t{i} * degree, 0); };
      spread_to_targets<V::threads, V::staged>(t, tiles_of_block(t, tiles), y, wraps,
                                               CopyAddend<W, bytes, decltype(source)>{t, source}, emit);
    } else {
      spread_to_targets<V::threads, V::staged>(t, tiles_of_block(t, tiles), y, wraps, NoAddend{}, emit);
    }
    // No trace of what may be a phase.
    for (std::uint32_t i = 0; i < t.sources; ++i) y[i * V::threads] = Columns<W, bytes>{};
  }
  peaks.template report<V::threads>(blockIdx.y, peak.value(t.exact[0]));
}

template <class W, class V>
__global__ void __launch_bounds__(V::threads)
    convert_public_kernel(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ ColumnConversion<W> constants,
                          std::uint32_t tiles, TargetGap gap) {
  constexpr unsigned bytes = V::bytes;
  let_next_start();
  SharedMemory memory(shared_memory);
  const ColumnConversion<W> t = stage<V>(constants, memory);
  auto* const y = take_columns<V, W>(memory, t.sources);
  const std::uint32_t column = first_column<W, bytes>(), degree = out.degree;
  const bool inside = column < degree;
  const Item item(blockIdx.y, out.parts);
  W* const to = item.in(out) + column;
  wait_for_previous();
  if (inside) fetch<V>(y, item.in(a) + column, degree, t.sources);
  arrive();
  if (!inside) return;
  const auto wraps = scale_sources<Count::quickly, V::threads>(t, y, Ignore{});
  spread_to_targets<V::threads, V::staged>(t, tiles_of_block(t, tiles), y, wraps, NoAddend{},
                                           [&](std::uint32_t j, const Columns<W, bytes>& value) {
                                             store_columns(to, degree, j + (j >= gap.first ? gap.limbs : 0), value);
                                           });
}

template <class W, class V, bool Added>
__global__ void __launch_bounds__(V::threads)
    divide_kernel(DeviceView<W> out, DeviceView<W> kept, DeviceView<W> dropped,
                  const __grid_constant__ ColumnConversion<W> constants, const ShoupFactor<W>* factors,
                  DeviceView<W> addend, std::uint32_t addend_parts, std::uint32_t tiles) {
  constexpr unsigned bytes = V::bytes;
  let_next_start();
  SharedMemory memory(shared_memory);
  const ColumnConversion<W> t = stage<V>(constants, memory);
  auto* const y = take_columns<V, W>(memory, t.sources);
  auto* const products = memory.take<Term<W>>(t.targets);
  const std::uint32_t column = first_column<W, bytes>(), degree = out.degree;
  const bool inside = column < degree;
  const Item item(blockIdx.y, out.parts);
  for (std::uint32_t j = threadIdx.x; j < t.targets; j += V::threads) {
    products[j] = quotient_factor(factors[j], constants.target[j].modulus, t.divides);
  }
  wait_for_previous();
  if (inside) fetch<V>(y, item.in(dropped) + column, degree, t.sources);
  W* const to = item.in(out) + column;
  W* const added = Added && item.part < addend_parts ? item.in(addend) + column : nullptr;
  const QuotientAddend<W, bytes, Added> quotient{t, products, item.in(kept) + column, added, degree};
  arrive();
  if (!inside) return;
  const auto wraps = scale_sources<Count::quickly, V::threads>(t, y, Ignore{});
  spread_to_targets<V::threads, V::staged>(
      t, tiles_of_block(t, tiles), y, wraps, quotient,
      [&](std::uint32_t j, const Columns<W, bytes>& value) { store_columns(to, degree, j, value); });
}

template <class W, class V>
__global__ void __launch_bounds__(V::threads)
    hps_lift_kernel(DeviceView<W> first, DeviceView<W> second, DeviceView<W> a, DeviceView<W> b,
                    const __grid_constant__ ColumnConversion<W> extend_constants,
                    const __grid_constant__ ColumnConversion<W> exchange_constants,
                    const __grid_constant__ ColumnConversion<W> restore_constants, std::uint32_t first_items,
                    std::uint32_t tiles) {
  constexpr unsigned bytes = V::bytes;
  let_next_start();
  SharedMemory memory(shared_memory);
  const std::uint32_t column = first_column<W, bytes>();
  if (blockIdx.y < first_items) {
    const ColumnConversion<W> extend = stage<V>(extend_constants, memory);
    auto* const y = take_columns<V, W>(memory, extend.sources);
    const std::uint32_t degree = first.degree;
    const bool inside = column < degree;
    const Item item(blockIdx.y, first.parts);
    wait_for_previous();
    if (inside) fetch<V>(y, item.in(a) + column, degree, extend.sources);
    W* const to = item.in(first) + column;
    arrive();
    if (!inside) return;
    const bool copy = blockIdx.z == 0;
    const auto wraps =
        scale_sources<Count::quickly, V::threads>(extend, y, [&](std::uint32_t i, const Columns<W, bytes>& x) {
          if (copy) store_columns(to, degree, i, x);
        });
    W* const extended = to + std::size_t{extend.sources} * degree;
    spread_to_targets<V::threads, V::staged>(
        extend, tiles_of_block(extend, tiles), y, wraps, NoAddend{},
        [&](std::uint32_t j, const Columns<W, bytes>& value) { store_columns(extended, degree, j, value); });
  } else {
    const ColumnConversion<W> exchange = stage<V>(exchange_constants, memory);
    const ColumnConversion<W> restore = stage<V>(restore_constants, memory);
    auto* const y = take_columns<V, W>(memory, exchange.sources);
    auto* const exchanged = take_columns<V, W>(memory, restore.sources);
    const std::uint32_t degree = second.degree;
    const bool inside = column < degree;
    const Item item(blockIdx.y - first_items, second.parts);
    wait_for_previous();
    if (inside) fetch<V>(y, item.in(b) + column, degree, exchange.sources);
    W* const to = item.in(second) + column;
    arrive();
    if (!inside) return;
    const auto wraps = scale_sources<Count::quickly, V::threads>(exchange, y, Ignore{});
    // Every block needs all exchanged residues; one share stores them.
    W* const stored = to + std::size_t{exchange.sources} * degree;
    const bool keep = blockIdx.z == 0;
    spread_to_targets<V::threads, V::staged>(exchange, {0, exchange.tiles()}, y, wraps, NoAddend{},
                                             [&](std::uint32_t j, const Columns<W, bytes>& value) {
                                               exchanged[j * V::threads] = value;
                                               if (keep) store_columns(stored, degree, j, value);
                                             });
    const auto wraps_back = scale_sources<Count::quickly, V::threads>(restore, exchanged, Ignore{});
    spread_to_targets<V::threads, V::staged>(
        restore, tiles_of_block(restore, tiles), exchanged, wraps_back, NoAddend{},
        [&](std::uint32_t j, const Columns<W, bytes>& value) { store_columns(to, degree, j, value); });
  }
}

constexpr unsigned plain_threads = 64;

/// Grid: (columns, items).
template <class W, unsigned Bytes, bool Divides, class Peaks>
__global__ void __launch_bounds__(plain_threads)
    scale_to_plain_kernel(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ ColumnConversion<W> t,
                          const __grid_constant__ ColumnConversion<W> correction, Peaks peaks) {
  let_next_start();
  const std::uint32_t column = first_column<W, Bytes>(), degree = out.degree;
  const Item item(blockIdx.y, out.parts);
  W* const from = item.in(a) + column;
  wait_for_previous();
  typename Peaks::template Found<W> peak{};
  if (column < degree) {
    const auto load = [&](std::uint32_t i) { return *columns<Bytes>(from + std::size_t{i} * degree, 0); };
    const auto plain = scaled_to_plain<Divides, W, Bytes>(t, correction, load, peak);
    store_columns(item.in(out) + column, degree, 0, plain);
  }
  peaks.template report<plain_threads>(blockIdx.y, peak.value(correction.exact[0]));
}

}  // namespace

template <class W>
void convert(const Queue& queue, DeviceView<W> out, DeviceView<W> a, const ColumnConversion<W>& conversion,
             unsigned items, PeakOutput peaks) {
  const Work work{out.degree,
                  items,
                  conversion.sources,
                  conversion.constant_bytes(),
                  0,
                  conversion.tiles(),
                  conversion.divides,
                  queue.multiprocessors};
  with_variant<W>(queue, work, [&]<class V>(const Shape& s) {
    const auto run = [&]<Count How>(auto reported) {
      launch<convert_kernel<W, V, How, decltype(reported)>, Start::early>(
          queue, s.grid, V::threads, s.bytes, 1, "base conversion", out, a, conversion, s.share, reported);
    };
    if (!conversion.centred) {
      run.template operator()<Count::nothing>(NoPeaks{});
    } else if (peaks.peaks == nullptr) {
      run.template operator()<Count::exactly>(NoPeaks{});
    } else {
      run.template operator()<Count::exactly>(peaks);
    }
  });
}

template <class W>
void convert_public(const Queue& queue, DeviceView<W> out, DeviceView<W> a, const ColumnConversion<W>& conversion,
                    unsigned items, TargetGap gap) {
  if constexpr (sizeof(W) == 4) {
    if (conversion.sources >= fewest_byte_sources && convert_by_bytes(queue, out, a, conversion, items, gap)) return;
  }
  const Work work{out.degree,
                  items,
                  conversion.sources,
                  conversion.constant_bytes(),
                  0,
                  conversion.tiles(),
                  conversion.divides,
                  queue.multiprocessors};
  with_variant<W>(queue, work, [&]<class V>(const Shape& s) {
    launch<convert_public_kernel<W, V>, Start::early>(queue, s.grid, V::threads, s.bytes, 1, "base conversion", out, a,
                                                      conversion, s.share, gap);
  });
}

template <class W>
void divide_and_round(const Queue& queue, DeviceView<W> out, DeviceView<W> kept, DeviceView<W> dropped,
                      const ColumnConversion<W>& conversion, const ShoupFactor<W>* factors, DeviceView<W> addend,
                      std::uint32_t addend_parts, unsigned items) {
  if constexpr (sizeof(W) == 4) {
    if (conversion.sources >= fewest_byte_sources &&
        divide_by_bytes(queue, out, kept, dropped, conversion, factors, addend, addend_parts, items)) {
      return;
    }
  }
  const Work work{out.degree,
                  items,
                  conversion.sources,
                  conversion.constant_bytes(),
                  (conversion.targets * sizeof(W) + 15) / 16 * 16,
                  conversion.tiles(),
                  conversion.divides,
                  queue.multiprocessors};
  with_variant<W>(queue, work, [&]<class V>(const Shape& s) {
    const auto run = [&]<bool Added>() {
      launch<divide_kernel<W, V, Added>, Start::early>(queue, s.grid, V::threads, s.bytes, 1, "division with rounding",
                                                       out, kept, dropped, conversion, factors, addend, addend_parts,
                                                       s.share);
    };
    addend.data != nullptr&& addend_parts > 0 ? run.template operator()<true>() : run.template operator()<false>();
  });
}

template <class W>
void hps_lift(const Queue& queue, DeviceView<W> first, DeviceView<W> second, DeviceView<W> a, DeviceView<W> b,
              const ColumnConversion<W>& extend, const ColumnConversion<W>& exchange,
              const ColumnConversion<W>& restore, unsigned first_items, unsigned second_items) {
  if constexpr (sizeof(W) == 4) {
    if (lifts_by_bytes(exchange.sources, first.degree, first_items + second_items, queue.multiprocessors) &&
        hps_lift_by_bytes(queue, first, second, a, b, extend, exchange, restore, first_items, second_items)) {
      return;
    }
  }
  const Work work{first.degree,
                  first_items + second_items,
                  exchange.sources + restore.sources,
                  exchange.constant_bytes() + restore.constant_bytes(),
                  0,
                  std::max(extend.tiles(), restore.tiles()),
                  extend.divides && exchange.divides && restore.divides,
                  queue.multiprocessors};
  with_variant<W>(queue, work, [&]<class V>(const Shape& s) {
    launch<hps_lift_kernel<W, V>, Start::early>(queue, s.grid, V::threads, s.bytes, 1, "lift", first, second, a, b,
                                                extend, exchange, restore, first_items, s.share);
  });
}

template <class W>
void scale_to_plain(const Queue& queue, DeviceView<W> out, DeviceView<W> a, const ColumnConversion<W>& scale,
                    const ColumnConversion<W>& correction, unsigned items, PeakOutput peaks) {
  const auto launched = [&]<unsigned Bytes, bool Divides>(auto reported) {
    constexpr unsigned per_block = plain_threads * Columns<W, Bytes>::count;
    launch<scale_to_plain_kernel<W, Bytes, Divides, decltype(reported)>, Start::early>(
        queue, dim3((out.degree + per_block - 1) / per_block, items), plain_threads, 0, 1, "decryption", out, a, scale,
        correction, reported);
  };
  const auto run = [&]<unsigned Bytes, bool Divides>() {
    if (peaks.peaks == nullptr) {
      launched.template operator()<Bytes, Divides>(NoPeaks{});
    } else {
      launched.template operator()<Bytes, Divides>(peaks);
    }
  };
  const bool many = out.degree % Columns<W, 16>::count == 0 &&
                    std::size_t{out.degree} * items * sizeof(W) >= std::size_t{queue.multiprocessors} * 512 * 16;
  if (!scale.divides || !correction.divides) {
    run.template operator()<8, false>();
  } else if (many) {
    run.template operator()<16, true>();
  } else {
    run.template operator()<8, true>();
  }
}

#define CYCLOTOME_INSTANTIATE(W)                                                                                       \
  template void convert(const Queue&, DeviceView<W>, DeviceView<W>, const ColumnConversion<W>&, unsigned, PeakOutput); \
  template void convert_public(const Queue&, DeviceView<W>, DeviceView<W>, const ColumnConversion<W>&, unsigned,       \
                               TargetGap);                                                                             \
  template void divide_and_round(const Queue&, DeviceView<W>, DeviceView<W>, DeviceView<W>,                            \
                                 const ColumnConversion<W>&, const ShoupFactor<W>*, DeviceView<W>, std::uint32_t,      \
                                 unsigned);                                                                            \
  template void hps_lift(const Queue&, DeviceView<W>, DeviceView<W>, DeviceView<W>, DeviceView<W>,                     \
                         const ColumnConversion<W>&, const ColumnConversion<W>&, const ColumnConversion<W>&, unsigned, \
                         unsigned);                                                                                    \
  template void scale_to_plain(const Queue&, DeviceView<W>, DeviceView<W>, const ColumnConversion<W>&,                 \
                               const ColumnConversion<W>&, unsigned, PeakOutput);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
