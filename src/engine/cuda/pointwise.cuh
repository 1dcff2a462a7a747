// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/device_view.cuh"

// Kernels that work coefficient by coefficient: grid (coefficients, limbs, items).
namespace cyclotome::cuda {

template <class W, class Operation>
__global__ void pointwise(DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, const __grid_constant__ Moduli<W> moduli,
                          Operation operation) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= out.degree) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z;
  W* const x = out.limb(item, l) + c;
  *x = operation(moduli.q[l], *x, a.limb(item, l)[c], b.limb(item, l)[c]);
}

struct Copy {
  template <class W>
  __device__ W operator()(const Modulus<W>&, W, W a, W) const {
    return a;
  }
};
struct Add {
  template <class W>
  __device__ W operator()(const Modulus<W>& q, W, W a, W b) const {
    return q.add(a, b);
  }
};
struct Subtract {
  template <class W>
  __device__ W operator()(const Modulus<W>& q, W, W a, W b) const {
    return q.subtract(a, b);
  }
};
struct Negate {
  template <class W>
  __device__ W operator()(const Modulus<W>& q, W, W a, W) const {
    return q.negate(a);
  }
};
struct Multiply {
  template <class W>
  __device__ W operator()(const Modulus<W>& q, W, W a, W b) const {
    return q.multiply(a, b);
  }
};
struct MultiplyAccumulate {
  template <class W>
  __device__ W operator()(const Modulus<W>& q, W x, W a, W b) const {
    return q.add(x, q.multiply(a, b));
  }
};

/// One Shoup factor for each limb.
template <class W>
struct Factors {
  ShoupFactor<W> factor[max_limbs];
};

template <class W>
__global__ void multiply_scalars(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ Moduli<W> moduli,
                                 const __grid_constant__ Factors<W> factors) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= out.degree) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z;
  out.limb(item, l)[c] = factors.factor[l].multiply(a.limb(item, l)[c], moduli.q[l].value());
}

/// Coefficients: x^i -> x^(i element), so coefficient e comes from i = e element^-1 modulo 2n, with the sign of x^n =
/// -1.
template <class W>
__global__ void automorphism_coefficients(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ Moduli<W> moduli,
                                          std::uint32_t inverse) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, n = out.degree;
  if (c >= n) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z, source = (c * inverse) & (2 * n - 1);
  const W value = a.limb(item, l)[source & (n - 1)];
  out.limb(item, l)[c] = source < n ? value : moduli.q[l].negate(value);
}

/// Transforms: position k holds the value at psi^(2 br(k) + 1).
template <class W>
__global__ void automorphism_transform(DeviceView<W> out, DeviceView<W> a, std::uint32_t element, unsigned bits) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, n = out.degree;
  if (c >= n) return;
  const std::uint32_t exponent = ((2 * (__brev(c) >> (32 - bits)) + 1) * element) & (2 * n - 1);
  out.limb(blockIdx.z, blockIdx.y)[c] = a.limb(blockIdx.z, blockIdx.y)[__brev(exponent >> 1) >> (32 - bits)];
}

/// sum over j of digits.part(j) * key[j]; lazy: products that fit the double word.
template <class W>
__global__ void key_switch_product(DeviceView<W> out, DeviceView<W> digits, DeviceView<W> key,
                                   const __grid_constant__ Moduli<W> moduli, std::uint32_t digit_count,
                                   std::uint32_t lazy) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= out.degree) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z, b = item / out.parts, p = item % out.parts;
  const Modulus<W> q = moduli.q[l];
  Wide<W> sum = 0;
  for (std::uint32_t j = 0; j < digit_count; ++j) {
    if (j != 0 && j % lazy == 0) sum = q.reduce_wide(sum);
    sum += static_cast<Wide<W>>(digits.limb(b * digit_count + j, l)[c]) * key.limb(j * out.parts + p, l)[c];
  }
  out.limb(item, l)[c] = q.reduce_wide(sum);
}

/// out[row] = sum over columns of matrix[l][row][column] a[column].
template <class W>
__global__ void linear_combination(DeviceView<W> out, DeviceView<W> a, const __grid_constant__ Moduli<W> moduli,
                                   const W* matrix, std::uint32_t rows, std::uint32_t columns, std::uint32_t lazy) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= out.degree) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z, row = item / out.parts, p = item % out.parts;
  const Modulus<W> q = moduli.q[l];
  const W* const factors = matrix + (static_cast<std::size_t>(l) * rows + row) * columns;
  Wide<W> sum = 0;
  for (std::uint32_t k = 0; k < columns; ++k) {
    if (k != 0 && k % lazy == 0) sum = q.reduce_wide(sum);
    sum += static_cast<Wide<W>>(a.limb(k * out.parts + p, l)[c]) * factors[k];
  }
  out.limb(item, l)[c] = q.reduce_wide(sum);
}

}  // namespace cyclotome::cuda
