// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace cyclotome::platform {

/// Loads a shared library, by path or by a name that the system looks for; its symbols stay its own. Null if it can't
/// be loaded: then `why` says why.
void* open_library(const std::string& path, std::string* why = nullptr);
/// What a loaded library has under this name; null for nothing.
void* find_symbol(void* library, const char* name) noexcept;
void close_library(void* library) noexcept;

/// Names under which OpenSSL's libcrypto is found here, the newest first.
std::span<const char* const> libcrypto_names() noexcept;

}  // namespace cyclotome::platform
