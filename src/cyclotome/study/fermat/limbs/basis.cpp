// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/limbs/basis.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/study/fermat/limbs/limb_arithmetic.hpp"

namespace cyclotome::study::fermat {

namespace {

unsigned default_splits(unsigned x) noexcept { return x > 6 ? x - 6 : 0; }

/// The most factors into which 2^(2^x) - 1 may be split.
unsigned most_splits(unsigned x) noexcept {
  unsigned f = 0;
  while (f + 1 < x && (1U << (x - f - 1)) >= f + 1) ++f;
  return f;
}

}  // namespace

FermatBasis::FermatBasis(unsigned x, std::optional<unsigned> splits) : x_(x) {
  if (x < 1 || x > max_x) {
    throw ParameterError(message("q = 2^(2^x) - 1 with x = ", x, ": x must lie in [1, ", max_x, "], for q of 2 to ",
                                 1U << max_x, " bits"));
  }
  const unsigned f = splits.value_or(default_splits(x)), most = most_splits(x);
  if (f > most) {
    throw ParameterError(message("2^", bits(), " - 1 split ", f, " times: 2^x/2^f must be at least 2 and at least f, ",
                                 "which x = ", x, " allows up to f = ", most));
  }
  std::size_t first = 0;
  for (unsigned i = 1; i <= f + 1; ++i) {
    const bool plus = i <= f;
    const unsigned shift = plus ? i : f, limb_bits = bits() >> shift;
    const std::size_t words = plus ? limb_bits / 64 + 1 : (limb_bits + 63) / 64;
    limbs_.push_back({limb_bits, plus, shift, first, words});
    first += words;
  }
}

BigUnsigned FermatBasis::modulus() const { return BigUnsigned::power_of_two(bits()) - 1; }

BigUnsigned FermatBasis::punctured(std::size_t limb) const {
  BigUnsigned product = 1;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    if (i != limb) product = product * limbs_[i].modulus();
  }
  return product;
}

std::uint64_t FermatBasis::modulus_mod(std::uint64_t m) const noexcept {
  u128 power = 2 % m;
  for (unsigned i = 0; i < x_; ++i) power = power * power % m;
  return static_cast<std::uint64_t>((power + m - 1) % m);
}

void FermatBasis::require_coprime(std::uint64_t m, const char* what) const {
  const std::uint64_t divisor = greatest_common_divisor(m, modulus_mod(m));
  if (divisor == 1) return;
  throw ParameterError(message(what, " ", m, " shares the factor ", divisor, " with q = 2^", bits(),
                               " - 1; choose one that is coprime to q: 2^", bits(), " must not be 1 modulo any of ",
                               "its primes (powers of two, 163841, 557057 and 786433 are coprime to every such q)"));
}

std::vector<std::uint64_t> FermatBasis::coprime_primes(unsigned prime_bits, std::uint64_t step, std::size_t count,
                                                       const std::vector<std::uint64_t>& excluded) const {
  std::vector<std::uint64_t> left_out = excluded;
  for (;;) {
    auto primes = primes_congruent_to_one(prime_bits, step, count, left_out);
    const auto divides = [&](std::uint64_t p) { return modulus_mod(p) == 0; };
    if (std::ranges::none_of(primes, divides)) return primes;
    std::ranges::copy_if(primes, std::back_inserter(left_out), divides);
  }
}

std::vector<std::uint64_t> FermatBasis::residues(const BigUnsigned& value) const {
  std::vector<std::uint64_t> out(words());
  for (const Limb& limb : limbs_) {
    LimbArithmetic(limb).reduce(std::span(out).subspan(limb.first_word, limb.words), value.limbs());
  }
  return out;
}

}  // namespace cyclotome::study::fermat
