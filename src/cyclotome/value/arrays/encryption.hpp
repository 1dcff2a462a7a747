// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

namespace cyclotome::value {

/// What is stated about values before they are encrypted. It is public, and must hold for any data that may stand in
/// their place.
struct Encryption {
  /// The largest magnitude that a value may have; none: the capacity of the parameters, which leaves no room for
  /// computation, so state one.
  std::optional<BigUnsigned> bound = std::nullopt;
  /// No value is below 0, which halves what comparisons and tables have to tell apart.
  bool from_zero = false;
  /// In place of both: the interval that values lie in.
  std::optional<Interval> interval = std::nullopt;
  /// The largest sum of magnitudes along the last axis: 1 for rows that are one-hot masks. None: what `bound` implies.
  std::optional<BigUnsigned> l1_bound = std::nullopt;
  /// Values and results are meant modulo T, in [0, T), and have no bound. Where parameters hold elements of GF(2^r):
  /// values are any of them; otherwise they are bits, as wherever T is 2.
  bool wrap = false;
  /// None: slots where parameters().slots_by_default(), else coefficients. Scalars are always replicated.
  std::optional<Placement> placement = std::nullopt;
};

/// Encrypts integers. The array knows the public key, and needs evaluation keys (with_keys) for products and sums over
/// slots. Under the secret key noise is lower and files take half the space.
/// Throws RangeError for values beyond the bound and bounds beyond what the parameters hold, ArgumentError for no
/// values and for slots that the parameters don't have, NoiseError for parameters that not even a fresh encryption
/// fits.
EncryptedArray encrypt(const Integers& values, const rlwe::PublicKey& key, const Encryption& how = {},
                       const Options& options = {});
EncryptedArray encrypt(const Integers& values, const rlwe::SecretKey& key, const Encryption& how = {},
                       const Options& options = {});

/// Zeros in place of values of this shape, of which the same is stated: an array like any that `encrypt` makes of such
/// values, without a word for each of them. For computations on an engine that only keeps account (engine/dry). Throws
/// what `encrypt` does of a shape and of what is stated; RangeError where no values are like that.
EncryptedArray encrypt_shape(const Shape& shape, const rlwe::PublicKey& key, const Encryption& how = {},
                             const Options& options = {});

}  // namespace cyclotome::value
