// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "cyclotome/platform/library.hpp"

#include <dlfcn.h>

namespace cyclotome::platform {

void* open_library(const std::string& path, std::string* why) {
  if (path.find('\0') != std::string::npos) {  // the system would load what the name before it says
    if (why != nullptr) *why = "its name has a zero byte";
    return nullptr;
  }
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr && why != nullptr) {
    const char* const reason = ::dlerror();
    *why = reason == nullptr ? "no reason" : reason;
  }
  return library;
}

void* find_symbol(void* library, const char* name) noexcept { return ::dlsym(library, name); }
void close_library(void* library) noexcept { ::dlclose(library); }

std::span<const char* const> libcrypto_names() noexcept {
#if defined(__APPLE__)
  // Never the name without a version: the system ends processes that load that one.
  static constexpr const char* names[] = {"libcrypto.3.dylib", "/opt/homebrew/opt/openssl@3/lib/libcrypto.3.dylib",
                                          "/usr/local/opt/openssl@3/lib/libcrypto.3.dylib"};
#else
  static constexpr const char* names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
#endif
  return names;
}

}  // namespace cyclotome::platform

#endif
