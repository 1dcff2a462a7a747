// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/basis.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome {

Basis::Basis(Word word, std::vector<std::uint64_t> moduli) : word_(word), values_(std::move(moduli)) {
  const std::uint64_t limit = word == Word::u32 ? max_modulus<std::uint32_t> : max_modulus<std::uint64_t>;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] < 2 || values_[i] >= limit) {
      throw ParameterError(message("modulus ", values_[i], " does not fit a ", bits_of(word),
                                   "-bit word: moduli must lie in [2, ", limit, ")"));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (const auto divisor = greatest_common_divisor(values_[i], values_[j]); divisor != 1) {
        throw ParameterError(message("moduli ", values_[j], " and ", values_[i], " share the factor ", divisor,
                                     "; the moduli of a basis must be pairwise coprime"));
      }
    }
    if (word == Word::u32) {
      moduli32_.emplace_back(static_cast<std::uint32_t>(values_[i]));
    } else {
      moduli64_.emplace_back(values_[i]);
    }
  }
}

std::uint64_t Basis::product_mod(std::uint64_t m) const noexcept { return punctured_product_mod(values_.size(), m); }

std::uint64_t Basis::punctured_product_mod(std::size_t limb, std::uint64_t m) const noexcept {
  u128 product = 1 % m;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (i != limb) product = product * (values_[i] % m) % m;
  }
  return static_cast<std::uint64_t>(product);
}

Basis Basis::slice(std::size_t first, std::size_t count) const {
  if (first > values_.size() || count > values_.size() - first) {
    throw ArgumentError(message("limbs [", first, ", ", first + count, ") of a basis of ", values_.size(), " limbs"));
  }
  const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(first);
  return Basis(word_, {begin, begin + static_cast<std::ptrdiff_t>(count)});
}

Basis Basis::joined(const Basis& other) const {
  if (word_ != other.word_) {
    throw ParameterError(message("a basis of ", bits_of(word_), "-bit words can't be joined with one of ",
                                 bits_of(other.word_), "-bit words"));
  }
  std::vector<std::uint64_t> all = values_;
  all.insert(all.end(), other.values_.begin(), other.values_.end());
  return Basis(word_, std::move(all));
}

}  // namespace cyclotome
