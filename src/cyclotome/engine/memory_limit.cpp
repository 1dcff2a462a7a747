// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/memory_limit.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <limits>

#include "cyclotome/engine/engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/platform/memory.hpp"

namespace cyclotome {

namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
std::atomic<std::uint64_t> limit{none};

using Amount = std::optional<std::uint64_t>;

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

Amount free_main_memory() { return platform::free_memory(); }

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
