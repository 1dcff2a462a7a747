// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/jobs/ranks.hpp"

#include "cyclotome/circuit/jobs/comparison.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/math/primes.hpp"

namespace cyclotome::circuit {

namespace {

/// x + y + z as a sum bit and a carry: maj(x, y, z) = (x + y)(x + z) + x.
std::pair<Wire, Wire> full_adder(Writer& writer, Wire x, Wire y, Wire z) {
  const Wire product = writer.product(writer.sum({{x}, {y}}), writer.sum({{x}, {z}}));
  return {writer.sum({{x}, {y}, {z}}), writer.relinearized(writer.sum({{product}, {x}}))};
}

std::pair<Wire, Wire> half_adder(Writer& writer, Wire x, Wire y) {
  return {writer.sum({{x}, {y}}), writer.multiply(x, y)};
}

}  // namespace

std::vector<Wire> bit_count(Writer& writer, std::span<const Wire> bits) {
  std::vector<Wire> column(bits.begin(), bits.end()), result;
  while (!column.empty()) {
    std::vector<Wire> carries;
    while (column.size() > 1) {
      const std::size_t taken = column.size() > 2 ? 3 : 2;
      const auto* const first = &column[column.size() - taken];
      const auto [sum, carry] =
          taken == 3 ? full_adder(writer, first[0], first[1], first[2]) : half_adder(writer, first[0], first[1]);
      column.resize(column.size() - taken);
      column.insert(column.begin(), sum);
      carries.push_back(carry);
    }
    result.push_back(column[0]);
    column = std::move(carries);
  }
  return result;
}

std::vector<Wire> one_hot_of_bits(Writer& writer, std::span<const Wire> bits, std::size_t count) {
  if (bits.empty() || count < 2) throw ArgumentError("one-hot values take a bit, and two values, or more");
  std::vector<Wire> nodes = {negated(writer, bits[0]), bits[0]};  // by the bits seen so far
  for (std::size_t k = 1; k < bits.size(); ++k) {
    std::vector<Wire> low, high;
    for (std::size_t prefix = 0; prefix < nodes.size(); ++prefix) {
      if (prefix + (std::size_t{1} << k) >= count) {  // that bit is never set then
        low.push_back(nodes[prefix]);
        continue;
      }
      const Wire both = writer.multiply(nodes[prefix], bits[k]);
      low.push_back(writer.sum({{nodes[prefix]}, {both}}));
      high.push_back(both);
    }
    nodes = std::move(low);
    nodes.insert(nodes.end(), high.begin(), high.end());
  }
  nodes.resize(std::min(nodes.size(), count));
  return nodes;
}

std::vector<Wire> one_hot_of_number(Writer& writer, Wire x, std::size_t count, std::size_t wanted) {
  const Modulus<std::uint64_t> t(writer.modulus());
  if (count < 2 || count > t.value()) {
    throw ArgumentError(message("one-hot values of a number below ", count, " modulo ", t.value(),
                                "; there must be 2 of them at least, and no more than the modulus"));
  }
  std::vector<Wire> powers = {x, x};  // by exponent, from 1 on
  for (std::size_t e = 2; e < count; ++e) powers.push_back(writer.multiply(powers[(e + 1) / 2], powers[e / 2]));
  std::vector<Wire> result;
  for (std::size_t r = 0; r < wanted; ++r) {
    // The product over s != r of (x - s)/(r - s), coefficient by coefficient.
    std::vector<std::uint64_t> polynomial = {1};
    for (std::size_t s = 0; s < count; ++s) {
      if (s == r) continue;
      const std::uint64_t scale =
          inverse_or_zero(t.reduce_signed(static_cast<std::int64_t>(r) - static_cast<std::int64_t>(s)), t.value());
      const std::uint64_t root = t.reduce_signed(-static_cast<std::int64_t>(s));
      std::vector<std::uint64_t> next(polynomial.size() + 1);
      for (std::size_t i = 0; i < polynomial.size(); ++i) {
        const std::uint64_t c = t.multiply(polynomial[i], scale);
        next[i + 1] = t.add(next[i + 1], c);
        next[i] = t.add(next[i], t.multiply(c, root));
      }
      polynomial = std::move(next);
    }
    std::vector<Term> terms;
    for (std::size_t e = 1; e < count; ++e) terms.push_back({powers[e], static_cast<std::int64_t>(polynomial[e])});
    result.push_back(writer.sum(terms, static_cast<std::int64_t>(polynomial[0])));
  }
  return result;
}

}  // namespace cyclotome::circuit
