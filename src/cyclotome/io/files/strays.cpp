// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/files/strays.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <string_view>

#include "cyclotome/io/container/descriptor.hpp"
#include "cyclotome/ring/randomness/sampling.hpp"

namespace cyclotome::io {

namespace {

constexpr std::string_view digits = "0123456789abcdef", prefix = ".cyclotome-", suffix = ".tmp";
constexpr std::size_t random_bytes = 12;

bool is_temporary(std::string_view name) {
  if (name.size() != prefix.size() + 2 * random_bytes + suffix.size()) return false;
  const std::string_view middle = name.substr(prefix.size(), 2 * random_bytes);
  return name.starts_with(prefix) && name.ends_with(suffix) && middle.find_first_not_of(digits) == name.npos;
}

/// Whether this folder is looked into for the first time.
bool is_new(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> seen;
  const std::lock_guard lock(mutex);
  return seen.insert(folder).second;
}

void remove_if_left(const std::string& path) {
  if (!platform::is_own(path)) return;
  const Descriptor file(platform::open_to_read(path));
  bool found = false;
  // One without bytes may be a moment old, and not locked yet.
  if (!file.open() || platform::status_of(file.number(), found).bytes == 0) return;
  if (platform::lock(file.number(), true)) platform::remove_file(path);
}

}  // namespace

std::string temporary_name(const std::string& target) {
  std::string name = platform::folder_of(target) + "/" + std::string(prefix);
  const Seed random = Seed::from_system();
  for (std::size_t i = 0; i < random_bytes; ++i) {
    name += digits[random.bytes()[i] >> 4];
    name += digits[random.bytes()[i] & 15];
  }
  return name += suffix;
}

void remove_strays(const std::string& folder) noexcept {
  try {
    const std::string whole = platform::resolved(folder);
    if (whole.empty() || !is_new(whole)) return;
    for (const std::string& name : platform::names_in(whole)) {
      if (is_temporary(name)) remove_if_left(whole + "/" + name);
    }
  } catch (const std::exception&) {
    // No memory, or names that are no text: a later process looks again.
  }
}

}  // namespace cyclotome::io
