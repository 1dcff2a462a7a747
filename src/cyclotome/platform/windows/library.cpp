// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "cyclotome/platform/library.hpp"

#include <system_error>
#include <windows.h>

#include "cyclotome/platform/windows/wide.hpp"

namespace cyclotome::platform {

void* open_library(const std::string& path, std::string* why) {
  if (path.find('\0') != std::string::npos) {  // the system would load what the name before it says
    if (why != nullptr) *why = "its name has a zero byte";
    return nullptr;
  }
  // Never from the current folder: only beside the program, in the system's folders, or where a full path says.
  const bool full = path.find_first_of("/\\") != std::string::npos;
  HMODULE const library = ::LoadLibraryExW(wide(path).c_str(), nullptr,
                                           full ? LOAD_WITH_ALTERED_SEARCH_PATH : LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
  if (library == nullptr && why != nullptr) {
    *why = std::system_category().message(static_cast<int>(::GetLastError()));
  }
  return library;
}

void* find_symbol(void* library, const char* name) noexcept {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(library), name));
}

void close_library(void* library) noexcept { ::FreeLibrary(static_cast<HMODULE>(library)); }

std::span<const char* const> libcrypto_names() noexcept {
  static constexpr const char* names[] = {"libcrypto-3-x64.dll", "libcrypto-3.dll", "libcrypto-1_1-x64.dll"};
  return names;
}

}  // namespace cyclotome::platform

#endif
