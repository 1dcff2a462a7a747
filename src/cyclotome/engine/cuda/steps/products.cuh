// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/digits.cuh"
#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/tables.cuh"
#include "cyclotome/engine/cuda/transform/transform.cuh"

// Kernels that transform, multiply and transform back without leaving the chip. Each function returns false where
// there is no kernel for the degree or the device; then nothing was done.
namespace cyclotome::cuda {

/// out (3 parts) = a b, ciphertexts of 2 parts as polynomials in the secret; coefficients in and out, a and b may be
/// overwritten. `items`: ciphertexts.
template <class W>
bool multiply_ciphertexts(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, unsigned limbs,
                          unsigned items, const RingTables<W>* tables, LimbArithmetics arithmetics);

/// out (2 parts) = sum over digits of the transformed extension of c's digit times key. c: coefficients, `items`
/// polynomials; key: one item of 2 parts for each digit, transformed. Limbs below `inverse_limbs` end as coefficients,
/// the others as transforms.
template <class W>
struct KeySwitchLaunch {
  DeviceView<W> out, c, key;
  DeviceView<W> prepared;        ///< what prepare_digits makes of c; unused where every digit is one prime
  DeviceView<W> converted;       ///< or a part for each digit: its residues modulo all primes but its own
  const DeviceDigit<W>* digits;  ///< on the device
  std::uint32_t digit_count, inverse_limbs;
  unsigned limbs, items;
  const RingTables<W>* tables;
};

/// All in one kernel: nothing is stored but the result.
template <class W>
bool key_switch(const Queue& queue, const KeySwitchLaunch<W>& work, LimbArithmetics arithmetics);
/// For few values: digits side by side in one kernel, their sum in another; `extended` holds a part for each digit.
template <class W>
bool key_switch_in_two(const Queue& queue, const KeySwitchLaunch<W>& work, DeviceView<W> extended,
                       LimbArithmetics arithmetics);

/// out.part(p) = a key.part(p) + addend.part(p): coefficients, except for the key, which is the same for all items.
template <class W>
bool multiply_key(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> key, DeviceView<W> addend,
                  unsigned limbs, unsigned items, const RingTables<W>* tables, LimbArithmetics arithmetics);

}  // namespace cyclotome::cuda
