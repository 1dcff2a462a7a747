// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/conversion.cuh"
#include "cyclotome/engine/cuda/tables.cuh"

// Kernels that work coefficient by coefficient: grid (coefficients, limbs, items).
namespace cyclotome::cuda {

template <class W, class Operation>
__global__ void pointwise(DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, const RingTables<W>* tables,
                          Operation operation) {
  let_next_start();
  wait_for_previous();
  const std::uint32_t column = first_column<W>();
  if (column >= out.degree) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z;
  const Modulus<W> q = tables->limb[l].modulus;
  Columns<W>* const target = columns(out.limb(item, l), column);
  Columns<W> x{};
  if constexpr (Operation::accumulates) x = *target;
  const Columns<W> y = *columns(a.limb(item, l), column), z = *columns(b.limb(item, l), column);
#pragma unroll
  for (unsigned c = 0; c < Columns<W>::count; ++c) x.word[c] = operation(q, x.word[c], y.word[c], z.word[c]);
  *target = x;
}

template <class W>
__global__ void clear(DeviceView<W> out) {
  const std::uint32_t column = first_column<W>();
  if (column < out.degree) *columns(out.limb(blockIdx.z, blockIdx.y), column) = Columns<W>{};
}

struct Copy {
  static constexpr bool accumulates = false;
  template <class W>
  __device__ W operator()(const Modulus<W>&, W, W a, W) const {
    return a;
  }
};
struct Add {
  static constexpr bool accumulates = false;
  template <class W>
  __device__ W operator()(const Modulus<W>& q, W, W a, W b) const {
    return q.add(a, b);
  }
};
struct Subtract {
  static constexpr bool accumulates = false;
  template <class W>
  __device__ W operator()(const Modulus<W>& q, W, W a, W b) const {
    return q.subtract(a, b);
  }
};
struct Negate {
  static constexpr bool accumulates = false;
  template <class W>
  __device__ W operator()(const Modulus<W>& q, W, W a, W) const {
    return q.negate(a);
  }
};
struct Multiply {
  static constexpr bool accumulates = false;
  template <class W>
  __device__ W operator()(const Modulus<W>& q, W, W a, W b) const {
    return q.multiply(a, b);
  }
};
struct MultiplyAccumulate {
  static constexpr bool accumulates = true;
  template <class W>
  __device__ W operator()(const Modulus<W>& q, W x, W a, W b) const {
    return q.add(x, q.multiply(a, b));
  }
};

/// One Shoup factor for each limb.
template <class W, unsigned Limbs>
struct Factors {
  ShoupFactor<W> factor[Limbs];
};

template <class W, unsigned Limbs>
__global__ void multiply_scalars(DeviceView<W> out, DeviceView<W> a, const RingTables<W>* tables,
                                 const __grid_constant__ Factors<W, Limbs> factors) {
  const std::uint32_t column = first_column<W>();
  if (column >= out.degree) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z;
  const W q = tables->limb[l].modulus.value();
  Columns<W> x = *columns(a.limb(item, l), column);
#pragma unroll
  for (unsigned c = 0; c < Columns<W>::count; ++c) x.word[c] = factors.factor[l].multiply(x.word[c], q);
  *columns(out.limb(item, l), column) = x;
}

/// out = factors kept + correction + addend, as `divide_and_round` does, for transforms.
template <class W>
__global__ void divide_transforms(DeviceView<W> out, DeviceView<W> kept, DeviceView<W> correction,
                                  const ShoupFactor<W>* factors, DeviceView<W> addend, std::uint32_t addend_parts,
                                  const RingTables<W>* tables) {
  const std::uint32_t column = first_column<W>();
  if (column >= out.degree) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z;
  const Modulus<W> q = tables->limb[l].modulus;
  const bool add = addend.data != nullptr && item % out.parts < addend_parts;
  Columns<W> x = *columns(kept.limb(item, l), column);
  const Columns<W> y = *columns(correction.limb(item, l), column);
  const Columns<W> z = add ? *columns(addend.limb(item, l), column) : Columns<W>{};
#pragma unroll
  for (unsigned c = 0; c < Columns<W>::count; ++c) {
    x.word[c] = q.add(q.add(factors[l].multiply(x.word[c], q.value()), y.word[c]), z.word[c]);
  }
  *columns(out.limb(item, l), column) = x;
}

/// The product of two ciphertexts' transforms; each thread has all parts of its columns. Grid: (columns, limbs, batch).
template <class W>
__global__ void tensor_product(DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, const RingTables<W>* tables) {
  const std::uint32_t column = first_column<W>();
  if (column >= out.degree) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z;
  const Modulus<W> q = tables->limb[l].modulus;
  for (std::uint32_t k = 0; k < out.parts; ++k) {
    Columns<W> sum{};
    const std::uint32_t first = k < b.parts ? 0 : k - b.parts + 1;
    for (std::uint32_t i = first; i < a.parts && i <= k; ++i) {
      const Columns<W> x = *columns(a.limb(a.parts * item + i, l), column);
      const Columns<W> y = *columns(b.limb(b.parts * item + k - i, l), column);
#pragma unroll
      for (unsigned c = 0; c < Columns<W>::count; ++c) {
        sum.word[c] = q.add(sum.word[c], q.multiply(x.word[c], y.word[c]));
      }
    }
    *columns(out.limb(out.parts * item + k, l), column) = sum;
  }
}

/// Coefficients: x^i -> x^(i element), so coefficient e comes from i = e element^-1 modulo 2n, with the sign of x^n =
/// -1.
template <class W>
__global__ void automorphism_coefficients(DeviceView<W> out, DeviceView<W> a, const RingTables<W>* tables,
                                          std::uint32_t inverse) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, n = out.degree;
  if (c >= n) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z, source = (c * inverse) & (2 * n - 1);
  const W value = a.limb(item, l)[source & (n - 1)];
  out.limb(item, l)[c] = source < n ? value : tables->limb[l].modulus.negate(value);
}

