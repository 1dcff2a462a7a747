// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/prime_search.hpp"

#include <algorithm>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/math/sha256.hpp"
#include "cyclotome/math/text/whole_text.hpp"

namespace cyclotome::study {

namespace {

// 2^78 < 3.18e23, below which the first twelve primes decide (Sorenson and Webster, 2015).
constexpr unsigned decided_bits = 78;
constexpr unsigned first_primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
constexpr unsigned hashed_bases = 40;

/// Whether the odd n > 3 passes Miller-Rabin for one base.
template <class Field>
bool passes(const Field& field, const BigUnsigned& n, const BigUnsigned& base) {
  const BigUnsigned less = n - BigUnsigned(1);
  unsigned twos = 0;
  while (((less.limbs()[twos / 64] >> (twos % 64)) & 1) == 0) ++twos;
  const auto minus_one = field.subtract(typename Field::Element{}, field.one());
  const auto start = field.enter(reduce(field, base));
  if (start == typename Field::Element{}) return true;  // n divides the base, which says nothing
  auto x = field.power(start, less.shifted_right(twos).limbs());
  if (x == field.one() || x == minus_one) return true;
  for (unsigned i = 1; i < twos; ++i) {
    x = field.multiply(x, x);
    if (x == minus_one) return true;
  }
  return false;
}

/// A base of 256 bits that nobody chose.
BigUnsigned hashed_base(const BigUnsigned& n, unsigned index) {
  const std::string text = whole_text("Miller-Rabin ", index, " ", n.to_string());
  const Digest digest = sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  std::uint64_t limbs[4] = {};
  for (std::size_t i = 0; i < digest.size(); ++i)
    limbs[i / 8] |= static_cast<std::uint64_t>(digest[i]) << (8 * (i % 8));
  return BigUnsigned::from_limbs(limbs);
}

/// Odd primes below 4096.
std::vector<std::uint32_t> sieving_primes() {
  std::vector<std::uint32_t> primes;
  for (std::uint32_t n = 3; n < 4096; n += 2) {
    if (is_prime(std::uint64_t{n})) primes.push_back(n);
  }
  return primes;
}

/// Pairs r, order * r + 1 for r = first, first ± 2, ...: leaves out those where either has a small factor.
class Candidates {
 public:
  Candidates(BigUnsigned first, std::size_t order, Search search) : r_(std::move(first)), search_(search) {
    for (const auto q : sieving_primes()) {
      small_.push_back({q, static_cast<std::uint32_t>(r_.mod(q)), static_cast<std::uint32_t>(order % q)});
    }
  }

  const BigUnsigned& cofactor() const noexcept { return r_; }

  /// Whether neither has a prime factor below 4096 and itself above it.
  bool promising() const {
    const bool large = r_.bit_length() > 12;
    return std::ranges::none_of(small_, [&](const Small& s) {
      if (s.remainder == 0) return large || r_ != BigUnsigned(s.prime);
      return (static_cast<std::uint64_t>(s.order) * s.remainder + 1) % s.prime == 0 && large;
    });
  }

  void advance() {
    for (auto& s : small_) {
      s.remainder = search_ == Search::above ? (s.remainder + 2) % s.prime : (s.remainder + s.prime - 2) % s.prime;
    }
    if (search_ == Search::above) {
      r_ += BigUnsigned(2);
    } else {
      r_ -= BigUnsigned(2);
    }
  }

 private:
  struct Small {
    std::uint32_t prime;
    std::uint32_t remainder;  // of r
    std::uint32_t order;      // modulo the prime
  };
  BigUnsigned r_;
  Search search_;
  std::vector<Small> small_;
};

/// (p - 1) / q^k. Exact, by any means: q is 2 or what 2N leaves, so one of two short ways does.
BigUnsigned quotient(const BigUnsigned& p, const std::vector<PrimePower>& factors, std::size_t index, unsigned power) {
  BigUnsigned result(1);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const unsigned exponent = factors[i].exponent - (i == index ? power : 0);
    for (unsigned e = 0; e < exponent; ++e) result = result * factors[i].prime;
  }
  if (result >= p) throw ParameterError(message("the factors given are not those of ", p.to_string(), " - 1"));
  return result;
}

void require_factors(const BigUnsigned& p, const std::vector<PrimePower>& factors) {
  if (quotient(p, factors, factors.size(), 0) + BigUnsigned(1) != p) {
    throw ParameterError(message("the factors given do not multiply to ", p.to_string(), " - 1"));
  }
}

}  // namespace

