// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cyclotome/engine/cuda/conversion/conversion_bytes.cuh"
#include "cyclotome/engine/cuda/conversion/conversion_staging.cuh"
#include "cyclotome/engine/cuda/conversion/convert_by_bytes.cuh"
#include "cyclotome/engine/cuda/conversion/device_warp.cuh"

namespace cyclotome::cuda {

namespace {

using W = std::uint32_t;
template <unsigned Steps>
using Warps = ByteColumns<DeviceWarp, Steps>;

constexpr unsigned byte_threads = 128, byte_block = byte_threads / 32 * Warps<1>::columns;

// Grids: (blocks of warps, items).

/// First coefficient of this warp; degrees are multiples of what a warp has.
__device__ __forceinline__ std::uint32_t warp_column() {
  return (blockIdx.x * byte_threads + threadIdx.x) / 32 * Warps<1>::columns;
}

/// Coefficient c of limb i, from a warp's first one.
struct LoadFrom {
  const W* from;
  std::uint32_t degree;
  __device__ __forceinline__ W operator()(unsigned i, unsigned c) const { return from[std::size_t{i} * degree + c]; }
};
struct StoreTo {
  W* to;
  std::uint32_t degree;
  __device__ __forceinline__ void operator()(unsigned j, unsigned c, const Columns<W, 8>& value) const {
    *columns<8>(to + std::size_t{j} * degree + c, 0) = value;
  }
};

template <unsigned Steps>
__global__ void __launch_bounds__(byte_threads)
    convert_bytes_kernel(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ ColumnConversion<W> t,
                         TargetGap gap) {
  let_next_start();
  const std::uint32_t column = warp_column(), degree = out.degree;
  if (column >= degree) return;
  const Item item(blockIdx.y, out.parts);
  wait_for_previous();
  typename Warps<Steps>::Words y;
  Warps<Steps>::fetch(y, t, LoadFrom{item.in(a) + column, degree});
  Warps<Steps>::scale(t, y);
  const StoreTo store{item.in(out) + column, degree};
  Warps<Steps>::spread(t, y, [&](unsigned j, unsigned c, const Columns<W, 8>& value) {
    store(j + (j >= gap.first ? gap.limbs : 0), c, value);
  });
}

template <unsigned Steps, bool Added>
__global__ void __launch_bounds__(byte_threads)
    divide_bytes_kernel(DeviceView<W> out, DeviceView<W> kept, DeviceView<W> dropped,
                        const __grid_constant__ ColumnConversion<W> t, const ShoupFactor<W>* factors,
                        DeviceView<W> addend, std::uint32_t addend_parts) {
  let_next_start();
  const std::uint32_t column = warp_column(), degree = out.degree;
  if (column >= degree) return;
  const Item item(blockIdx.y, out.parts);
  wait_for_previous();
  typename Warps<Steps>::Words y;
  Warps<Steps>::fetch(y, t, LoadFrom{item.in(dropped) + column, degree});
  Warps<Steps>::scale(t, y);
  const StoreTo store{item.in(out) + column, degree};
  W* const from = item.in(kept) + column;
  W* const added = Added && item.part < addend_parts ? item.in(addend) + column : nullptr;
  Warps<Steps>::spread(t, y, [&](unsigned j, unsigned c, Columns<W, 8> value) {
    const std::size_t place = std::size_t{j} * degree + c;
    const Columns<W, 8> x = *columns<8>(from + place, 0);
    Columns<W, 8> z{};
    if (Added && added != nullptr) z = *columns<8>(added + place, 0);
    const W p = t.byte_sums[j].modulus;
    const ShoupFactor<W> factor = factors[j];
#pragma unroll
    for (unsigned e = 0; e < 2; ++e) {
      // Below 2 p, p and p; p is below 2^30.
      W sum = factor.operand * x.word[e] - multiply_high(factor.quotient, x.word[e]) * p + value.word[e] + z.word[e];
      sum = min(sum, sum - 2 * p);
      value.word[e] = min(sum, sum - p);
    }
    store(j, c, value);
  });
}

template <unsigned Steps>
__global__ void __launch_bounds__(byte_threads)
    lift_bytes_kernel(DeviceView<W> first, DeviceView<W> second, DeviceView<W> a, DeviceView<W> b,
                      const __grid_constant__ ColumnConversion<W> extend,
                      const __grid_constant__ ColumnConversion<W> exchange,
                      const __grid_constant__ ColumnConversion<W> restore, std::uint32_t first_items) {
  let_next_start();
  const std::uint32_t column = warp_column(), degree = first.degree;
  if (column >= degree) return;
  typename Warps<Steps>::Words y;
  if (blockIdx.y < first_items) {
    const Item item(blockIdx.y, first.parts);
    wait_for_previous();
    const LoadFrom load{item.in(a) + column, degree};
    W* const to = item.in(first) + column;
    Warps<Steps>::fetch(y, extend, [&](unsigned i, unsigned c) {
      const W x = load(i, c);
      to[std::size_t{i} * degree + c] = x;
      return x;
    });
    Warps<Steps>::scale(extend, y);
    Warps<Steps>::spread(extend, y, StoreTo{to + std::size_t{extend.sources} * degree, degree});
  } else {
    const Item item(blockIdx.y - first_items, second.parts);
    wait_for_previous();
    W* const to = item.in(second) + column;
    W* const stored = to + std::size_t{exchange.sources} * degree;
    Warps<Steps>::fetch(y, exchange, LoadFrom{item.in(b) + column, degree});
    Warps<Steps>::scale(exchange, y);
    Warps<Steps>::spread(exchange, y, StoreTo{stored, degree});
    __syncwarp();  // its lanes have stored what its others fetch now
    Warps<Steps>::fetch(y, restore, LoadFrom{stored, degree});
    Warps<Steps>::scale(restore, y);
    Warps<Steps>::spread(restore, y, StoreTo{to, degree});
  }
}

/// Calls body.template operator()<Steps>(grid) where there is a kernel for so many steps.
template <class Body>
bool with_steps(std::uint32_t steps, std::uint32_t degree, unsigned items, const Body& body) {
  if (steps == 0 || degree % Warps<1>::columns != 0) return false;
  const dim3 grid((degree + byte_block - 1) / byte_block, items);
  if (steps <= 2) {
    body.template operator()<2>(grid);
  } else if (steps <= 4) {
    body.template operator()<4>(grid);
  } else {
    body.template operator()<6>(grid);
  }
  return true;
}

}  // namespace

bool convert_by_bytes(const Queue& queue, DeviceView<W> out, DeviceView<W> a, const ColumnConversion<W>& conversion,
                      unsigned items, TargetGap gap) {
  return with_steps(conversion.byte_steps, out.degree, items, [&]<unsigned Steps>(dim3 grid) {
    launch<convert_bytes_kernel<Steps>, Start::early>(queue, grid, byte_threads, 0, 1, "base conversion", out, a,
                                                      conversion, gap);
  });
}

bool divide_by_bytes(const Queue& queue, DeviceView<W> out, DeviceView<W> kept, DeviceView<W> dropped,
                     const ColumnConversion<W>& conversion, const ShoupFactor<W>* factors, DeviceView<W> addend,
                     std::uint32_t addend_parts, unsigned items) {
  return with_steps(conversion.byte_steps, out.degree, items, [&]<unsigned Steps>(dim3 grid) {
    const auto run = [&]<bool Added>() {
      launch<divide_bytes_kernel<Steps, Added>, Start::early>(queue, grid, byte_threads, 0, 1, "division with rounding",
                                                              out, kept, dropped, conversion, factors, addend,
                                                              addend_parts);
    };
    addend.data != nullptr&& addend_parts > 0 ? run.template operator()<true>() : run.template operator()<false>();
  });
}

bool hps_lift_by_bytes(const Queue& queue, DeviceView<W> first, DeviceView<W> second, DeviceView<W> a, DeviceView<W> b,
                       const ColumnConversion<W>& extend, const ColumnConversion<W>& exchange,
                       const ColumnConversion<W>& restore, unsigned first_items, unsigned second_items) {
  if (extend.byte_steps == 0 || exchange.byte_steps == 0 || restore.byte_steps == 0) return false;
  const std::uint32_t steps = std::max({extend.byte_steps, exchange.byte_steps, restore.byte_steps});
  return with_steps(steps, first.degree, first_items + second_items, [&]<unsigned Steps>(dim3 grid) {
    launch<lift_bytes_kernel<Steps>, Start::early>(queue, grid, byte_threads, 0, 1, "lift", first, second, a, b, extend,
                                                   exchange, restore, first_items);
  });
}

}  // namespace cyclotome::cuda
