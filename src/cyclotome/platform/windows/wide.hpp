// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace cyclotome::platform {

/// A path in UTF-8 as the system's functions take it. Throws std::system_error for what is no UTF-8.
inline std::wstring wide(const std::string& path) {
  return std::filesystem::path(std::u8string(path.begin(), path.end())).wstring();
}

}  // namespace cyclotome::platform
