// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cyclotome::platform {

/// Bytes of main memory that this process could still get: by what the system has available and by the limits that it
/// sets for the process (under Linux those of control groups and address space). Nothing where it does not tell.
std::optional<std::uint64_t> free_memory();

/// `bytes`, a multiple of `alignment`, at an address that is one too; null when there is no memory left.
void* allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept;
/// Frees what `allocate_aligned` returned; null is nothing.
void free_aligned(void* data) noexcept;

}  // namespace cyclotome::platform
