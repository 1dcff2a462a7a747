// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/binary_field.hpp"

#include <algorithm>
#include <vector>

#include "cyclotome/math/errors.hpp"

namespace cyclotome {

namespace {

/// Of a number below 2^32.
std::vector<std::uint64_t> prime_factors(std::uint64_t number) {
  std::vector<std::uint64_t> factors;
  for (std::uint64_t p = 2; p * p <= number; ++p) {
    if (number % p == 0) factors.push_back(p);
    while (number % p == 0) number /= p;
  }
  if (number > 1) factors.push_back(number);
  return factors;
}

}  // namespace

BinaryField::BinaryField(unsigned degree) : r_(degree) {
  if (degree < 1 || degree > max_degree) {
    throw ParameterError(message("GF(2^", degree, ") is not supported: degrees are in [1, ", max_degree, "]"));
  }
  constexpr std::uint64_t of_degree_16 = 0x1100B;
  const std::vector<std::uint64_t> factors = prime_factors(order());
  // f is primitive if y has order 2^r - 1: then powers of y are all there is but 0.
  const auto primitive = [&] {
    const std::uint64_t y = r_ == 1 ? 1 : 2;
    return power(y, order()) == 1 &&
           std::ranges::all_of(factors, [&](std::uint64_t p) { return power(y, order() / p) != 1; });
  };
  polynomial_ = degree == 16 ? of_degree_16 : (std::uint64_t{1} << degree) + 1;
  while (!primitive()) polynomial_ += 2;
  for (unsigned i = 0; i < degree; ++i) {
    std::uint64_t conjugate = std::uint64_t{1} << i, sum = 0;
    for (unsigned j = 0; j < degree; ++j, conjugate = multiply(conjugate, conjugate)) sum ^= conjugate;
    traces_ |= (sum & 1) << i;
  }
}

std::uint64_t BinaryField::power(std::uint64_t a, std::uint64_t exponent) const noexcept {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, a = multiply(a, a)) {
    if ((exponent & 1) != 0) result = multiply(result, a);
  }
  return result;
}

}  // namespace cyclotome
