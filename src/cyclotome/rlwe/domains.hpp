// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cyclotome/rlwe/ciphertext.hpp"

// Which domain ciphertexts are in. A scheme's native domain is where fresh ciphertexts and files have them: BFV's
// coefficients, BGV's transforms. Products with plaintexts leave transforms, whatever they started from, and what is
// linear takes either: sums, products with integers, selections, decryption. What needs the native domain, products of
// ciphertexts, key switches and changes of level, goes back to it by itself.
namespace cyclotome::rlwe {

/// The same ciphertexts transformed: products with plaintexts and sums of them then transform nothing. In BGV as they
/// are.
Ciphertext transformed(const Ciphertext& a);
/// The same ciphertexts in their scheme's native domain.
Ciphertext native(const Ciphertext& a);

/// Where arrays meet: the domain that most of their ciphertexts are in, coefficients where it is as many, so that sums
/// of rotations do not go there and back.
Domain common_domain(std::span<const Ciphertext* const> arrays);

}  // namespace cyclotome::rlwe
