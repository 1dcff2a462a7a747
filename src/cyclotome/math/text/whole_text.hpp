// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ios>
#include <sstream>
#include <string>

namespace cyclotome {

/// Joins its arguments into the text that a digest is of, or a file has: all of it, or std::bad_alloc. `message`, which
/// is for people, gives what it could hold, as streams swallow what their buffers throw; a digest of half a text is
/// another one, and nothing would say so.
template <class... Parts>
std::string whole_text(const Parts&... parts) {
  std::ostringstream stream;
  stream.exceptions(std::ios_base::badbit | std::ios_base::failbit);
  (stream << ... << parts);
  return stream.str();
}

}  // namespace cyclotome
