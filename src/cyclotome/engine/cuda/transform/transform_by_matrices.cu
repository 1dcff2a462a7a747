// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/conversion/device_warp.cuh"
#include "cyclotome/engine/cuda/phi_m/matrix_operands.cuh"
#include "cyclotome/engine/cuda/phi_m/prime_factor.cuh"
#include "cyclotome/engine/cuda/transform/transform.cuh"

namespace cyclotome::cuda {

namespace {

/// The block's part of the limb.
template <class Plan>
class DeviceSpace {
 public:
  using Exchange = ClusterExchange<std::uint32_t, std::bit_width(Plan::blocks) - 1, Plan::local>;
  static constexpr std::size_t bytes = Exchange::barrier_bytes + Plan::local * sizeof(std::uint32_t);

  __device__ explicit DeviceSpace(uint4* memory) : exchange(memory) {}
  __device__ __forceinline__ Quad& quads(unsigned i) const { return reinterpret_cast<Quad*>(exchange.words())[i]; }
  __device__ __forceinline__ void send(unsigned block, unsigned i, const Quad& quad) const {
    exchange.send_vector(block, i, quad);
  }

  Exchange exchange;
};

/// Grid: (blocks of a limb, limbs, items). from(item, limb) and to(item, limb) say how a limb is fetched and kept
/// (matrix_operands.cuh).
template <class Plan, class From, class To>
__global__ void __launch_bounds__(Plan::threads, Plan::resident_blocks)
    by_matrices(From from, To to, const PrimeFactorLimb<std::uint32_t>* limbs, std::uint32_t direction) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 memory[];
  let_next_start();
  if (!from.has(blockIdx.z, blockIdx.y)) return;
  using Space = DeviceSpace<Plan>;
  Space space(memory);
  const unsigned rank = Plan::blocks == 1 ? 0 : blockIdx.x;
  const MatrixTransform<Plan, DeviceWarp, Space> transform(*limbs[blockIdx.y].matrices[direction], space, rank,
                                                           threadIdx.x / 32);
  const auto source = from(blockIdx.z, blockIdx.y);
  wait_for_previous();
  DeviceWarp::Quads<4> x[Plan::tasks];
  transform.load(x, source);
  space.exchange.arrive();
  space.exchange.wait();
  transform.first(x);
  space.exchange.receive();
  transform.second();
  __syncthreads();
  transform.third();
  __syncthreads();
  transform.fourth(to(blockIdx.z, blockIdx.y));
#else
  missing_body();
#endif
}

/// Threads that a multiprocessor holds, which leaves each so many registers.
template <class From, class To>
inline constexpr unsigned resident_threads = 768;

/// Blocks of a limb, tasks at once and registers: what an H100 likes best (doc/gpu-notes.md).
template <unsigned Resident, class Body>
void with_plan(std::uint32_t rows, const Body& body) {
  switch (rows) {
    case 1:
      return body.template operator()<MatrixPlan<1, 0>>();
    case 2:
      return body.template operator()<MatrixPlan<2, 2>>();
    case 4:
      return body.template operator()<MatrixPlan<4, 2, 1, Resident>>();
    default:
      return body.template operator()<MatrixPlan<8, 3, 1, Resident>>();
  }
}

template <class From, class To>
void run(const Queue& queue, const From& from, const To& to, unsigned limbs, unsigned items,
         const PrimeFactorRing<std::uint32_t>& ring, Direction direction) {
  with_plan<resident_threads<From, To>>(ring.matrix_rows, [&]<class Plan>() {
    launch<by_matrices<Plan, From, To>, Start::early>(queue, dim3(Plan::blocks, limbs, items), Plan::threads,
                                                      DeviceSpace<Plan>::bytes, Plan::blocks, "transform", from, to,
                                                      ring.limbs, static_cast<std::uint32_t>(direction));
  });
}

}  // namespace

void transform_by_matrices(const Queue& queue, DeviceView<std::uint32_t> out, DeviceView<std::uint32_t> a,
                           unsigned limbs, unsigned items, const PrimeFactorRing<std::uint32_t>& ring,
                           Direction direction) {
  run(queue, FromResidues{a}, ToResidues{out}, limbs, items, ring, direction);
}

void transform_by_matrices(const Queue& queue, const FromDigits& digits, unsigned limbs, unsigned items,
                           const PrimeFactorRing<std::uint32_t>& ring) {
  run(queue, digits, ToResidues{digits.a}, limbs, items, ring, Direction::to_transform);
}

void divide_by_matrices(const Queue& queue, const ToQuotients& out, DeviceView<std::uint32_t> correction,
                        unsigned limbs, unsigned items, const PrimeFactorRing<std::uint32_t>& ring) {
  run(queue, FromResidues{correction}, out, limbs, items, ring, Direction::to_transform);
}

void divide_by_matrices(const Queue& queue, const ToQuotients& out, const FromLift& dropped, unsigned limbs,
                        unsigned items, const PrimeFactorRing<std::uint32_t>& ring) {
  run(queue, dropped, out, limbs, items, ring, Direction::to_transform);
}

}  // namespace cyclotome::cuda
