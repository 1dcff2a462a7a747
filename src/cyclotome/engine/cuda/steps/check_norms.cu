// SPDX-License-Identifier: Apache-2.0
// NormChecks: what norms.cuh computes, by the threads of one block or of many, and one bit of it to whoever
// asked.
#include <algorithm>
#include <bit>
#include <cooperative_groups.h>

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/grid.cuh"
#include "cyclotome/engine/cuda/state.cuh"
#include "cyclotome/engine/cuda/steps/device_norms.hpp"
#include "cyclotome/engine/cuda/steps/norms.cuh"
#include "cyclotome/engine/cuda/transform/block_transform.cuh"

namespace cyclotome {

namespace cuda {

namespace {

/// The first limbs of polynomials.
template <class W>
struct SmallPolynomials {
  const W* data;
  std::size_t stride;
  std::uint64_t modulus;

  __device__ std::int64_t coefficient(std::uint32_t item, std::uint32_t i) const {
    return centred(data[item * stride + i], modulus);
  }
};

struct ThisBlock {
  unsigned thread = threadIdx.x, threads = blockDim.x;
  __device__ void wait() const { __syncthreads(); }
};

/// The limits, as the bits of doubles, and where the verdicts go.
struct Verdicts {
  std::uint64_t largest, sum;
  std::uint64_t* numbers;  ///< per item

