// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cyclotome/study/fermat/limbs/limb.hpp"

namespace cyclotome::study::fermat {

/// The basis of paper 003: q = 2^g - 1, g = 2^x, in its factors 2^(g/2) + 1, ..., 2^(g/2^f) + 1, 2^(g/2^f) - 1
/// (Lemma 1). With f = 0 it is positional: one limb, q itself. Immutable.
class FermatBasis {
 public:
  /// x in [1, 15]. splits: f; by default the last limb has one word, as the paper chooses: f = x - 6, none below.
  /// Throws ParameterError for any other x, and unless f < x and 2^(x - f) >= f (erratum 003-6).
  explicit FermatBasis(unsigned x, std::optional<unsigned> splits = std::nullopt);

  unsigned x() const noexcept { return x_; }
  unsigned splits() const noexcept { return static_cast<unsigned>(limbs_.size()) - 1; }
  /// g = bit(q).
  unsigned bits() const noexcept { return 1U << x_; }
  /// k = f + 1 limbs, in the paper's order: the widest first.
  const std::vector<Limb>& limbs() const noexcept { return limbs_; }
  /// 64-bit words of one coefficient in all limbs.
  std::size_t words() const noexcept { return limbs_.back().first_word + limbs_.back().words; }
  BigUnsigned modulus() const;
  /// q/q_i.
  BigUnsigned punctured(std::size_t limb) const;

  /// 2^(2^x) - 1 modulo m, m > 0.
  std::uint64_t modulus_mod(std::uint64_t m) const noexcept;
  /// Throws ParameterError when m shares a factor with q (erratum 003-9). what: "the plaintext modulus", for the
  /// message.
  void require_coprime(std::uint64_t m, const char* what) const;
  /// The `count` largest primes below 2^bits that are 1 modulo `step`, coprime to q and not among `excluded`.
  std::vector<std::uint64_t> coprime_primes(unsigned bits, std::uint64_t step, std::size_t count,
                                            const std::vector<std::uint64_t>& excluded = {}) const;

  /// The residues of an integer in [0, q) or above, words() words.
  std::vector<std::uint64_t> residues(const BigUnsigned& value) const;

  bool operator==(const FermatBasis& other) const noexcept {
    return x_ == other.x_ && limbs_.size() == other.limbs_.size();
  }

  static constexpr unsigned max_x = 15;

 private:
  unsigned x_;
  std::vector<Limb> limbs_;
};

}  // namespace cyclotome::study::fermat