bool is_prime(const BigUnsigned& n) {
  if (n.bit_length() <= 64) return cyclotome::is_prime(n.is_zero() ? 0 : n.limbs()[0]);
  if ((n.limbs()[0] & 1) == 0) return false;
  return with_field(n, [&](const auto& field) {
    for (const unsigned base : first_primes) {
      check_interrupt();
      if (!passes(field, n, BigUnsigned(base))) return false;
    }
    if (n.bit_length() <= decided_bits) return true;
    for (unsigned i = 0; i < hashed_bases; ++i) {
      check_interrupt();
      if (!passes(field, n, hashed_base(n, i))) return false;
    }
    return true;
  });
}

std::vector<BigUnsigned> primes_with_prime_cofactor(unsigned bits, std::size_t order, std::size_t count,
                                                    Search search) {
  if (bits < 8 || bits > max_modulus_bits || !is_power_of_two(order) || order < 2) {
    throw ParameterError(message("primes of ", bits, " bits congruent to 1 modulo ", order,
                                 " were asked for; bits must lie in [8, ", max_modulus_bits,
                                 "] and the order must be a power of two"));
  }
  std::vector<BigUnsigned> primes;
  const auto shift = static_cast<unsigned>(std::countr_zero(order));
  if (bits > shift + 2) {
    // order * r + 1 has `bits` bits exactly if r has bits - shift.
    const unsigned width = bits - shift;
    const bool up = search == Search::above;
    const BigUnsigned first =
        up ? BigUnsigned::power_of_two(width - 1) + BigUnsigned(1) : BigUnsigned::power_of_two(width) - BigUnsigned(1);
    for (Candidates c(first, order, search); primes.size() < count && c.cofactor().bit_length() == width; c.advance()) {
      check_interrupt();
      if (!c.promising() || !is_prime(c.cofactor())) continue;
      BigUnsigned p = c.cofactor() * BigUnsigned(order) + BigUnsigned(1);
      if (is_prime(p)) primes.push_back(std::move(p));
    }
  }
  if (primes.size() < count) {
    throw ParameterError(message("only ", primes.size(), " of ", count, " primes p of ", bits,
                                 " bits exist for which (p - 1) / ", order,
                                 " is an odd prime; ask for fewer, for wider primes, or for a smaller degree"));
  }
  return primes;
}

BigUnsigned find_generator(const BigUnsigned& p, const std::vector<PrimePower>& factors) {
  require_factors(p, factors);
  BigUnsigned generator(1);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const BigUnsigned exponent = quotient(p, factors, i, 1);
    std::uint64_t alpha = 2;
    while (power_mod(BigUnsigned(alpha), exponent, p) == BigUnsigned(1)) {
      if (++alpha > 1000 || BigUnsigned(alpha) >= p) {
        throw ParameterError(message("no number below ", alpha, " has a power other than 1 modulo ", p.to_string(),
                                     "; is that a prime, and are the factors prime?"));
      }
    }
    const BigUnsigned gamma = power_mod(BigUnsigned(alpha), quotient(p, factors, i, factors[i].exponent), p);
    generator = multiply_mod(generator, gamma, p);
  }
  return generator;
}

bool is_generator(const BigUnsigned& g, const BigUnsigned& p, const std::vector<PrimePower>& factors) {
  require_factors(p, factors);
  const BigUnsigned one(1);
  if (g.is_zero() || g >= p || power_mod(g, p - one, p) != one) return false;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (power_mod(g, quotient(p, factors, i, 1), p) == one) return false;
  }
  return true;
}

}  // namespace cyclotome::study
