// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"

namespace cyclotome::rlwe {

/// Sums of products of ciphertexts and prepared plaintexts: sum i is that of a's items numbers[j] times b's items
/// rows[j], j from i group to i group + group - 1. The residues and the noise of multiply_plain and gather, without a
/// ciphertext for each product and with one reduction for many: transforms. Throws ArgumentError for b without
/// transforms, numbers that are none, or lists of other lengths, and as multiply_plain does.
Ciphertext sum_plain_products(const Ciphertext& a, std::span<const std::size_t> numbers, const Plaintext& b,
                              std::span<const std::size_t> rows, std::size_t group);

}  // namespace cyclotome::rlwe
