// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/product_context.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/text/whole_text.hpp"
#include "cyclotome/ring/ring_shape.hpp"

namespace cyclotome::study {

namespace {

void require_degree(std::size_t degree) {
  if (!is_power_of_two(degree) || degree < 2 || degree > ProductContext::max_degree) {
    throw ParameterError(
        message("the degree ", degree, " must be a power of two in [2, ", ProductContext::max_degree, "]"));
  }
}

/// The order of x, 2N: what primes are 1 modulo.
std::uint64_t order_of(std::size_t degree) { return RingShape::negacyclic(degree)->index(); }

void require_bits(std::size_t bits) {
  if (bits > ProductContext::max_bits) {
    throw ParameterError(message("primes of ", bits, " bits together are more than the ", ProductContext::max_bits,
                                 " of a context; use fewer or narrower primes"));
  }
}

void require_count(std::size_t count) {
  if (count == 0 || count > ProductContext::max_primes) {
    throw ParameterError(message("a context has between 1 and ", ProductContext::max_primes, " primes, not ", count,
                                 "; ask for fewer bits of the modulus or for wider primes"));
  }
}

ContextPrime checked_prime(std::size_t degree, const BigUnsigned& p, const BigUnsigned& generator) {
  const auto shift = static_cast<unsigned>(std::countr_zero(order_of(degree)));
  const BigUnsigned r = p.is_zero() ? p : (p - BigUnsigned(1)).shifted_right(shift);
  if (p.bit_length() > max_modulus_bits || r * BigUnsigned(order_of(degree)) + BigUnsigned(1) != p) {
    throw ParameterError(message(p.to_string(), " is not 1 modulo ", order_of(degree), " with at most ",
                                 max_modulus_bits, " bits: it has no root of x^", degree, " + 1"));
  }
  if (r <= BigUnsigned(2) || !is_prime(r)) {
    throw ParameterError(message("(p - 1) / ", order_of(degree), " = ", r.to_string(), " of p = ", p.to_string(),
                                 " is not an odd prime, so that no generator can be checked; use a prime of "
                                 "primes_with_prime_cofactor"));
  }
  if (!is_generator(generator, p, factors_of(degree, r))) {
    throw ParameterError(
        message(generator.to_string(), " does not generate the units modulo ", p.to_string(), ", or that is no prime"));
  }
  return {p, r, generator, power_mod(generator, r, p), {}};
}

/// As many different primes of each length as `lengths` has, taken in its order.
class PrimePool {
 public:
  PrimePool(std::size_t degree, Search search) : degree_(degree), search_(search) {}

  std::vector<BigUnsigned> take(const std::vector<unsigned>& lengths) {
    require_bits(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}));
    std::map<unsigned, std::size_t> wanted;
    for (const auto bits : lengths) ++wanted[bits];
    for (const auto& [bits, count] : wanted) {
      auto& found = found_[bits];
      if (found.size() < count) found = primes_with_prime_cofactor(bits, order_of(degree_), count, search_);
    }
    std::map<unsigned, std::size_t> used;
    std::vector<BigUnsigned> primes;
    for (const auto bits : lengths) primes.push_back(found_[bits][used[bits]++]);
    return primes;
  }

 private:
  std::size_t degree_;
  Search search_;
  std::map<unsigned, std::vector<BigUnsigned>> found_;
};

ProductContext with_generators(std::size_t degree, const std::vector<BigUnsigned>& primes) {
  const auto shift = static_cast<unsigned>(std::countr_zero(order_of(degree)));
  std::vector<BigUnsigned> generators;
  for (const auto& p : primes) generators.push_back(find_generator(p, factors_of(degree, p.shifted_right(shift))));
  return {degree, primes, generators};
}

BigUnsigned product(const std::vector<BigUnsigned>& factors) {
  BigUnsigned result(1);
  for (const auto& factor : factors) result = result * factor;
  return result;
}

}  // namespace

std::vector<PrimePower> factors_of(std::size_t degree, const BigUnsigned& cofactor) {
  return {{BigUnsigned(2), static_cast<unsigned>(std::countr_zero(order_of(degree)))}, {cofactor, 1}};
}

