// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "cyclotome/platform/memory.hpp"

#include <algorithm>
#include <cstdlib>

#if defined(__linux__)
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <mach/mach.h>
#include <unistd.h>
#endif

namespace cyclotome::platform {

namespace {

using Amount = std::optional<std::uint64_t>;

#if defined(__linux__)

/// Keys and large arrays are read from one end to the other, and transforms go through limbs of hundreds of pages: in
/// huge pages they miss no translations, and new memory takes one fault where it took hundreds.
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

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

#endif

}  // namespace

std::optional<std::uint64_t> free_memory() {
#if defined(__linux__)
  Amount free = available_in_system();
  lower(free, left_in_groups());
  lower(free, left_in_address_space());
  return free;
#elif defined(__APPLE__)
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  if (::host_statistics64(::mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &count) !=
      KERN_SUCCESS) {
    return std::nullopt;
  }
  // Inactive pages are files' mostly, or what the system compresses before it refuses anything.
  const std::uint64_t free = std::uint64_t{pages.free_count} + pages.inactive_count + pages.purgeable_count;
  return free * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
#else
  return std::nullopt;
#endif
}

void* allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes >= huge_page_bytes) {
    void* data = nullptr;
    if (::posix_memalign(&data, std::max(alignment, huge_page_bytes), bytes) != 0) return nullptr;
    static_cast<void>(::madvise(data, bytes / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE));
    return data;
  }
#endif
  return std::aligned_alloc(alignment, bytes);
}

void free_aligned(void* data) noexcept { std::free(data); }

}  // namespace cyclotome::platform

#endif