  __device__ void put(std::uint32_t item, double largest_found, double sum_found) const {
    const bool fit = (largest_found <= __longlong_as_double(static_cast<long long>(largest))) &
                     (sum_found <= __longlong_as_double(static_cast<long long>(sum)));
    write_at_once(numbers + item, fit ? 1 : 0);
  }
};

/// Integers, or bits of doubles that are not negative, which are ordered as these are.
using Bits = unsigned long long;

struct Most {
  __device__ static Bits of(Bits a, Bits b) { return a > b ? a : b; }
};
struct Total {
  __device__ static Bits of(Bits a, Bits b) { return a + b; }
};

template <class Operation>
__device__ Bits of_warp(Bits mine) {
#pragma unroll
  for (unsigned lanes = 16; lanes != 0; lanes /= 2) {
    mine = Operation::of(mine, __shfl_xor_sync(0xffffffffu, mine, lanes));
  }
  return mine;
}

/// For the first warp; blocks have whole warps, 32 at most.
template <class Operation>
__device__ Bits of_block(Bits mine) {
  __shared__ Bits found[32];
  mine = of_warp<Operation>(mine);
  if (threadIdx.x % 32 == 0) found[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) mine = of_warp<Operation>(threadIdx.x < blockDim.x / 32 ? found[threadIdx.x] : 0);
  __syncthreads();
  return mine;
}

__device__ Bits bits_of(double x) { return static_cast<Bits>(__double_as_longlong(x)); }
__device__ double double_of(Bits x) { return __longlong_as_double(static_cast<long long>(x)); }

/// Point j of n/2: (a_j + i a_(j + n/2)) exp(i pi j/n). Adds the squares of both.
template <class W>
__device__ Complex twisted(const SmallPolynomials<W>& a, std::uint32_t item, std::uint32_t j, std::uint32_t points,
                           const Complex* roots, Bits& squares) {
  const std::int64_t x = a.coefficient(item, j), y = a.coefficient(item, j + points);
  squares += static_cast<Bits>(x * x + y * y);
  return times({static_cast<double>(x), static_cast<double>(y)}, roots[j]);
}

/// The sum of |a(zeta)|^2 in x^n + 1, where the basis is orthogonal: n times that of the coefficients' squares.
__device__ double negacyclic_sum(Bits squares, unsigned point_bits) {
  return product(static_cast<double>(squares), static_cast<double>(2u << point_bits));
}

/// A block for each item.
template <class W>
__global__ void check_in_one_block(SmallPolynomials<W> a, const Complex* roots, std::uint32_t point_bits,
                                   Verdicts verdicts) {
  extern __shared__ Complex shared[];
  const ThisBlock at;
  const SpacedPoints z{shared};
  const std::uint32_t points = 1u << point_bits, item = blockIdx.x;
  Bits squares = 0;
  for (std::uint32_t j = at.thread; j < points; j += at.threads) z[j] = twisted(a, item, j, points, roots, squares);
  at.wait();
  const Bits largest = of_block<Most>(bits_of(largest_square(z, roots, point_bits, point_bits, point_bits, at)));
  squares = of_block<Total>(squares);
  if (at.thread == 0) verdicts.put(item, double_of(largest), negacyclic_sum(squares, point_bits));
}

/// Three stages of points number c, c + n/16, ..., which begin with the coefficients; puts them into `to(piece)[c]`.
template <class W, class To>
__device__ void first_stages(const SmallPolynomials<W>& a, std::uint32_t item, const Complex* roots,
                             std::uint32_t point_bits, std::uint32_t c, Bits& squares, const To& to) {
  Complex p[8];
#pragma unroll
  for (unsigned t = 0; t < 8; ++t) {
    p[t] = twisted(a, item, c + (t << (point_bits - 3)), 1u << point_bits, roots, squares);
  }
  butterflies<3>(p, roots, point_bits, c, point_bits - 3);
#pragma unroll
  for (unsigned t = 0; t < 8; ++t) to(t) = p[t];
}

/// A cluster of 8 blocks for each item, of which each has an eighth of the coefficients, and then one of the eight
/// pieces that three stages leave. Grid: (8, items).
template <class W>
__global__ void check_in_cluster(SmallPolynomials<W> a, const Complex* roots, std::uint32_t point_bits,
                                 Verdicts verdicts) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ Complex shared[];
  __shared__ Bits found[2][8];  // of all blocks, in the first
  const ThisBlock at;
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const SpacedPoints z{shared};
  const std::uint32_t piece_bits = point_bits - 3, share = 1u << (piece_bits - 3), item = blockIdx.y;
  const unsigned rank = cluster.block_rank();
  Bits squares = 0;
  cluster.sync();  // all have begun: their memory may be written
  for (std::uint32_t i = at.thread; i < share; i += at.threads) {
    const std::uint32_t c = rank * share + i;
    first_stages(a, item, roots, point_bits, c, squares,
                 [&](unsigned t) -> Complex& { return *cluster.map_shared_rank(&z[c], t); });
  }
  cluster.sync();
  const Bits largest = of_block<Most>(bits_of(largest_square(z, roots, point_bits, piece_bits, piece_bits, at)));
  squares = of_block<Total>(squares);
  if (at.thread == 0) {
    *cluster.map_shared_rank(&found[0][rank], 0) = largest;
    *cluster.map_shared_rank(&found[1][rank], 0) = squares;
  }
  cluster.sync();
  if (rank != 0 || at.thread != 0) return;
  Bits most = 0, total = 0;
  for (unsigned block = 0; block < 8; ++block) {
    most = Most::of(most, found[0][block]);
    total += found[1][block];
  }
  verdicts.put(item, double_of(most), negacyclic_sum(total, point_bits));
#else
  missing_body();
#endif
}

/// Without clusters: the first three stages. Grid: (n/16 points, items).
template <class W>
__global__ void begin_norms(SmallPolynomials<W> a, const Complex* roots, std::uint32_t point_bits, Complex* points,
                            Bits* squares) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, item = blockIdx.y;
  Complex* const to = points + (static_cast<std::size_t>(item) << point_bits);
  Bits mine = 0;
  first_stages(a, item, roots, point_bits, c, mine,
               [&](unsigned t) -> Complex& { return to[c + (t << (point_bits - 3))]; });
  mine = of_block<Total>(mine);
  if (threadIdx.x == 0) squares[item * gridDim.x + blockIdx.x] = mine;
}

/// Three stages more, of pieces of 2^piece_bits points.
__global__ void halve_pieces(Complex* points, const Complex* roots, std::uint32_t point_bits,
                             std::uint32_t piece_bits) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, apart_bits = piece_bits - 3;
  const std::uint32_t first = i & ((1u << apart_bits) - 1);
  Complex* const start =
      points + (static_cast<std::size_t>(blockIdx.y) << point_bits) + ((i >> apart_bits) << piece_bits) + first;
  Complex p[8];
#pragma unroll
  for (unsigned t = 0; t < 8; ++t) p[t] = start[t << apart_bits];
  butterflies<3>(p, roots, point_bits, first, apart_bits);
#pragma unroll
  for (unsigned t = 0; t < 8; ++t) start[t << apart_bits] = p[t];
}

