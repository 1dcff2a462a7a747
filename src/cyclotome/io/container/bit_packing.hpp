// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cyclotome/math/bits.hpp"

namespace cyclotome::io {

/// Bits of one residue modulo q >= 2: those of the largest one, q - 1.
constexpr unsigned packed_bits(std::uint64_t q) noexcept { return bit_length(q - 1); }

/// Bytes of `count` values of `bits` bits; the last byte's unused bits are zero.
constexpr std::size_t packed_bytes(std::size_t count, unsigned bits) noexcept { return (count * bits + 7) / 8; }

/// Value i goes to bits [i * bits, (i + 1) * bits) of the stream, bit j of which is bit j mod 8 of byte j / 8. Values
/// must be below 2^bits, 1 <= bits <= 8 sizeof(W); `out` has packed_bytes(values.size(), bits) bytes. No branch depends
/// on a value.
template <LimbWord W>
void pack_bits(std::span<std::uint8_t> out, std::span<const W> values, unsigned bits) noexcept;

/// The reverse of `pack_bits`, for values.size() values. No branch depends on a value. Returns false if some value is
/// not below `limit` or an unused bit is set.
template <LimbWord W>
bool unpack_bits(std::span<W> values, std::span<const std::uint8_t> in, unsigned bits, W limit) noexcept;

}  // namespace cyclotome::io
