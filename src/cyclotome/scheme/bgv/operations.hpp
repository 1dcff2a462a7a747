// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/operations.hpp"

namespace cyclotome::bgv {

using rlwe::Ciphertext;
using rlwe::Plaintext;

/// Division of a ciphertext by the last prime of its level (specification 5.8): the level falls by one, the noise by
/// about the prime, and the correction factor is multiplied by its inverse modulo t. Throws ArgumentError at the lowest
/// level.
Ciphertext switch_modulus(const Ciphertext& a);
/// Division by the last primes until that level, all of them at once, with one rounding: less noise and fewer
/// transforms than prime by prime, whose bound still holds. a as it is when it is there. Throws ArgumentError when it
/// is below.
Ciphertext switch_to_level(const Ciphertext& a, rlwe::Level level);
/// The level at which a product with an operand of equal noise keeps most headroom: noise far above the rounding floor
/// is worth dropping a prime for.
rlwe::Level best_product_level(const Ciphertext& a, const Ciphertext& b);

/// Product, 3 parts, not relinearised. `automatic` switches both operands to best_product_level first; otherwise only
/// to the lower of their levels.
Ciphertext multiply(const Ciphertext& a, const Ciphertext& b, bool automatic = true);
Ciphertext square(const Ciphertext& a, bool automatic = true);
/// relinearize(multiply(a, b)) and relinearize(square(a)), residue by residue, in one go: nothing in between is kept.
/// Throws MismatchError for keys of other parameters or another secret, MissingKeyError without relinearisation key.
Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b, const rlwe::EvaluationKeys& keys,
                                 bool automatic = true);
Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys, bool automatic = true);

}  // namespace cyclotome::bgv
