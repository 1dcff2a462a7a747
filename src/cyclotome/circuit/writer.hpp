// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "cyclotome/circuit/circuit.hpp"

namespace cyclotome::circuit {

/// What a sum does with terms of lower depth than others. Added up first, at the level that they have, they take one
/// switch to the level of the rest. Those that are brought there anyway, as factors of products of that depth, are
/// better taken one by one.
enum class Shallow : std::uint8_t { added_first, one_by_one };

/// Writes a circuit down, gate by gate.
///
/// Products are not relinearised by themselves, so that sums of them are relinearised once.
class Writer {
 public:
  /// modulus: 2, or an odd prime below 2^31. Throws ArgumentError.
  explicit Writer(std::string name, std::uint64_t modulus = 2);

  std::uint64_t modulus() const noexcept { return circuit_.modulus_; }
  std::uint32_t depth(Wire wire) const { return circuit_.gate(wire).depth; }
  /// 3 with products that were not relinearised, else 2.
  std::size_t parts(Wire wire) const { return circuit_.gate(wire).three_parts ? 3 : 2; }

  /// A port of `count` input wires.
  std::vector<Wire> input(const std::string& name, std::size_t count);
  /// The sum of terms and a constant, all modulo t. Throws ArgumentError if no term is left: constants are no wires.
  Wire sum(std::span<const Term> terms, std::int64_t constant = 0, Shallow shallow = Shallow::added_first);
  Wire sum(std::initializer_list<Term> terms, std::int64_t constant = 0) {
    return sum(std::span(terms.begin(), terms.size()), constant);
  }
  /// Not relinearised. Throws ArgumentError for operands that are not. least_depth: computed with products of that
  /// depth, if it could be earlier: three parts need not be switched to another level then.
  Wire product(Wire a, Wire b, std::uint32_t least_depth = 0);
  /// `a` itself if it has two parts.
  Wire relinearized(Wire a);
  /// The relinearised product.
  Wire multiply(Wire a, Wire b) { return relinearized(product(a, b)); }
  /// A port of output wires.
  void output(const std::string& name, std::vector<Wire> wires);

  /// The circuit, without gates that no output needs. Throws ArgumentError for outputs of three parts. Call once.
  Circuit finish();

 private:
  Wire add(Gate gate, std::span<const Term> operands);
  void require(const char* what, Wire wire) const;
  std::vector<Term> merged(std::span<const Term> terms) const;
  std::int64_t centred(std::int64_t value) const;

  Circuit circuit_;
};

}  // namespace cyclotome::circuit
