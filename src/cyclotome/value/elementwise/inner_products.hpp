// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

namespace cyclotome::value {

/// The products x y, which broadcast, summed over these axes of theirs, which ascend; without a bound. A ciphertext is
/// prepared for products once, however many it is in, and each sum is rounded and relinearised once. They throw what
/// elementwise.hpp says.
Placed sum_of_products(const EncryptedArray& x, const EncryptedArray& y, const std::vector<std::size_t>& axes,
                       const Options& options);
/// The same as an array, whose bound follows from those of x and y.
EncryptedArray sum_of_products(const EncryptedArray& x, const EncryptedArray& y, std::span<const std::int64_t> axes,
                               const Options& options = {});

}  // namespace cyclotome::value
