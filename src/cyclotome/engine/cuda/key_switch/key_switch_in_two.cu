// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/key_switch/key_switch_digits.cuh"
#include "cyclotome/engine/cuda/key_switch/key_switch_in_two.cuh"
#include "cyclotome/engine/cuda/key_switch/side_by_side.cuh"

namespace cyclotome::cuda {

namespace {

/// One limb of one extended digit, transformed; arrived: of a SumDivision, to be cleared, or null. Grid: (blocks of the
/// transform, items and digits, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads)
    extend_kernel(const __grid_constant__ KeySwitchLaunch<typename T::W> work, DeviceView<typename T::W> extended,
                  std::uint32_t* arrived) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  const std::uint32_t item = blockIdx.y / work.digit_count, d = blockIdx.y % work.digit_count, l = blockIdx.z;
  const LimbTables<W>& t = work.tables->limb[l];
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  typename T::Workspace space(memory);
  const typename T::Arithmetic m(t);
  wait_for_previous();
  if (arrived != nullptr && d == 0 && l == 0 && threadIdx.x < 2) {
    arrived[(2 * item + threadIdx.x) * T::blocks + T::rank()] = 0;
  }
  typename T::Value v[T::values];
  transform_digit<T>(v, work, item, d, l, space, t, m);
  W words[T::values];
  to_canonical<T>(words, v, m);
  T::settle(words, space);
  store_transform<T>(words, extended.limb(item, d, l));
#else
  missing_body();
#endif
}

/// The sum over digits for one limb of one part.
template <class T>
__device__ __forceinline__ void sum_digits(typename T::Value (&v)[T::values],
                                           const KeySwitchLaunch<typename T::W>& work,
                                           const DeviceView<typename T::W>& extended, std::uint32_t item,
                                           std::uint32_t part, std::uint32_t l, const typename T::Arithmetic& m) {
  using W = typename T::W;
  // So many digits' loads are under way at a time.
  constexpr std::uint32_t ahead = T::threads > 256 ? 1 : 256 / (T::values * sizeof(W));
  Vector<typename T::Value> sums[T::vectors] = {};
  for (std::uint32_t start = 0; start < work.digit_count; start += ahead) {
    Vectors<T> digits[ahead], key[ahead];
#pragma unroll
    for (std::uint32_t k = 0; k < ahead; ++k) {
      if (start + k >= work.digit_count) break;
      digits[k].load(extended.limb(item, start + k, l));
      key[k].load_once(work.key.limb(start + k, part, l));
    }
#pragma unroll
    for (std::uint32_t k = 0; k < ahead; ++k) {
      if (start + k >= work.digit_count) break;
#pragma unroll
      for (unsigned i = 0; i < T::values; ++i) v[i] = m.value(digits[k].at[i / T::wide].word[i % T::wide]);
      add_products<T>([&](unsigned i) -> auto& { return sums[i]; }, v, key[k], start + k, m);
    }
  }
#pragma unroll
  for (unsigned i = 0; i < T::vectors; ++i) sums[i].store(v + i * T::wide);
}

/// One limb of one part of the sum over digits; the last limbs first, whose digits were written last. Grid:
/// (blocks of the transform, items and parts, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads)
    sum_kernel(const __grid_constant__ KeySwitchLaunch<typename T::W> work, DeviceView<typename T::W> extended) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  const std::uint32_t item = blockIdx.y / 2, part = blockIdx.y % 2, l = gridDim.z - 1 - blockIdx.z;
  const LimbTables<W>& t = work.tables->limb[l];
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  typename T::Workspace space(memory);
  const typename T::Arithmetic m(t);
  wait_for_previous();
  typename T::Value v[T::values];
  sum_digits<T>(v, work, extended, item, part, l, m);
  store_sum<T>(v, work.out.limb(item, part, l), space, t, m, l < work.inverse_limbs);
#else
  missing_body();
#endif
}

/// The correction of the limbs modulo P for limb l, in the first pass' order, once the blocks that store them have
/// told.
template <class T>
__device__ __forceinline__ void load_correction(typename T::W (&words)[T::values], const typename T::W* dropped,
                                                const ColumnConversion<typename T::W>& t,
                                                const LimbCorrection<typename T::W>& limb) {
  using W = typename T::W;
  const auto load = [&](W(&x)[max_divided], unsigned i) {
#pragma unroll
    for (unsigned k = 0; k < max_divided; ++k) {
      if (k < t.sources) x[k] = __ldcg(dropped + T::first_index() + k * T::degree + first_offset<T>(i));
    }
  };
  W x[T::values][max_divided];
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) load(x[i], i);
  std::uint32_t open = 0;
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) {
    bool is_open = false;
    words[i] = limb.correction(t, x[i], is_open);
    open |= is_open ? 1u << i : 0;
  }
