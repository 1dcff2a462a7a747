// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/value/arrays/encrypted_array.hpp"

// Sums over axes. They throw what elementwise.hpp says.
namespace cyclotome::value {

/// The sum over all axes, or those given (negative ones count from the end). Over the last axis of a packed array it
/// takes log2(n) rotations for each row, and keys for them. keepdims: summed axes stay, with length 1.
EncryptedArray sum(const EncryptedArray& x, const Options& options = {});
EncryptedArray sum(const EncryptedArray& x, std::span<const std::int64_t> axes, bool keepdims = false,
                   const Options& options = {});
inline EncryptedArray sum(const EncryptedArray& x, std::int64_t axis, const Options& options = {}) {
  return sum(x, std::span(&axis, 1), false, options);
}

/// The sum of arrays of one shape and layout that are partial sums of one computation, whose result is within `bound`.
EncryptedArray sum_of_parts(std::span<const EncryptedArray> parts, const Bound& bound, const Options& options = {});

/// The sum over these axes, which ascend; relinearised if `x` was not yet.
Placed sum_over(const Placed& x, const Keyring& keys, const std::vector<std::size_t>& axes, const Options& options);
/// What is left to do of it when the axes that number ciphertexts are summed. last: also over the packed axis.
Placed sum_rest(Placed sums, const Keyring& keys, bool last, const Options& options);

}  // namespace cyclotome::value
