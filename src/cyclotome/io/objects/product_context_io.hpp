// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/bytes.hpp"
#include "cyclotome/study/product_context.hpp"

namespace cyclotome::io {

/// Most bytes that a stored context may have.
inline constexpr std::uint64_t max_product_context_bytes = std::uint64_t{64} << 20;

/// A context of polynomial products as doc/wire-format.md says: paper 004's export (5.1).
Bytes serialize(const study::ProductContext& context);

/// Whether the header of these bytes names a context; nothing else about them is checked.
bool names_product_context(std::span<const std::uint8_t> bytes) noexcept;

/// Reads what `serialize` wrote, and checks everything anew: the shapes; that each p is 2N r + 1; that r is prime; that
/// the generator has full order and the root is its r-th power, which proves p prime; that no prime stands twice; that
/// q is the primes' product; the coefficients of equation 4.5. Throws FormatError for anything else.
study::ProductContext read_product_context(std::span<const std::uint8_t> bytes,
                                           std::uint64_t max_bytes = max_product_context_bytes);

}  // namespace cyclotome::io