/// Where the transform of a(x^element) finds its value number c in a's: position k holds the value at psi^(2 br(k) +
/// 1).
__device__ inline std::uint32_t turned_slot(std::uint32_t c, std::uint32_t element, std::uint32_t n, unsigned bits) {
  const std::uint32_t exponent = ((2 * (__brev(c) >> (32 - bits)) + 1) * element) & (2 * n - 1);
  return __brev(exponent >> 1) >> (32 - bits);
}

template <class W>
__global__ void automorphism_transform(DeviceView<W> out, DeviceView<W> a, std::uint32_t element, unsigned bits) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, n = out.degree;
  if (c >= n) return;
  out.limb(blockIdx.z, blockIdx.y)[c] = a.limb(blockIdx.z, blockIdx.y)[turned_slot(c, element, n, bits)];
}

/// out_c = a_(sources[c]).
template <class W>
__global__ void permute(DeviceView<W> out, DeviceView<W> a, const std::uint32_t* sources) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= out.degree) return;
  out.limb(blockIdx.z, blockIdx.y)[c] = a.limb(blockIdx.z, blockIdx.y)[sources[c]];
}

/// Products of residues that fit the double word beside a reduced sum.
template <class W>
inline std::uint32_t lazy_products(const Basis& basis) {
  std::uint64_t largest = 1;
  for (const auto q : basis.values()) largest = std::max(largest, q - 1);
  const Wide<W> top = ~static_cast<Wide<W>>(0);
  const Wide<W> terms = top / (static_cast<Wide<W>>(largest) * largest);
  return terms > 1024 ? 1023u : std::max(1u, static_cast<std::uint32_t>(terms) - 1);
}

