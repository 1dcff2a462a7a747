// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cyclotome::fpga {

/// What circuits did, in ticks that they counted themselves, and what a board with them would have transferred.
struct Statistics {
  std::uint64_t products = 0;  ///< of two polynomials modulo one prime
  std::uint64_t forwards = 0;  ///< transforms of one polynomial modulo one prime
  /// Inverse transforms of one polynomial modulo one prime.
  std::uint64_t inverses = 0;
  /// Ticks of all boards together.
  std::uint64_t ticks = 0;
  /// Ticks until the last board is ready: each prime has its board, and an operation of the engine ends when its
  /// slowest board does.
  std::uint64_t critical_ticks = 0;
  /// Tables of another prime that a board was given.
  std::uint64_t loads = 0;
  /// Bytes over the link that all boards share: 8 for each coefficient of operands and results, and N words for each
  /// load.
  std::uint64_t transfer_bytes = 0;
};

}  // namespace cyclotome::fpga
