// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cyclotome/rlwe/parameters/parameters.hpp"

// Parameters for real numbers: from how wrong results may be, or from scale and degree.
namespace cyclotome::ckks {

/// What parameters by hand are made of.
struct ScaleLiteral {
  std::size_t degree = 0;   ///< n; a ciphertext holds n/2 numbers
  unsigned scale_bits = 0;  ///< numbers are multiplied by about 2^scale_bits, in [20, 58]
  unsigned depth = 0;       ///< products one after the other: one prime of about scale_bits bits for each
  double bound = 1;         ///< the largest magnitude of a number that is encrypted
  double result_bound = 0;  ///< of one that ever occurs; 0: `bound` squared so often, and at least 1
  unsigned security = 128;  ///< bits that are demanded
  rlwe::SecurityTable table = rlwe::default_security_table;  ///< by which
  bool allow_insecure = false;                               ///< take less
  bool strict = false;                                       ///< noise bounds that assume nothing
  std::string name = {};                                     ///< a label
};

/// The cheapest special primes and digits of those with P >= 2^10 D that security allows. Throws ParameterError where
/// numbers don't fit 64-bit words, and SecurityError for too many bits.
rlwe::Parameters with_scale(const ScaleLiteral& literal);

/// What a computation with real numbers needs.
struct Precision {
  double precision = 0;                                      ///< how wrong any result may be at most
  double bound = 1;                                          ///< as above, and so below
  double result_bound = 0;                                   ///< as above
  unsigned depth = 1;                                        ///< products one after the other
  std::size_t min_degree = 0;                                ///< n is no smaller
  unsigned security = 128;                                   ///< bits that are demanded
  rlwe::SecurityTable table = rlwe::default_security_table;  ///< by which
  bool strict = false;                                       ///< noise bounds that assume nothing
  unsigned flooding_bits = 0;  ///< results can be given to others with this; 0: they can't
};

/// The smallest degree, and then the smallest scale, at which `depth` squares of `bound`, one after the other, are
/// certified to be no more wrong than `precision`; by the functions that operations use. Throws ParameterError where
/// nothing is, and says how right results can be.
rlwe::Parameters suggest_reals(const Precision& wanted);

/// That error, of numbers under public-key encryption; with flooding_bits of what `reveal` gives.
double certified_error(const rlwe::Parameters& parameters, unsigned depth, double result_bound,
                       unsigned flooding_bits = 0);

}  // namespace cyclotome::ckks