#pragma unroll 1
  for (; open != 0; open &= open - 1) {  // once in some 2^20 coefficients: as few instructions as can be
    const unsigned i = __ffs(static_cast<int>(open)) - 1;
    W y[max_divided], result = 0;
    load(y, i);
#pragma unroll
    for (unsigned k = 0; k < T::values; ++k) result = k == i ? words[k] : result;
    result = limb.settled(t, y, result);
#pragma unroll
    for (unsigned k = 0; k < T::values; ++k) words[k] = k == i ? result : words[k];
  }
}

/// A sum and its division, of transforms: limbs modulo P end as coefficients, for which blocks of the others wait. All
/// limbs have one arithmetic.
template <class T>
__global__ void __launch_bounds__(T::threads)
    divided_sum_kernel(const __grid_constant__ KeySwitchLaunch<typename T::W> work, DeviceView<typename T::W> extended,
                       const __grid_constant__ SumDivision<typename T::W> division) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  const TicketedGrid::Place place = division.grid.template take<T::blocks>();
  const std::uint32_t item = place.y / 2, part = place.y % 2, l = place.z;
  const LimbTables<W>& t = work.tables->limb[l];
  let_next_start();
  typename T::Workspace space(memory);
  const typename T::Arithmetic m(t);
  const bool divides = l >= division.special;
  const std::uint32_t target = divides ? l - division.special : 0;
  const LimbCorrection<W> limb(division.correction, target);
  wait_for_previous();
  std::uint32_t* const arrived = division.arrived + place.y * T::blocks + T::rank();
  typename T::Value v[T::values];
  sum_digits<T>(v, work, extended, item, part, l, m);
  if (!divides) {
    store_sum<T>(v, work.out.limb(item, part, l), space, t, m, true);
    tell(arrived);
    return;
  }
  W kept[T::values], addend[T::values] = {}, words[T::values];
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) kept[i] = m.residue(v[i], t);
  if (part < division.addend_parts) load_transform<T>(addend, division.addend.limb(item, part, target));
  await(arrived, division.special);
  load_correction<T>(words, work.out.limb(item, part, 0), division.correction, limb);
  to_values<T>(v, words, m);
  T::forward(v, space, t, m);
  to_canonical<T>(words, v, m);
  T::settle(words, space);
  const Modulus<W> q = t.modulus;
  const ShoupFactor<W> factor = division.factors[target];
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) {
    words[i] = q.add(q.add(factor.multiply(kept[i], q.value()), words[i]), addend[i]);
  }
  store_transform<T>(words, division.out.limb(item, part, target));
#else
  missing_body();
#endif
}

/// division: none if it is null.
template <class W>
bool run(const Queue& queue, const KeySwitchLaunch<W>& work, DeviceView<W> extended, LimbArithmetics arithmetics,
         const SumDivision<W>* division) {
  const auto body = [&]<class T>() {
    static_assert(T::blocks <= max_limb_blocks);
    constexpr std::size_t bytes = T::shared_bytes;
    const dim3 digits(T::blocks, work.items * work.digit_count, work.limbs),
        sums(T::blocks, 2 * work.items, work.limbs);
    const auto extend = [&]<Start When>() {
      launch<extend_kernel<T>, When>(queue, digits, T::threads, bytes, T::blocks, "extension of digits", work, extended,
                                     division == nullptr ? nullptr : division->arrived);
    };
    if (division == nullptr) {
      extend.template operator()<behind_conversions<T>>();
      launch<sum_kernel<T>, Start::early>(queue, sums, T::threads, bytes, T::blocks, "key switch", work, extended);
    } else {
      if (work.converted.data != nullptr) {
        extend.template operator()<behind_conversions<T>>();
      } else {
        extend.template operator()<Start::early>();
      }
      launch<divided_sum_kernel<T>, Start::early>(queue, sums, T::threads, bytes, T::blocks, "key switch", work,
                                                  extended, *division);
    }
  };
  return queue.one_pass && for_arithmetics<W>(arithmetics, [&]<class A>() {
           return with_transform_side_by_side<A>(log_degree(work), body);
         });
}

}  // namespace

template <class W>
bool key_switch_in_two(const Queue& queue, const KeySwitchLaunch<W>& work, DeviceView<W> extended,
                       LimbArithmetics arithmetics) {
  return run<W>(queue, work, extended, arithmetics, nullptr);
}

template <class W>
bool divided_key_switch(const Queue& queue, const KeySwitchLaunch<W>& work, DeviceView<W> extended,
                        LimbArithmetics arithmetics, const SumDivision<W>& division) {
  return run<W>(queue, work, extended, arithmetics, &division);
}

#define CYCLOTOME_INSTANTIATE(W)                                                                            \
  template bool key_switch_in_two(const Queue&, const KeySwitchLaunch<W>&, DeviceView<W>, LimbArithmetics); \
  template bool divided_key_switch(const Queue&, const KeySwitchLaunch<W>&, DeviceView<W>, LimbArithmetics, \
                                   const SumDivision<W>&);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
