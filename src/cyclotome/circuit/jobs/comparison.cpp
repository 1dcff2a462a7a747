// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/jobs/comparison.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::circuit {

namespace {

void require_bits(std::size_t x, std::size_t y) {
  if (x == y && x >= 1 && x <= most_bits) return;
  throw ArgumentError(
      message("numbers of ", x, " and ", y, " bits can't be compared; both take the same number, 1 to ", most_bits));
}

/// One bit of each: x < y is (1 - x) y, x = y is 1 - x - y + 2 x y, which takes no product modulo 2. The sign bit
/// counts the other way.
Comparison compare_bits(Writer& writer, Wire x, Wire y, bool is_sign, bool needs_equal) {
  const Wire both = writer.product(x, y);
  Comparison result{writer.relinearized(writer.sum({{is_sign ? x : y}, {both, -1}})), std::nullopt};
  if (needs_equal) result.equal = writer.relinearized(writer.sum({{x, -1}, {y, -1}, {both, 2}}, 1));
  return result;
}

}  // namespace

Wire negated(Writer& writer, Wire x) { return writer.sum({{x, -1}}, 1); }

Comparison compare(Writer& writer, std::span<const Wire> x, std::span<const Wire> y, Sign sign, bool needs_equal) {
  require_bits(x.size(), y.size());
  if (x.size() == 1) return compare_bits(writer, x[0], y[0], sign == Sign::twos_complement, needs_equal);
  const std::size_t low = x.size() / 2;
  const Comparison upper = compare(writer, x.subspan(low), y.subspan(low), sign, true);
  const Comparison lower = compare(writer, x.first(low), y.first(low), Sign::none, needs_equal);
  Comparison result{writer.relinearized(writer.sum({{upper.less}, {writer.product(*upper.equal, lower.less)}})), {}};
  if (needs_equal) result.equal = writer.multiply(*upper.equal, *lower.equal);
  return result;
}

Wire conjunction(Writer& writer, std::vector<Wire> bits) {
  if (bits.empty()) throw ArgumentError("a product takes one wire or more");
  while (bits.size() > 1) {
    std::vector<Wire> halves;
    for (std::size_t i = 0; i + 1 < bits.size(); i += 2) halves.push_back(writer.multiply(bits[i], bits[i + 1]));
    if (bits.size() % 2 == 1) halves.push_back(bits.back());
    bits = std::move(halves);
  }
  return bits[0];
}

Wire equality(Writer& writer, std::span<const Wire> x, std::span<const Wire> y) {
  require_bits(x.size(), y.size());
  std::vector<Wire> equal;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<Term> terms = {{x[i], -1}, {y[i], -1}};
    if (writer.modulus() > 2) terms.push_back({writer.product(x[i], y[i]), 2});
    equal.push_back(writer.relinearized(writer.sum(terms, 1)));
  }
  return conjunction(writer, std::move(equal));
}

Circuit less_circuit(std::size_t bits, Sign sign, std::uint64_t modulus) {
  require_bits(bits, bits);
  Writer writer("comparison", modulus);
  const auto x = writer.input("left", bits), y = writer.input("right", bits);
  writer.output("result", {compare(writer, x, y, sign, false).less});
  return writer.finish();
}

Circuit equal_circuit(std::size_t bits, std::uint64_t modulus) {
  require_bits(bits, bits);
  Writer writer("equality", modulus);
  const auto x = writer.input("left", bits), y = writer.input("right", bits);
  writer.output("result", {equality(writer, x, y)});
  return writer.finish();
}

}  // namespace cyclotome::circuit
