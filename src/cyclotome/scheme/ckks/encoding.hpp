// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/scheme/ckks/context.hpp"

namespace cyclotome::ckks {

/// Numbers in slots; what held secret ones is zeroised.
using Numbers = ZeroisingVector<std::complex<double>>;

/// Whether plaintexts are somebody's to hide, so that their memory is zeroised.
enum class Secrecy : bool { open, secret };

/// n/2 numbers for each plaintext polynomial: coefficients are rounded to the nearest integers, halves away from 0.
/// Throws RangeError for infinities, NaN, and magnitudes that times the scale leave the carrier.
rlwe::Plaintext encode(const std::shared_ptr<const Context>& context, std::span<const std::complex<double>> values,
                       double scale, Secrecy secrecy = Secrecy::open);
/// And back.
Numbers decode(const rlwe::Plaintext& plaintext, double scale);
/// The largest magnitude.
double largest(std::span<const std::complex<double>> values);

}  // namespace cyclotome::ckks
