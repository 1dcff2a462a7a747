// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "cyclotome/engine/cuda/limb_access.cuh"
#include "cyclotome/engine/cuda/products.cuh"
#include "cyclotome/engine/cuda/transform.cuh"
#include "cyclotome/engine/cuda/transform_plans.cuh"

namespace cyclotome::cuda {

namespace {

/// The residue modulo target l of a digit of `Sources` primes (0: as many as it has) at one coefficient; x: load(i).
template <unsigned Sources, class W, class Load>
__device__ __forceinline__ W extended(const DeviceConversion<W>& t, const TargetTile<W>* row, unsigned j, W negative,
                                      const Modulus<W>& b, const Load& load) {
  const unsigned sources = Sources == 0 ? t.sources : Sources;
  std::uint64_t fractions = std::uint64_t{1} << (fraction_bits - 1);
  Wide<W> sum = 0;
  W value = 0;
  const auto add_source = [&](unsigned i) {
    const Modulus<W> q = t.source_moduli[i];
    value = t.punctured_inverses[i].multiply(load(i), q.value());
    if (Sources != 1) fractions += fraction(value, t.reciprocals[i], q.bits());
    sum += static_cast<Wide<W>>(value) * row[i].word[j];
  };
  if constexpr (Sources == 0) {
    const std::uint32_t step = t.step();
    for (unsigned i = 0; i < sources; ++i) {
      if (i != 0 && i % step == 0) sum = b.reduce_wide(sum);
      add_source(i);
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < Sources; ++i) add_source(i);
  }
  const W wraps = Sources == 1 ? static_cast<W>(value >= t.source_moduli[0].value() - value)
                               : static_cast<W>(fractions >> fraction_bits);
  return b.reduce_wide(sum + static_cast<Wide<W>>(wraps) * negative);
}

template <unsigned Sources, class T>
__device__ __forceinline__ void load_extended(typename T::W (&v)[T::values], const DeviceConversion<typename T::W>& t,
                                              const typename T::W* digit, std::uint32_t l,
                                              const Modulus<typename T::W>& b) {
  using W = typename T::W;
  const TargetTile<W>* const row = t.matrix + l / tile_targets * t.sources;
  const unsigned j = l % tile_targets;
  const W negative = t.negative_wraps[l];
#pragma unroll
  for (unsigned k = 0; k < T::values >> T::first; ++k) {
#pragma unroll
    for (unsigned r = 0; r < 1u << T::first; ++r) {
      const W* const x = digit + T::first_index(k, r);
      v[(k << T::first) + r] =
          extended<Sources>(t, row, j, negative, b, [&](unsigned i) { return x[std::size_t{i} * T::degree]; });
    }
  }
}

/// One limb of one key switch: for each digit its extension to this limb, the transform and two products added up, then
/// perhaps two transforms back. Grid: (blocks of the transform, items, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads, T::threads > 256 ? 1 : 512 / T::threads)
    key_switch_kernel(DeviceView<typename T::W> out, DeviceView<typename T::W> c, DeviceView<typename T::W> key,
                      const DeviceDigit<typename T::W>* digits, std::uint32_t digit_count, std::uint32_t lazy_products,
                      std::uint32_t inverse_limbs, const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  W* const exchange = reinterpret_cast<W*>(memory);
  const std::uint32_t item = blockIdx.y, l = blockIdx.z;
  const LimbTables<W>& t = tables->limb[l];
  const Modulus<W> modulus = t.modulus;
  const W q = modulus.value();
  W v[T::values];
  Wide<W> sums[2][T::values];
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) sums[0][i] = sums[1][i] = 0;
#pragma unroll 1
  for (std::uint32_t d = 0; d < digit_count; ++d) {
    const DeviceConversion<W> extension = digits[d].extension;
    const W* const digit = c.limb(item, digits[d].first_limb);
    if (const int copy = extension.copies[l]; copy >= 0) {
      load_coefficients<T>(v, digit + static_cast<std::size_t>(copy) * T::degree);
    } else if (extension.sources == 1) {
      load_extended<1, T>(v, extension, digit, l, modulus);
    } else if (sizeof(W) == 4 && extension.sources == 2) {
      load_extended<2, T>(v, extension, digit, l, modulus);
    } else if (sizeof(W) == 4 && extension.sources == 3) {
      load_extended<3, T>(v, extension, digit, l, modulus);
    } else if (sizeof(W) == 4 && extension.sources == 4) {
      load_extended<4, T>(v, extension, digit, l, modulus);
    } else {
      load_extended<0, T>(v, extension, digit, l, modulus);
    }
    T::forward(v, exchange, t.roots, q, d != 0);
    make_canonical<T>(v, q);
    if (d != 0 && d % lazy_products == 0) {
#pragma unroll
      for (unsigned i = 0; i < T::values; ++i) {
        sums[0][i] = modulus.reduce_wide(sums[0][i]);
        sums[1][i] = modulus.reduce_wide(sums[1][i]);
      }
    }
#pragma unroll
    for (unsigned part = 0; part < 2; ++part) {
      W factors[T::values];
      load_transform<T>(factors, key.limb(2 * d + part, l));
#pragma unroll
      for (unsigned i = 0; i < T::values; ++i) sums[part][i] += static_cast<Wide<W>>(v[i]) * factors[i];
    }
  }
#pragma unroll
  for (unsigned part = 0; part < 2; ++part) {
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) v[i] = modulus.reduce_wide(sums[part][i]);
    W* const limb = out.limb(2 * item + part, l);
    if (l < inverse_limbs) {
      T::inverse(v, exchange, t, q, true);
      store_coefficients<T>(v, limb);
    } else {
      store_transform<T>(v, limb);
    }
  }
#endif
}

template <class W, Plan P>
bool run(const Queue& queue, DeviceView<W> out, DeviceView<W> c, DeviceView<W> key, const DeviceDigit<W>* digits,
         std::uint32_t digit_count, std::uint32_t lazy_products, std::uint32_t inverse_limbs, unsigned limbs,
         unsigned items, const RingTables<W>* tables) {
  return with_transform<W, P, 16>(static_cast<unsigned>(std::bit_width(out.degree) - 1), [&]<class T>() {
    launch<key_switch_kernel<T>>(queue, dim3(T::blocks, items, limbs), T::threads, T::shared_words * sizeof(W),
                                 T::blocks, "key switch", out, c, key, digits, digit_count, lazy_products,
                                 inverse_limbs, tables);
  });
}

}  // namespace

template <class W>
bool key_switch_product(const Queue& queue, DeviceView<W> out, DeviceView<W> c, DeviceView<W> key,
                        const DeviceDigit<W>* digits, std::uint32_t digit_count, std::uint32_t lazy_products,
                        std::uint32_t inverse_limbs, unsigned limbs, unsigned items, const RingTables<W>* tables) {
  if (!queue.one_pass) return false;
  return few_values(std::size_t{out.degree} * limbs * items)
             ? run<W, Plan::fused_latency>(queue, out, c, key, digits, digit_count, lazy_products, inverse_limbs, limbs,
                                           items, tables)
             : run<W, Plan::fused>(queue, out, c, key, digits, digit_count, lazy_products, inverse_limbs, limbs, items,
                                   tables);
}

#define CYCLOTOME_INSTANTIATE(W)                                                                                     \
  template bool key_switch_product(const Queue&, DeviceView<W>, DeviceView<W>, DeviceView<W>, const DeviceDigit<W>*, \
                                   std::uint32_t, std::uint32_t, std::uint32_t, unsigned, unsigned,                  \
                                   const RingTables<W>*);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
