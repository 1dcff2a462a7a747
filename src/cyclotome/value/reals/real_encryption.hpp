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

}  // namespace cyclotome::value
