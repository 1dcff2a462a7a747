// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/digits.cuh"
#include "cyclotome/engine/cuda/phi_m/matrix_transform.hpp"
#include "cyclotome/engine/cuda/tables.cuh"
#include "cyclotome/engine/cuda/transform/limb_access.cuh"

// What a transform by matrices reads and writes: what comes before it is computed as it fetches its limb, and what
// comes after it as it keeps it, so that neither is a pass over memory of its own.
//
// from.has(item, l): whether there is such a limb. from(item, l)(i): coefficients from number i of it on, any words.
// to(item, l)(i, values): reduced values from number i on.
namespace cyclotome::cuda {

struct FetchQuads {
  const std::uint32_t* limb;
  __device__ __forceinline__ Quad operator()(unsigned i) const {
    return load_global<Use::once>(reinterpret_cast<const Quad*>(limb + i));
  }
};

/// Residues as they are.
struct FromResidues {
  DeviceView<std::uint32_t> a;

  __device__ __forceinline__ bool has(std::uint32_t, std::uint32_t) const { return true; }
  __device__ __forceinline__ FetchQuads operator()(std::uint32_t item, std::uint32_t l) const {
    return {a.limb(item, l)};
  }
};

/// Digits of a key switch, one part for each, over P q: all limbs but those that a digit was made of. Limbs below
/// `special` are those of P.
struct FromDigits {
  DeviceView<std::uint32_t> a;
  std::uint32_t special, per_digit;

  __device__ __forceinline__ bool has(std::uint32_t item, std::uint32_t l) const {
    return l < special || (l - special) / per_digit != item % a.parts;
  }
  __device__ __forceinline__ FetchQuads operator()(std::uint32_t item, std::uint32_t l) const {
    return {a.limb(item, l)};
  }
};

/// The centred lift from one modulus, as load_extended computes it (key_switch_digits.cuh).
struct FetchLift {
  const std::uint32_t* limb;
  ShoupFactor<std::uint32_t> scale;
  std::uint32_t source, factor, negative_wrap, target, negative_inverse;

  __device__ __forceinline__ Quad operator()(unsigned i) const {
    Quad x = load_global<Use::kept>(reinterpret_cast<const Quad*>(limb + i));
#pragma unroll
    for (std::uint32_t& word : x.word) {
      const std::uint32_t y = scale.multiply(word, source);
      const std::uint64_t sum = static_cast<std::uint64_t>(y) * factor + (y >= source - y ? negative_wrap : 0);
      word = divide_by_word(sum, target, negative_inverse);  // below 2 target
    }
    return x;
  }
};

/// Residues modulo one dropped prime, lifted to each of the others.
struct FromLift {
  FromLift(DeviceView<std::uint32_t> of, const DeviceConversion<std::uint32_t>& lift,
           const RingTables<std::uint32_t>* of_targets)
      : dropped(of),
        scale(lift.punctured_inverses),
        source(lift.source_moduli),
        matrix(lift.matrix),
        negative_wraps(lift.negative_wraps),
        tables(of_targets) {}

  DeviceView<std::uint32_t> dropped;
  const ShoupFactor<std::uint32_t>* scale;  // of DeviceConversion, which has a gap
  const Modulus<std::uint32_t>* source;
  const TargetTile<std::uint32_t>* matrix;
  const std::uint32_t* negative_wraps;
  const RingTables<std::uint32_t>* tables;

  __device__ __forceinline__ bool has(std::uint32_t, std::uint32_t) const { return true; }
  __device__ __forceinline__ FetchLift operator()(std::uint32_t item, std::uint32_t l) const {
    const LimbTables<std::uint32_t>& target = tables->limb[l];
    return {dropped.limb(item, 0),  *scale,
            source->value(),        matrix[l / tile_targets].word[l % tile_targets],
            negative_wraps[l],      target.modulus.value(),
            target.negative_inverse};
  }
};

struct KeepQuads {
  std::uint32_t* limb;
  __device__ __forceinline__ void operator()(unsigned i, const Quad& values) const {
    store_global<Use::once>(reinterpret_cast<Quad*>(limb + i), values);
  }
};

struct ToResidues {
  DeviceView<std::uint32_t> out;
  __device__ __forceinline__ KeepQuads operator()(std::uint32_t item, std::uint32_t l) const {
    return {out.limb(item, l)};
  }
};

struct KeepQuotients {
  std::uint32_t* limb;
  const std::uint32_t *kept, *addend;  ///< the second may be null
  ShoupFactor<std::uint32_t> factor;
  Modulus<std::uint32_t> modulus;

  __device__ __forceinline__ void operator()(unsigned i, Quad values) const {
    const Quad x = load_global<Use::once>(reinterpret_cast<const Quad*>(kept + i));
    Quad z{};
    if (addend != nullptr) z = load_global<Use::once>(reinterpret_cast<const Quad*>(addend + i));
#pragma unroll
    for (unsigned v = 0; v < 4; ++v) {
      const std::uint32_t quotient = modulus.add(factor.multiply(x.word[v], modulus.value()), values.word[v]);
      values.word[v] = modulus.add(quotient, z.word[v]);
    }
    store_global<Use::once>(reinterpret_cast<Quad*>(limb + i), values);
  }
};

/// factors kept + what was transformed + addend, which has `addend_parts` parts for the first of out: a division.
struct ToQuotients {
  DeviceView<std::uint32_t> out, kept, addend;
  const ShoupFactor<std::uint32_t>* factors;
  const RingTables<std::uint32_t>* tables;
  std::uint32_t addend_parts, unused = 0;

  __device__ __forceinline__ KeepQuotients operator()(std::uint32_t item, std::uint32_t l) const {
    const bool added = item % out.parts < addend_parts;
    return {out.limb(item, l), kept.limb(item, l), added ? addend.limb(item, l) : nullptr, factors[l],
            tables->limb[l].modulus};
  }
};

}  // namespace cyclotome::cuda
