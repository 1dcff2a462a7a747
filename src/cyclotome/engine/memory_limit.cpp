// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/memory_limit.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

#include "cyclotome/engine/engine.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome {

namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
std::atomic<std::uint64_t> limit{none};

using Amount = std::optional<std::uint64_t>;

/// The number at the beginning of a file; nothing if there is none, as where it says "max".
Amount number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? Amount(value) : std::nullopt;
}

/// The number of kibibytes behind a name in /proc/meminfo, in bytes.
Amount available_in_system() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kibibytes = 0;
    if (words >> name >> kibibytes && name == "MemAvailable:") return kibibytes << 10;
  }
  return std::nullopt;
}

/// Of the pages in a control group, those of files can be had back.
std::uint64_t reclaimable(const std::string& statistics) {
  std::ifstream file(statistics);
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value) {
    if (name == "inactive_file") return value;
  }
  return 0;
}

Amount left_in_group(const std::string& folder, const char* most, const char* used) {
  const Amount allowed = number_in(folder + "/" + most), taken = number_in(folder + "/" + used);
  if (!allowed || !taken) return std::nullopt;
  const std::uint64_t firm = *taken - std::min(*taken, reclaimable(folder + "/memory.stat"));
  return *allowed - std::min(*allowed, firm);
}

void lower(Amount& amount, const Amount& other) {
  if (other && (!amount || *other < *amount)) amount = other;
}

/// By the control groups of this process, version 2 ("0::/path") and 1 ("4:memory:/path"), and all above them.
Amount left_in_groups() {
  Amount left;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool newer = controllers.empty();
    if (!newer && controllers != "memory") continue;
    const std::string root = newer ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      lower(left, newer ? left_in_group(root + path, "memory.max", "memory.current")
                        : left_in_group(root + path, "memory.limit_in_bytes", "memory.usage_in_bytes"));
      if (path.find('/') == std::string::npos) break;
    }
  }
  return left;
}

Amount left_in_address_space() {
  rlimit allowed{};
  if (::getrlimit(RLIMIT_AS, &allowed) != 0 || allowed.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const Amount pages = number_in("/proc/self/statm");
  if (!pages) return std::nullopt;
  const std::uint64_t taken = *pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return allowed.rlim_cur - std::min<std::uint64_t>(allowed.rlim_cur, taken);
}

[[noreturn]] void refuse(std::string_view operation, std::uint64_t bytes, const std::string& why,
                         std::string_view advice) {
  throw MemoryLimitError(message(operation, " takes ", byte_size(bytes), " of memory, ", why,
                                 advice.empty() ? "; work on fewer values at a time" : "; ", advice,
                                 ", or change the limit with set_memory_limit"));
}

bool is_free(const MemoryState& state, std::uint64_t bytes) { return !state.free || bytes <= *state.free / 5 * 4; }

void require(std::string_view operation, std::uint64_t bytes, const MemoryState& state, std::string_view advice) {
  if (is_free(state, bytes)) return;
  refuse(operation, bytes, message("but only ", byte_size(*state.free), " are free, of which a fifth is left alone"),
         advice);
}

}  // namespace

void set_memory_limit(Amount bytes) noexcept { limit = bytes.value_or(none); }

Amount memory_limit() noexcept {
  const std::uint64_t bytes = limit;
  return bytes == none ? std::nullopt : Amount(bytes);
}

Amount free_main_memory() {
  Amount free = available_in_system();
  lower(free, left_in_groups());
  lower(free, left_in_address_space());
  return free;
}

bool has_memory(const Engine& engine, std::uint64_t bytes) {
  const std::uint64_t most = limit.load(std::memory_order_relaxed);
  if (most == none && bytes < announced_bytes) return true;
  const MemoryState state = engine.memory(most == none);
  return most == none ? is_free(state, bytes) : bytes <= most && state.held <= most - bytes;
}

void require_memory(const Engine& engine, std::string_view operation, std::uint64_t bytes, std::string_view advice) {
  if (has_memory(engine, bytes)) return;
  const std::uint64_t most = limit.load(std::memory_order_relaxed);
  const MemoryState state = engine.memory(most == none);
  if (most == none) return require(operation, bytes, state, advice);
  refuse(
      operation, bytes,
      message("but the limit is ", byte_size(most), " and ", byte_size(state.held), " are in use on ", engine.name()),
      advice);
}

void require_main_memory(std::string_view operation, std::uint64_t bytes) {
  if (bytes >= announced_bytes && !memory_limit()) require(operation, bytes, {0, free_main_memory()}, {});
}

std::string byte_size(std::uint64_t bytes) {
  if (bytes < 1024) return message(bytes, " B");
  auto amount = static_cast<double>(bytes) / 1024;
  const char* unit = "KiB";
  for (const char* const larger : {"MiB", "GiB", "TiB"}) {
    if (amount < 1024) break;
    amount /= 1024;
    unit = larger;
  }
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", amount, unit);
  return text.data();
}

}  // namespace cyclotome
