// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/device_view.cuh"
#include "cyclotome/ring/base_conversion.hpp"

namespace cyclotome::cuda {

/// A base conversion's constants on the device.
template <class W>
struct DeviceConversion {
  const ShoupFactor<W>* punctured_inverses;  // [source]
  const std::uint64_t* reciprocals;          // [source]
  const Modulus<W>* source_moduli;           // [source]
  const W* matrix;                           // [target][source]
  const W* negative_wraps;                   // [target]
  const ShoupFactor<W>* copy_factors;        // [target]
  const Modulus<W>* target_moduli;           // [target]
  const int* copies;                         // [target]
  std::uint32_t sources, targets, lazy_terms;
  bool centred;
};

/// One thread a coefficient: its y_i wait in shared memory, y[i][thread]. Grid: (coefficients, 1, items).
template <class W>
__global__ void convert(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ DeviceConversion<W> t) {
  extern __shared__ unsigned char memory[];
  W* const y = reinterpret_cast<W*>(memory) + threadIdx.x;
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, item = blockIdx.z, stride = blockDim.x;
  if (c >= out.degree) return;
  std::uint64_t fractions = std::uint64_t{1} << (fraction_bits - 1);
  for (std::uint32_t i = 0; i < t.sources; ++i) {
    const Modulus<W> q = t.source_moduli[i];
    const W value = t.punctured_inverses[i].multiply(a.limb(item, i)[c], q.value());
    y[i * stride] = value;
    if (t.centred) fractions += fraction(value, t.reciprocals[i], q.bits());
  }
  W wraps = 0;
  if (t.centred) {
    wraps = static_cast<W>(fractions >> fraction_bits);
    if (t.sources == 1) wraps = static_cast<W>(y[0] >= t.source_moduli[0].value() - y[0]);
  }
  const std::uint32_t step = t.lazy_terms > 2 ? t.lazy_terms - 2 : 1;
  for (std::uint32_t j = 0; j < t.targets; ++j) {
    const Modulus<W> b = t.target_moduli[j];
    if (const int copy = t.copies[j]; copy >= 0) {
      out.limb(item, j)[c] = t.copy_factors[j].multiply(a.limb(item, static_cast<std::uint32_t>(copy))[c], b.value());
      continue;
    }
    Wide<W> sum = static_cast<Wide<W>>(wraps) * t.negative_wraps[j];
    for (std::uint32_t i = 0; i < t.sources; ++i) {
      if (i != 0 && i % step == 0) sum = b.reduce_wide(sum);
      sum += static_cast<Wide<W>>(y[i * stride]) * t.matrix[j * t.sources + i];
    }
    out.limb(item, j)[c] = b.reduce_wide(sum);
  }
}

}  // namespace cyclotome::cuda