/// Grid: (pieces, items). squares: what begin_norms has found, `groups` for each item. The last block of an item has
/// the verdict.
__global__ void check_pieces(const Complex* points, const Complex* roots, std::uint32_t point_bits,
                             std::uint32_t piece_bits, const Bits* squares, std::uint32_t groups, PeakCell* cells,
                             Verdicts verdicts) {
  extern __shared__ Complex shared[];
  const ThisBlock at;
  const SpacedPoints z{shared};
  const std::uint32_t item = blockIdx.y;
  const Complex* const from = points + (static_cast<std::size_t>(item) << point_bits) + (blockIdx.x << piece_bits);
  for (std::uint32_t i = at.thread; i < 1u << piece_bits; i += at.threads) z[i] = from[i];
  at.wait();
  const Bits largest = of_block<Most>(bits_of(largest_square(z, roots, point_bits, piece_bits, piece_bits, at)));
  if (threadIdx.x >= 32) return;
  PeakCell& cell = cells[item];
  unsigned before = 0;
  if (threadIdx.x == 0) {
    atomicMax(&cell.peak, largest);
    __threadfence();
    before = atomicAdd(&cell.blocks, 1u);
  }
  if (__shfl_sync(0xffffffffu, before, 0) + 1 != gridDim.x) return;
  Bits total = 0;
  for (std::uint32_t g = threadIdx.x; g < groups; g += 32) total += squares[item * groups + g];
  total = of_warp<Total>(total);
  if (threadIdx.x != 0) return;
  __threadfence();
  verdicts.put(item, double_of(atomicExch(&cell.peak, 0ull)), negacyclic_sum(total, point_bits));
  cell.blocks = 0;
}

/// Over Phi_m. Grid: (coefficients, items).
template <class W>
__global__ void embed(SmallPolynomials<W> a, Complex* values, std::uint32_t degree) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, item = blockIdx.y;
  if (i >= degree) return;
  values[static_cast<std::size_t>(item) * degree + i] = {static_cast<double>(a.coefficient(item, i)), 0};
}

/// Grid: (groups of lines, items). work: of every block, null if the lines fit into shared memory.
__global__ void convolve(Complex* values, NormAxis axis, std::uint32_t degree, Complex* work) {
  extern __shared__ Complex shared[];
  const ThisBlock at;
  const std::uint32_t padded = 1u << axis.padded_bits, first = blockIdx.x * axis.block_lines;
  const std::uint32_t lines = min(axis.block_lines, axis.lines - first), mine = lines << axis.padded_bits;
  const std::size_t block = blockIdx.y * static_cast<std::size_t>(gridDim.x) + blockIdx.x;
  Complex* const z = work == nullptr ? shared : work + block * (axis.block_lines << axis.padded_bits);
  Complex* const item = values + static_cast<std::size_t>(blockIdx.y) * degree;
  for (std::uint32_t i = at.thread; i < mine; i += at.threads) {
    const std::uint32_t e = i & (padded - 1);
    z[i] = {0, 0};
    if (e < axis.length) z[i] = item[axis.starts[first + (i >> axis.padded_bits)] + axis.offsets[e]];
  }
  at.wait();
  convolve_lines(z, axis, lines, at);
  for (std::uint32_t i = at.thread; i < mine; i += at.threads) {
    const std::uint32_t e = i & (padded - 1);
    if (e < axis.length) item[axis.starts[first + (i >> axis.padded_bits)] + axis.offsets[e]] = z[i];
  }
}

/// A block of norm_sums threads for each item.
template <class W>
__global__ void judge(SmallPolynomials<W> a, const Complex* values, std::uint32_t degree, Verdicts verdicts) {
  constexpr unsigned threads = norm_sums;
  __shared__ double sums[threads];
  const std::uint32_t item = blockIdx.x, thread = threadIdx.x;
  const Complex* const from = values + static_cast<std::size_t>(item) * degree;
  Bits magnitudes = 0, largest = 0;
  double squares = 0;
  for (std::uint32_t i = thread; i < degree; i += threads) {
    const std::int64_t x = a.coefficient(item, i);
    const double here = square(from[i]);
    magnitudes += static_cast<Bits>(x < 0 ? -x : x);
    largest = Most::of(largest, bits_of(here));
    squares = sum(squares, here);
  }
  sums[thread] = squares;
  largest = of_block<Most>(largest);
  magnitudes = of_block<Total>(magnitudes);
#pragma unroll
  for (unsigned half = threads / 2; half != 0; half /= 2) {
    if (thread < half) sums[thread] = sum(sums[thread], sums[thread + half]);
    __syncthreads();
  }
  if (thread != 0) return;
  const auto one = static_cast<double>(magnitudes);
  const double more = product(product(norm_error, one), one);
  verdicts.put(item, sum(double_of(largest), more), sum(sums[0], product(static_cast<double>(degree), more)));
}

