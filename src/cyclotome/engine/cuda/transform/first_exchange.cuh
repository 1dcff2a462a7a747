// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "cyclotome/engine/cuda/transform/cluster_exchange.cuh"
#include "cyclotome/engine/cuda/transform/transform_layout.cuh"
#include "cyclotome/engine/cuda/transform/transform_stages.cuh"

namespace cyclotome::cuda {

/// How values go between a transform's first pass and pass 1, which is between the blocks of a cluster: as vectors
/// where the layout lets them.
template <class Layout, class Value>
class FirstExchange {
  static constexpr unsigned values = Layout::values, blocks = Layout::blocks, threads = Layout::threads,
                            first = Layout::first, units = Layout::units, rows = Layout::rows,
                            stages = Layout::exponent(1), rest = Layout::rest_after(1), log_blocks = Layout::log_blocks;
  static constexpr bool aligned = Layout::aligned;

 public:
  using Workspace = ClusterExchange<Value, log_blocks, Layout::local>;

  /// Values of the first pass to the blocks whose rows they are in.
  __device__ static void send_forward(const Value (&v)[values], Workspace& space) {
    if constexpr (aligned) {
      send_pieces(v, space, [](unsigned d, unsigned i) { return at_first(d, i); });
    } else {
      constexpr unsigned column_bits = Layout::log_degree - first;
      using X = typename Layout::template Exchange<0>;
      const unsigned base = X::at(Layout::rank() * units * threads) + X::at(threadIdx.x);
#pragma unroll
      for (unsigned r = 0; r < 1u << first; ++r) {
#pragma unroll
        for (unsigned k = 0; k < units; ++k) {
          space.send(r / rows, base + X::at(r % rows << column_bits) + X::at(k * threads), v[(k << first) + r]);
        }
      }
    }
  }
  /// Values of pass 1 to the blocks whose columns of the first pass they are in: row by row there, a block's columns;
  /// the block's number is in the top bits of r.
  __device__ static void send_back(const Value (&v)[values], Workspace& space) {
    static_assert(stages >= log_blocks);
    if constexpr (aligned) {
      send_pieces(v, space, [](unsigned d, unsigned i) { return at_second(d, i); });
    } else {
      constexpr unsigned columns = 1u << (stages - log_blocks);
      using X = typename Layout::BackExchange;
      const unsigned base =
          X::at(Layout::rank() << (first - log_blocks + Layout::log_segment)) + X::at(spread(threadIdx.x));
#pragma unroll
      for (unsigned r = 0; r < 1u << stages; ++r) {
#pragma unroll
        for (unsigned k = 0; k < values >> stages; ++k) {
          space.send(r / columns, base + X::at(r % columns << rest) + X::at(spread(k * threads)), v[(k << stages) + r]);
        }
      }
    }
  }
  /// What `send_back` has sent, as values of the first pass.
  __device__ static void receive_back(Value (&v)[values], Workspace& space) {
    if constexpr (aligned) {
      load_pieces(v, space, [](unsigned d, unsigned i) { return at_first(d, i); });
    } else {
      using X = typename Layout::BackExchange;
      const Value* const source = space.words() + X::at(threadIdx.x);
#pragma unroll
      for (unsigned k = 0; k < units; ++k) {
#pragma unroll
        for (unsigned r = 0; r < 1u << first; ++r)
          v[(k << first) + r] = source[X::at(r << Layout::log_segment) + X::at(k * threads)];
      }
    }
  }
  /// What `send_forward` has sent as vectors, as values of pass 1. Otherwise they lie as a block's chunk does.
  __device__ static void receive_forward(Value (&v)[values], Workspace& space) {
    static_assert(aligned);
    load_pieces(v, space, [](unsigned d, unsigned i) { return at_second(d, i); });
  }

 private:
  // Where `aligned`. A thread of pass 1 gets from each block rows x units values, as vectors that its words keep apart.
  static constexpr unsigned for_block = values >> log_blocks;
  using Piece = std::conditional_t<for_block * sizeof(Value) == 8, uint2, uint4>;
  static constexpr unsigned of_piece = sizeof(Piece) / sizeof(Value);
  /// Value i for block d of a thread in the first pass, and (back) from it; the same in pass 1.
  static constexpr unsigned at_first(unsigned d, unsigned i) { return (i % units << first) + d * rows + i / units; }
  static constexpr unsigned at_second(unsigned d, unsigned i) { return (i / units << stages) + d * units + i % units; }
  template <class Place>
  __device__ static void send_pieces(const Value (&v)[values], Workspace& space, const Place& place) {
#pragma unroll
    for (unsigned d = 0; d < blocks; ++d) {
#pragma unroll
      for (unsigned i = 0; i < for_block; i += of_piece) {
        union {
          Value value[of_piece];
          Piece bits;
        } piece;
#pragma unroll
        for (unsigned j = 0; j < of_piece; ++j) piece.value[j] = v[place(d, i + j)];
        space.send_vector(d, (i / of_piece * blocks + Layout::rank()) * threads + threadIdx.x, piece.bits);
      }
    }
  }
  template <class Place>
  __device__ static void load_pieces(Value (&v)[values], Workspace& space, const Place& place) {
    const auto* const source = reinterpret_cast<const Piece*>(space.words()) + threadIdx.x;
#pragma unroll
    for (unsigned d = 0; d < blocks; ++d) {
#pragma unroll
      for (unsigned i = 0; i < for_block; i += of_piece) {
        union {
          Piece bits;
          Value value[of_piece];
        } piece;
        piece.bits = source[(i / of_piece * blocks + d) * threads];
#pragma unroll
        for (unsigned j = 0; j < of_piece; ++j) v[place(d, i + j)] = piece.value[j];
      }
    }
  }

  /// Bits of a unit's number in pass 1, group and column, as they lie in one block's columns of the first pass.
  __device__ static constexpr unsigned spread(unsigned unit) {
    return ((unit >> rest) << Layout::log_segment) | (unit & ((1u << rest) - 1));
  }
};

}  // namespace cyclotome::cuda
