// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cyclotome/rlwe/parameters/security.hpp"

namespace cyclotome::io {

/// Limits of what a caller accepts from outside.
struct Limits {
  std::uint64_t max_bytes = std::uint64_t{4} << 30;            ///< of a container
  std::uint64_t max_expanded_bytes = std::uint64_t{16} << 30;  ///< of the residues that it expands to in memory
  bool allow_insecure = false;  ///< take parameters below the security that they ask for, or below 128 bits
  /// The table by which parameters are judged, whichever they were made by: a file can't choose a weaker one by itself.
  rlwe::SecurityTable table = rlwe::default_security_table;
};

}  // namespace cyclotome::io