/// Points that one block takes, with clusters and without; a thread has eight of them at a time.
constexpr unsigned most_bits_before_clusters = 10, most_bits_of_a_block = 11;
constexpr unsigned begin_threads = 64;
/// Over Phi_m, of a block's lines.
constexpr unsigned block_bits = 9;

unsigned threads_of(unsigned point_bits) { return std::clamp(1u << point_bits >> 3, 32u, 256u); }
std::size_t bytes_of_points(unsigned point_bits) {
  return SpacedPoints::size(std::size_t{1} << point_bits) * sizeof(Complex);
}

template <class W>
SmallPolynomials<W> polynomials(ConstView a) {
  return {static_cast<const W*>(a.data), a.batch == 1 ? 0 : a.batch_stride, a.ring->basis()[0]};
}

std::size_t groups_of_squares(unsigned point_bits) { return (std::size_t{1} << (point_bits - 3)) / begin_threads; }

/// Of x^n + 1 with more points than a block holds, without clusters.
template <class W>
void check_by_pieces(const Queue& queue, ConstView a, const Complex* roots, std::uint32_t point_bits, Complex* points,
                     PeakCell* cells, const Verdicts& verdicts) {
  const auto items = static_cast<unsigned>(a.batch), groups = static_cast<unsigned>(groups_of_squares(point_bits));
  auto* const squares = reinterpret_cast<Bits*>(points + (a.batch << point_bits));
  launch<begin_norms<W>>(queue, dim3(groups, items), begin_threads, 0, 1, "first stages of norms", polynomials<W>(a),
                         roots, point_bits, points, squares);
  std::uint32_t piece_bits = point_bits - 3;
  for (; piece_bits > most_bits_of_a_block; piece_bits -= 3) {
    launch<halve_pieces>(queue, dim3(groups, items), begin_threads, 0, 1, "stages of norms", points, roots, point_bits,
                         piece_bits);
  }
  launch<check_pieces>(queue, dim3(1u << (point_bits - piece_bits), items), threads_of(piece_bits),
                       bytes_of_points(piece_bits), 1, "norms of pieces", points, roots, point_bits, piece_bits,
                       squares, groups, cells, verdicts);
}

}  // namespace

DeviceNorms::DeviceNorms(Upload upload) : upload_(std::move(upload)) {}
DeviceNorms::~DeviceNorms() = default;

Resident<const Complex*> DeviceNorms::half_turn(const NormConstants& constants) {
  const ConstantMemory memory = half_turns_.find(constants.index, [&] {
    return upload_(constants.half_turn.data(), constants.half_turn.size() * sizeof(Complex));
  });
  return {static_cast<const Complex*>(memory.get()), memory};
}

const Resident<std::vector<NormAxis>>& DeviceNorms::axes(const NormConstants& constants) {
  const std::lock_guard lock(mutex_);
  auto& made = axes_[constants.index];
  if (made == nullptr) made = std::make_unique<const Resident<std::vector<NormAxis>>>(make_axes(constants));
  return *made;
}

Resident<std::vector<NormAxis>> DeviceNorms::make_axes(const NormConstants& constants) const {
  Packed packed;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < constants.convolutions.size(); ++i) {
    const CyclotomicIndex::Axis& axis = constants.units->axes()[i];
    const NormConstants::Convolution& convolution = constants.convolutions[i];
    places.insert(places.end(), {packed.add(axis.starts), packed.add(axis.offsets), packed.add(convolution.roots),
                                 packed.add(convolution.kernel)});
  }
  const ConstantMemory memory = upload_(packed.bytes().data(), packed.bytes().size());
  std::vector<NormAxis> made;
  for (std::size_t i = 0; i < constants.convolutions.size(); ++i) {
    const std::size_t* const place = &places[4 * i];
    const NormConstants::Convolution& convolution = constants.convolutions[i];
    const auto bits = static_cast<std::uint32_t>(std::countr_zero(convolution.padded));
    const auto lines = static_cast<std::uint32_t>(constants.units->axes()[i].starts.size());
    made.push_back({at<std::uint32_t>(memory, place[0]), at<std::uint32_t>(memory, place[1]),
                    at<Complex>(memory, place[2]), at<Complex>(memory, place[3]),
                    static_cast<std::uint32_t>(convolution.length), lines, bits,
                    std::min(lines, bits < block_bits ? 1u << (block_bits - bits) : 1u)});
  }
  return {std::move(made), memory};
}

}  // namespace cuda

