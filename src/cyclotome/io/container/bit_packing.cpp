// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/container/bit_packing.hpp"

namespace cyclotome::io {

namespace {

void store64(std::uint8_t* out, std::uint64_t value) noexcept {
  for (unsigned i = 0; i < 8; ++i) out[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint64_t load64(const std::uint8_t* in) noexcept {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= static_cast<std::uint64_t>(in[i]) << (8 * i);
  return value;
}

}  // namespace

template <LimbWord W>
void pack_bits(std::span<std::uint8_t> out, std::span<const W> values, unsigned bits) noexcept {
  std::uint8_t* next = out.data();
  std::uint64_t pending = 0;  // bits that no full group of 64 has formed of yet
  unsigned filled = 0;        // their number, below 64
  for (const W word : values) {
    const std::uint64_t value = word;
    pending |= value << filled;
    filled += bits;
    if (filled >= 64) {
      store64(next, pending);
      next += 8;
      filled -= 64;
      // What did not fit: the top `filled` bits of the value. A shift by 64 is undefined, so in two steps.
      pending = (value >> 1) >> (bits - filled - 1);
    }
  }
  for (unsigned done = 0; done < filled; done += 8) *next++ = static_cast<std::uint8_t>(pending >> done);
}

template <LimbWord W>
bool unpack_bits(std::span<W> values, std::span<const std::uint8_t> in, unsigned bits, W limit) noexcept {
  const std::uint8_t* next = in.data();
  std::size_t left = in.size();
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  std::uint64_t pending = 0;  // bits that are read and not yet used
  unsigned available = 0;     // their number, below 64
  unsigned wrong = 0;
  for (W& word : values) {
    std::uint64_t value = pending;
    if (available < bits) {
      std::uint64_t group = 0;
      const unsigned bytes = left < 8 ? static_cast<unsigned>(left) : 8;
      if (bytes == 8) {
        group = load64(next);
      } else {
        for (unsigned i = 0; i < bytes; ++i) group |= static_cast<std::uint64_t>(next[i]) << (8 * i);
      }
      next += bytes;
      left -= bytes;
      value |= group << available;
      const unsigned used = bits - available;  // of the group; at least 1
      pending = (group >> 1) >> (used - 1);
      available = 8 * bytes - used;
    } else {
      pending = (pending >> 1) >> (bits - 1);
      available -= bits;
    }
    value &= mask;
    wrong |= static_cast<unsigned>(value >= limit);
    word = static_cast<W>(value);
  }
  return wrong == 0 && pending == 0;
}

template void pack_bits(std::span<std::uint8_t>, std::span<const std::uint32_t>, unsigned) noexcept;
template void pack_bits(std::span<std::uint8_t>, std::span<const std::uint64_t>, unsigned) noexcept;
template bool unpack_bits(std::span<std::uint32_t>, std::span<const std::uint8_t>, unsigned, std::uint32_t) noexcept;
template bool unpack_bits(std::span<std::uint64_t>, std::span<const std::uint8_t>, unsigned, std::uint64_t) noexcept;

}  // namespace cyclotome::io
