// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/descriptor.hpp"

#include <cerrno>
#include <system_error>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

void fail(const char* action, const std::string& path, const char* advice) {
  const std::string reason = std::generic_category().message(errno);
  throw FileError(message("can't ", action, " '", path, "': ", reason, advice));
}

}  // namespace cyclotome::io
