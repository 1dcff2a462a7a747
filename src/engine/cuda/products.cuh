// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion.cuh"
#include "cyclotome/engine/cuda/launch.cuh"
#include "cyclotome/engine/cuda/tables.cuh"

// Kernels that transform, multiply and transform back without leaving the chip. Each function returns false where
// there is no kernel for the degree or the device; then nothing was done.
namespace cyclotome::cuda {

/// out (3 parts) = a b, ciphertexts of 2 parts as polynomials in the secret; coefficients in and out, a and b may be
/// overwritten. `items`: ciphertexts.
template <class W>
bool multiply_ciphertexts(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, unsigned limbs,
                          unsigned items, const RingTables<W>* tables);

/// One digit of a key switch. The extension's results come out divided by the word: its constants are multiplied by it.
template <class W>
struct DeviceDigit {
  DeviceConversion<W> extension;
  std::uint32_t first_limb;  ///< of the operand
};

/// out (2 parts) = sum over digits of the transformed extension of c's digit times key. c: coefficients, `items`
/// polynomials; key: one item of 2 parts for each digit, transformed. Limbs below `inverse_limbs` end as coefficients,
/// the others as transforms. lazy_products: how many products of residues fit the double word beside one more residue.
template <class W>
struct KeySwitchLaunch {
  DeviceView<W> out, c, key;
  const DeviceDigit<W>* digits;  ///< on the device
  std::uint32_t digit_count, lazy_products, inverse_limbs;
  unsigned limbs, items;
  const RingTables<W>* tables;
};

template <class W, class Visit>
void visit_pointers(const KeySwitchLaunch<W>& work, const Visit& visit) {
  for (const auto& view : {&work.out, &work.c, &work.key}) visit_pointers(*view, visit);
}

/// All in one kernel: nothing is stored but the result.
template <class W>
bool switch_key(const Queue& queue, const KeySwitchLaunch<W>& work);
/// Digits side by side in one kernel, their sum in another; `extended` holds a part for each digit.
template <class W>
bool switch_key_in_two(const Queue& queue, const KeySwitchLaunch<W>& work, DeviceView<W> extended);

/// out.part(p) = a key.part(p) + addend.part(p): coefficients, except for the key, which is the same for all items.
template <class W>
bool multiply_key(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> key, DeviceView<W> addend,
                  unsigned limbs, unsigned items, const RingTables<W>* tables);

}  // namespace cyclotome::cuda
