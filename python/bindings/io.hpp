// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "bindings.hpp"
#include "cyclotome/io/envelope.hpp"
#include "cyclotome/io/file.hpp"

namespace cyclotome::python {

/// What Python calls it.
std::string kind_name(io::Kind kind);

/// A passphrase or a key in memory that the caller wipes. Looked at in place: no copy of it is made.
inline std::span<const std::uint8_t> typed(const nb::bytearray& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

inline io::Existing existing(bool overwrite) { return overwrite ? io::Existing::replaced : io::Existing::refused; }

}  // namespace cyclotome::python
