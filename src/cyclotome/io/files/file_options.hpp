// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cyclotome::io {

/// Who may read a file that is written.
enum class Privacy : std::uint8_t {
  shared,  ///< whoever the process's umask lets
  secret   ///< its owner only: mode 0600 from the moment it exists
};

/// What becomes of a file that has the name already.
enum class Existing : std::uint8_t { replaced, refused };

}  // namespace cyclotome::io
