// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/value/reals/real_array.hpp"

namespace cyclotome::value {

/// Encrypts real or complex numbers up to `bound` in magnitude (none: the parameters' own). The bound is public, and
/// must hold for any data in their place. Throws RangeError for a number beyond it, MismatchError for keys of a scheme
/// of exact integers.
RealArray encrypt(const Reals& values, const rlwe::PublicKey& key, std::optional<double> bound = std::nullopt);
/// Under the secret key: less noise, and files take half the space.
RealArray encrypt(const Reals& values, const rlwe::SecretKey& key, std::optional<double> bound = std::nullopt);

/// The numbers, each off by no more than x.error().max. For the key's owner alone: the errors tell of the secret key
/// whoever knows what the numbers should be (Li and Micciancio, Eurocrypt 2021). Throws MismatchError for another key.
Reals decrypt(const RealArray& x, const rlwe::SecretKey& key);

/// The numbers for others to see, each off by `precision` at most: flooded, so that what the whole call gives is within
/// 2^-flooding_bits of what depends on the exact numbers alone (ckks::reveal). The precision is to be the same whatever
/// the array says of its own error. Throws NoiseError where the error leaves too little, ArgumentError for bits outside
/// [1, 128], BudgetError where the key's count is spent, and what `decrypt` does.
Reals reveal(const RealArray& x, const rlwe::SecretKey& key, double precision, unsigned flooding_bits);

}  // namespace cyclotome::value