namespace {

using namespace cuda;

/// Bytes of a block of an axis.
std::size_t line_bytes_of(const NormAxis& axis) {
  return static_cast<std::size_t>(axis.block_lines) * sizeof(Complex) << axis.padded_bits;
}

unsigned groups_of(const NormAxis& axis) { return blocks(axis.lines, axis.block_lines); }

/// Bytes of the lines that a block's memory has no room for.
std::size_t work_bytes(const std::vector<NormAxis>& axes, std::size_t items, std::size_t block_bytes) {
  std::size_t most = 0;
  for (const NormAxis& axis : axes) {
    if (line_bytes_of(axis) > block_bytes) most = std::max(most, items * groups_of(axis) * line_bytes_of(axis));
  }
  return most;
}

template <class W>
void check_cyclotomic(const Queue& queue, ConstView a, const std::vector<NormAxis>& axes, Complex* values,
                      std::size_t block_bytes, const Verdicts& verdicts) {
  const auto degree = static_cast<std::uint32_t>(a.degree()), items = static_cast<std::uint32_t>(a.batch);
  const auto of = polynomials<W>(a);
  launch<embed<W>>(queue, dim3(blocks(degree), items), block_threads, 0, 1, "embedding", of, values, degree);
  for (const NormAxis& axis : axes) {
    const bool fits = line_bytes_of(axis) <= block_bytes;
    launch<convolve>(queue, dim3(groups_of(axis), items), 256, fits ? line_bytes_of(axis) : 0, 1,
                     "values along an axis", values, axis, degree, fits ? nullptr : values + a.batch * a.degree());
  }
  launch<judge<W>>(queue, dim3(items), norm_sums, 0, 1, "norms", of, values, degree, verdicts);
}

}  // namespace

void CudaEngine::check_norms(View numbers, ConstView a, const NormConstants& constants, const NormLimits& limits) {
  if (a.parts != 1 || a.domain != Domain::coefficient || numbers.batch != a.batch || a.batch > max_items) {
    throw ArgumentError(message("check_norms: ", a.batch, " items of ", a.parts, " parts and ", numbers.batch,
                                " numbers; there must be one part, in coefficient domain, a number for each item, and ",
                                max_items, " items at most"));
  }
  const Verdicts verdicts{std::bit_cast<std::uint64_t>(limits.largest), std::bit_cast<std::uint64_t>(limits.sum),
                          static_cast<std::uint64_t*>(numbers.data)};
  const bool cyclotomic = a.ring->kind() == RingKind::cyclotomic;
  const std::uint32_t point_bits = bit_length(a.degree()) - 2;
  const bool clusters = state_->constants.paths.one_pass;
  const bool by_pieces = !cyclotomic && !clusters && point_bits > most_bits_of_a_block;
  const std::vector<NormAxis>* axes = nullptr;
  std::size_t bytes = 0;
  if (cyclotomic) {
    const DeviceScope scope = state_->enter();  // where constants are copied
    axes = &state_->norms.axes(constants).value;
    bytes = a.batch * a.degree() * sizeof(Complex) + work_bytes(*axes, a.batch, state_->block_bytes);
  } else if (by_pieces) {
    bytes = a.batch * ((sizeof(Complex) << point_bits) + groups_of_squares(point_bits) * sizeof(Bits));
  }
  const auto memory = bytes == 0 ? nullptr : allocate(bytes, true);
  void* const data = memory == nullptr ? nullptr : memory->data();
  const Turn turn(*state_, {a.data}, {numbers.data, data});
  auto* const scratch = static_cast<Complex*>(data);
  const auto items = static_cast<unsigned>(a.batch);
  with_word(a.word(), [&]<class W>(W) {
    if (axes != nullptr) {
      return check_cyclotomic<W>(turn.queue(), a, *axes, scratch, state_->block_bytes, verdicts);
    }
    const auto roots = state_->norms.half_turn(constants);
    if (by_pieces) {
      const BlockCells cells = turn.lane().cells;
      return check_by_pieces<W>(turn.queue(), a, roots.value, point_bits, scratch, cells.peaks, verdicts);
    }
    if (clusters && point_bits > most_bits_before_clusters) {
      return launch<check_in_cluster<W>>(turn.queue(), dim3(8, items), threads_of(point_bits - 3),
                                         bytes_of_points(point_bits - 3), 8, "norms", polynomials<W>(a), roots.value,
                                         point_bits, verdicts);
    }
    launch<check_in_one_block<W>>(turn.queue(), dim3(items), threads_of(point_bits), bytes_of_points(point_bits), 1,
                                  "norms", polynomials<W>(a), roots.value, point_bits, verdicts);
  });
}

}  // namespace cyclotome
