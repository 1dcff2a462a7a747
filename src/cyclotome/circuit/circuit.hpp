// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cyclotome::circuit {

/// The result of one gate, by number. A circuit's own: numbers of one mean nothing in another.
struct Wire {
  /// Counted from 0 in the order of writing.
  std::uint32_t number;
  friend constexpr auto operator<=>(const Wire&, const Wire&) = default;
};

/// A wire times a whole number.
struct Term {
  /// What is multiplied.
  Wire wire;
  /// By what; any whole number, taken modulo t.
  std::int64_t factor = 1;
};

/// What a gate does.
enum class GateKind : std::uint8_t {
  input,
  sum,             ///< of terms, and a constant
  product,         ///< of two wires: three parts, until it is relinearised
  relinearization  ///< of a wire of three parts
};

/// One step of a circuit. Its operands come before it.
struct Gate {
  /// What it does.
  GateKind kind;
  bool three_parts;                    ///< whether a product that was not relinearised is in it
  std::uint32_t depth;                 ///< products on the longest way to it, or more: the layer that has it
  std::uint32_t first = 0, count = 0;  ///< its operands among all
  std::int64_t constant = 0;           ///< of a sum, centred modulo t
};

/// Wires that belong together, such as the bits of a key.
struct Port {
  /// What people call it.
  std::string name;
  /// In their order.
  std::vector<Wire> wires;
};

/// Sums and products of values modulo t, written down once for every scheme, and for plain values. Made by `Writer`;
/// immutable.
class Circuit {
 public:
  Circuit(const Circuit&) = default;  // and no move: math/moved.hpp
  Circuit& operator=(const Circuit&) = default;
  /// The plaintext modulus t: 2 for bits, or a prime.
  std::uint64_t modulus() const noexcept { return modulus_; }
  const std::string& name() const noexcept { return name_; }
  /// Names what was written down within the process; copies share it.
  std::uint64_t id() const noexcept { return id_; }
  /// What values are asked for, port by port.
  const std::vector<Port>& inputs() const noexcept { return inputs_; }
  /// What comes out, port by port.
  const std::vector<Port>& outputs() const noexcept { return outputs_; }
  std::size_t size() const noexcept { return gates_.size(); }
  /// The gate whose result is this wire. Precondition: a wire of this circuit.
  const Gate& gate(Wire wire) const { return gates_[wire.number]; }
  /// Its operands, likewise; they come before it.
  std::span<const Term> operands(Wire wire) const {
    const Gate& gate = gates_[wire.number];
    return std::span(terms_).subspan(gate.first, gate.count);
  }
  /// The most products on any way from an input to an output.
  std::uint32_t depth() const noexcept { return depth_; }

 private:
  friend class Writer;
  Circuit() = default;

  std::string name_;
  std::uint64_t id_ = 0;
  std::uint64_t modulus_ = 2;
  std::vector<Gate> gates_;
  std::vector<Term> terms_;
  std::vector<Port> inputs_, outputs_;
  std::uint32_t depth_ = 0;
};

}  // namespace cyclotome::circuit
