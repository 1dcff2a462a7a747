// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cyclotome {

/// What the circuit computes for the engine.
enum class CircuitMode : std::uint8_t {
  product,    ///< whole products of polynomials, as paper 004 does: operands come and go as coefficients
  transform,  ///< the transforms; products of what is kept transformed are then the host's
};

/// How an engine uses its circuits.
struct FpgaOptions {
  /// What messages call the engine.
  std::string name = "fpga:sim";
  /// What circuits compute.
  CircuitMode mode = CircuitMode::product;
  /// Boards in the account of time (paper 004, Figure 5.8): primes go to them in turn.
  std::size_t boards = 1;
  /// Circuits that are simulated at once.
  std::size_t threads = 1;
};

}  // namespace cyclotome
