// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/polynomials/crt_basis.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"

namespace cyclotome::study::ltv {

namespace {

constexpr std::size_t most_primes = 64;
constexpr unsigned most_prime_bits = 30;

std::vector<std::uint32_t> words_of(const BigUnsigned& value, std::size_t count) {
  std::vector<std::uint32_t> words(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t limb = i / 2 < value.limbs().size() ? value.limbs()[i / 2] : 0;
    words[i] = static_cast<std::uint32_t>(limb >> (32 * (i % 2)));
  }
  return words;
}

}  // namespace

CrtBasis::CrtBasis(const std::vector<std::uint64_t>& primes) {
  if (primes.empty() || primes.size() > most_primes) {
    throw ParameterError(message(primes.size(), " primes; a basis has 1 to ", most_primes));
  }
  for (std::size_t j = 0; j < primes.size(); ++j) {
    const std::uint64_t p = primes[j];
    if (p < 3 || p >> most_prime_bits != 0 || !is_prime(p)) {
      throw ParameterError(message(p, " is no odd prime below 2^", most_prime_bits));
    }
    if (std::find(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(j), p) !=
        primes.begin() + static_cast<std::ptrdiff_t>(j)) {
      throw ParameterError(message("the prime ", p, " stands twice in a basis; take distinct ones"));
    }
    moduli_.emplace_back(static_cast<std::uint32_t>(p));
    reciprocals_.push_back(moduli_.back().ratio_low());
    largest_ = std::max(largest_, static_cast<std::uint32_t>(p));
    for (std::size_t i = 0; i < j; ++i) {
      prime_inverses_.push_back(static_cast<std::uint32_t>(inverse_or_zero(p, primes[i])));
    }
  }
  for (std::size_t count = 1; count <= primes.size(); ++count) {
    Level level{BigUnsigned::product(std::span(primes).first(count)), {}, {}, {}};
    const std::size_t width = (level.product.bit_length() + 31) / 32;
    level.words = words_of(level.product, width);
    for (std::size_t j = 0; j < count; ++j) {
      const BigUnsigned cofactor = level.product.divided_by(primes[j]);
      std::ranges::copy(words_of(cofactor, width), std::back_inserter(level.cofactors));
      level.inverses.push_back(static_cast<std::uint32_t>(inverse_or_zero(cofactor.mod(primes[j]), primes[j])));
    }
    levels_.push_back(std::move(level));
  }
}

LevelConstants CrtBasis::constants(std::size_t primes) const {
  const Level& level = levels_[primes - 1];
  return {static_cast<unsigned>(primes),
          static_cast<unsigned>(level.words.size()),
          moduli_.data(),
          level.words.data(),
          level.cofactors.data(),
          level.inverses.data(),
          reciprocals_.data()};
}

CrtBasis::Bytes CrtBasis::bytes(std::size_t primes) const noexcept {
  const Level& level = levels_[primes - 1];
  constexpr std::size_t word = sizeof(std::uint32_t);
  return {moduli_.size() * word, level.words.size() * word, level.cofactors.size() * word, level.inverses.size() * word,
          prime_inverses_.size() * word};
}

}  // namespace cyclotome::study::ltv
