// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/fermat/limbs/punctured.hpp"

namespace cyclotome::study::fermat {

/// FastBConv from Fermat limbs to short moduli, as decryption needs it, in one pass over the rows that computes no y_i.
/// Modulo an odd b the shift of y_i = (r q_i - x_i)/2^i (LimbArithmetic::puncture) is a factor, which the weights take:
/// sums are of x_i's own words and of r, and run over neighbouring coefficients, for vector instructions. Modulo 2^a
/// only y_i's lowest word counts. The bits of `Punctured`, of which this is all that its first half leaves to do.
class NarrowConversion {
 public:
  /// Whether it serves: shifts in place of products and divisions, and targets that are odd and below 2^31, or powers
  /// of two up to 2^32.
  static bool serves(const Punctured& source, const Basis& target);
  /// weights: FromWide's, factors included.
  NarrowConversion(const FermatPunctured& source, Basis target, const std::vector<std::uint64_t>& weights);

  /// FromWide::run.
  void run(std::uint64_t* out, const std::uint64_t* in, std::size_t degree, std::size_t first, std::size_t count) const;

 private:
  struct Target {
    std::vector<std::uint32_t> pieces;  ///< of odd moduli, for each word: what its three pieces are multiplied by
    std::vector<std::uint64_t> rests;   ///< for each limb: what r is; modulo 2^a, what y's lowest word is
    bool even;
  };
  /// sums (a row for each target) += limb i's part of `count` coefficients. any: room for as many words.
  void add_limb(std::uint64_t* sums, std::uint64_t* any, const std::uint64_t* in, std::size_t degree, std::size_t count,
                std::size_t i) const;

  FermatBasis basis_;
  Basis target_;
  std::vector<Target> targets_;
};

}  // namespace cyclotome::study::fermat
