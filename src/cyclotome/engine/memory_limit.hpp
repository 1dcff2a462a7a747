// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Memory is announced before it is asked for: whoever is about to need much says how much, and is refused while nothing
// has been done yet, in place of a process that the system ends.
namespace cyclotome {

class Engine;

/// Work that needs less than this is not announced: to ask the system takes as long as to do it.
inline constexpr std::uint64_t announced_bytes = std::uint64_t{64} << 20;

/// The most bytes that the buffers of an engine may hold together, for every engine of this process. Nothing, which is
/// so at first: whatever fits into four fifths of the memory that is free when it is asked for.
void set_memory_limit(std::optional<std::uint64_t> bytes) noexcept;
std::optional<std::uint64_t> memory_limit() noexcept;

/// Bytes of main memory that this process could still get: by what the system has available, by the limits of its
/// control groups and by its limit of address space. Nothing where the system does not tell.
std::optional<std::uint64_t> free_main_memory();

/// Whether `bytes` more are within the limit, or within four fifths of what is free; true where that is not known.
bool has_memory(const Engine& engine, std::uint64_t bytes);
/// Throws MemoryLimitError if `bytes` more are beyond the limit, or beyond what is free. operation: begins the message;
/// advice: how to need less, a clause for its end.
void require_memory(const Engine& engine, std::string_view operation, std::uint64_t bytes,
                    std::string_view advice = {});
/// The same for main memory besides an engine's buffers.
void require_main_memory(std::string_view operation, std::uint64_t bytes);

/// "384 B", "12.0 KiB", "1.5 MiB", "2.0 GiB".
std::string byte_size(std::uint64_t bytes);

}  // namespace cyclotome