/// sum over j of digits.part(j) * key[j]; lazy: products that fit the double word.
template <class W>
__global__ void key_switch_product(DeviceView<W> out, DeviceView<W> digits, DeviceView<W> key,
                                   const RingTables<W>* tables, std::uint32_t digit_count, std::uint32_t lazy) {
  constexpr unsigned count = Columns<W>::count;
  const std::uint32_t column = first_column<W>();
  if (column >= out.degree) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z, b = item / out.parts, p = item % out.parts;
  const Modulus<W> q = tables->limb[l].modulus;
  Wide<W> sums[count]{};
  for (std::uint32_t j = 0; j < digit_count; ++j) {
    const Columns<W> x = *columns(digits.limb(b * digit_count + j, l), column);
    const Columns<W> y = *columns(key.limb(j * out.parts + p, l), column);
#pragma unroll
    for (unsigned c = 0; c < count; ++c) {
      if (j != 0 && j % lazy == 0) sums[c] = q.reduce_wide(sums[c]);
      sums[c] += static_cast<Wide<W>>(x.word[c]) * y.word[c];
    }
  }
  Columns<W> result;
#pragma unroll
  for (unsigned c = 0; c < count; ++c) result.word[c] = q.reduce_wide(sums[c]);
  *columns(out.limb(item, l), column) = result;
}

/// sum over j of digits.part(j)(x^element) * key[j], for keys of two parts: a digit's values are fetched once for both.
/// Slots of an aligned power of two come from such slots, in another order, so a warp reads whole lines. Grid:
/// (columns, limbs, batch).
template <class W>
__global__ void turned_product(DeviceView<W> out, DeviceView<W> digits, DeviceView<W> key, const RingTables<W>* tables,
                               std::uint32_t element, unsigned bits, std::uint32_t digit_count, std::uint32_t lazy) {
  constexpr unsigned count = Columns<W>::count, parts = 2;
  const std::uint32_t column = first_column<W>();
  if (column >= out.degree) return;
  const std::uint32_t l = blockIdx.y, b = blockIdx.z;
  const Modulus<W> q = tables->limb[l].modulus;
  std::uint32_t from[count];
#pragma unroll
  for (unsigned c = 0; c < count; ++c) from[c] = turned_slot(column + c, element, out.degree, bits);
  Wide<W> sums[parts][count]{};
  for (std::uint32_t j = 0; j < digit_count; ++j) {
    const W* const digit = digits.limb(b, j, l);
    W x[count];
#pragma unroll
    for (unsigned c = 0; c < count; ++c) x[c] = digit[from[c]];
#pragma unroll
    for (unsigned p = 0; p < parts; ++p) {
      const Columns<W> y = *columns(key.limb(j, p, l), column);
#pragma unroll
      for (unsigned c = 0; c < count; ++c) {
        if (j != 0 && j % lazy == 0) sums[p][c] = q.reduce_wide(sums[p][c]);
        sums[p][c] += static_cast<Wide<W>>(x[c]) * y.word[c];
      }
    }
  }
#pragma unroll
  for (unsigned p = 0; p < parts; ++p) {
    Columns<W> result;
#pragma unroll
    for (unsigned c = 0; c < count; ++c) result.word[c] = q.reduce_wide(sums[p][c]);
    *columns(out.limb(b, p, l), column) = result;
  }
}

/// out[row] = sum over columns k of matrix[l][row][k] a[k].
template <class W>
__global__ void linear_combination(DeviceView<W> out, DeviceView<W> a, const RingTables<W>* tables, const W* matrix,
                                   std::uint32_t rows, std::uint32_t terms, std::uint32_t lazy) {
  constexpr unsigned count = Columns<W>::count;
  const std::uint32_t column = first_column<W>();
  if (column >= out.degree) return;
  const std::uint32_t l = blockIdx.y, item = blockIdx.z, row = item / out.parts, p = item % out.parts;
  const Modulus<W> q = tables->limb[l].modulus;
  const W* const factors = matrix + (static_cast<std::size_t>(l) * rows + row) * terms;
  Wide<W> sums[count]{};
  for (std::uint32_t k = 0; k < terms; ++k) {
    const Columns<W> x = *columns(a.limb(k * out.parts + p, l), column);
#pragma unroll
    for (unsigned c = 0; c < count; ++c) {
      if (k != 0 && k % lazy == 0) sums[c] = q.reduce_wide(sums[c]);
      sums[c] += static_cast<Wide<W>>(x.word[c]) * factors[k];
    }
  }
  Columns<W> result;
#pragma unroll
  for (unsigned c = 0; c < count; ++c) result.word[c] = q.reduce_wide(sums[c]);
  *columns(out.limb(item, l), column) = result;
}

}  // namespace cyclotome::cuda