ProductContext::ProductContext(std::size_t degree, const std::vector<BigUnsigned>& primes,
                               const std::vector<BigUnsigned>& generators)
    : degree_(degree) {
  require_degree(degree);
  require_count(primes.size());
  if (generators.size() != primes.size()) {
    throw ParameterError(message(primes.size(), " primes need as many generators, not ", generators.size()));
  }
  modulus_ = product(primes);
  require_bits(modulus_.bit_length());
  for (std::size_t i = 0; i < primes.size(); ++i) {
    if (std::find(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(i), primes[i]) !=
        primes.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw ParameterError(
          message("the prime ", primes[i].to_string(), " appears twice; the primes of a context must be coprime"));
    }
    primes_.push_back(checked_prime(degree, primes[i], generators[i]));
  }
  std::vector<BigUnsigned> after(primes.size() + 1, BigUnsigned(1));  // the product of p_i, p_(i+1), ...
  for (std::size_t i = primes.size(); i-- > 0;) after[i] = after[i + 1] * primes[i];
  BigUnsigned before(1);
  for (std::size_t i = 0; i < primes.size(); ++i) {
    BigUnsigned others = before * after[i + 1];
    before = before * primes[i];
    inverses_.push_back(inverse_mod(others, primes[i]));
    primes_[i].coefficient = others * inverses_[i];
    complements_.push_back(std::move(others));
  }
}

ProductContext ProductContext::generate(const ContextRequest& request) {
  require_degree(request.degree);
  const unsigned largest = request.largest_prime_bits, smallest = request.smallest_prime_bits;
  if (smallest < 8 || smallest > largest || largest > max_modulus_bits || request.modulus_bits < smallest) {
    throw ParameterError(message("primes of ", smallest, " to ", largest, " bits and a modulus of ",
                                 request.modulus_bits, " bits were asked for; the lengths must lie in [8, ",
                                 max_modulus_bits, "], in ascending order, and the modulus must not be shorter than ",
                                 "a prime"));
  }
  PrimePool pool(request.degree, request.search);
  // Primes just above a power of two give a product that lacks up to a bit for each of them: ask again for what is
  // missing.
  for (unsigned target = request.modulus_bits;;) {
    const std::size_t count = (target + largest - 1) / largest;
    require_count(count);
    const auto rest = static_cast<unsigned>(count - 1) * largest;
    std::vector<unsigned> lengths(count, largest);
    lengths[0] = std::max(smallest, target - rest);
    const std::vector<BigUnsigned> primes = pool.take(lengths);
    const unsigned reached = product(primes).bit_length();
    if (reached >= request.modulus_bits) return with_generators(request.degree, primes);
    target += request.modulus_bits - reached;
  }
}

ProductContext ProductContext::of_lengths(std::size_t degree, const std::vector<unsigned>& lengths, Search search) {
  require_degree(degree);
  require_count(lengths.size());
  return with_generators(degree, PrimePool(degree, search).take(lengths));
}

BigUnsigned ProductContext::lift(const std::vector<BigUnsigned>& residues) const {
  if (residues.size() != primes_.size()) {
    throw ArgumentError(message(residues.size(), " residues were given for ", primes_.size(), " primes"));
  }
  // With each residue times the inverse first, every term is below q, and so is the sum after a few subtractions.
  BigUnsigned sum;
  for (std::size_t i = 0; i < primes_.size(); ++i) {
    if (residues[i] >= primes_[i].prime) {
      throw ArgumentError(message("residue ", i, " is ", residues[i].to_string(), ", but must be below ",
                                  primes_[i].prime.to_string()));
    }
    sum += complements_[i] * multiply_mod(residues[i], inverses_[i], primes_[i].prime);
    if (sum >= modulus_) sum -= modulus_;
  }
  return sum;
}

BigUnsigned ProductContext::root() const {
  std::vector<BigUnsigned> roots;
  for (const auto& p : primes_) roots.push_back(p.root);
  return lift(roots);
}

BigUnsigned ProductContext::inverse_root() const {
  std::vector<BigUnsigned> roots;
  for (const auto& p : primes_) roots.push_back(inverse_mod(p.root, p.prime));
  return lift(roots);
}

BigUnsigned ProductContext::inverse_degree() const {
  std::vector<BigUnsigned> inverses;
  for (const auto& p : primes_) inverses.push_back(inverse_mod(BigUnsigned(degree_), p.prime));
  return lift(inverses);
}

Digest ProductContext::fingerprint() const {
  std::string text = whole_text("cyclotome product context 1\ndegree ", degree_, "\n");
  for (const auto& p : primes_) text += whole_text("prime ", p.prime.to_string(), " ", p.generator.to_string(), "\n");
  return sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace cyclotome::study
