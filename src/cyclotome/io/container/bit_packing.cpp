// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/container/bit_packing.hpp"

#include <bit>
#include <cstring>

namespace cyclotome::io {

namespace {

void store64(std::uint8_t* out, std::uint64_t value) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(out, &value, sizeof(value));
  } else {
    for (unsigned i = 0; i < 8; ++i) out[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

std::uint64_t load64(const std::uint8_t* in) noexcept {
  std::uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, in, sizeof(value));
  } else {
    for (unsigned i = 0; i < 8; ++i) value |= static_cast<std::uint64_t>(in[i]) << (8 * i);
  }
  return value;
}

/// Values that begin and end on a byte together, whatever their bits: they take as many bytes as one has bits.
constexpr std::size_t group = 8;

/// Where the values of a group begin: a byte, and a bit of it.
struct Starts {
  unsigned byte[group], bit[group];
  explicit Starts(unsigned bits) noexcept {
    for (unsigned k = 0; k < group; ++k) byte[k] = k * bits / 8, bit[k] = k * bits % 8;
  }
};

/// The widest values of which one, with the bits before it in its first byte, fits a word.
constexpr unsigned one_word = 57;

/// Groups that leave room for 8 bytes after the start of any value, so that whole words can be read or written. The
/// number of groups.
template <LimbWord W>
std::size_t pack_groups(std::uint8_t* out, std::span<const W> values, std::size_t bytes, unsigned bits) noexcept {
  if (bits >= one_word) return 0;  // with 7 bits before it a value would end beyond a word
  const Starts starts(bits);
  std::size_t done = 0;
  for (; (done + 1) * group <= values.size() && done * bits + bits + 8 <= bytes; ++done) {
    std::uint64_t pending = 0;  // bits of bytes that are not full
    const W* const from = values.data() + done * group;
    for (unsigned k = 0; k < group; ++k) {
      pending |= static_cast<std::uint64_t>(from[k]) << starts.bit[k];
      store64(out + done * bits + starts.byte[k], pending);
      pending >>= (starts.bit[k] + bits) / 8 * 8;
    }
  }
  return done;
}

template <bool fits_word, LimbWord W>
std::size_t unpack_groups(std::span<W> values, std::span<const std::uint8_t> in, unsigned bits, W limit,
                          std::uint64_t& wrong) noexcept {
  const Starts starts(bits);
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  const W below = limit;
  std::uint64_t any = 0;
  std::size_t done = 0;
  for (; (done + 1) * group <= values.size() && done * bits + starts.byte[group - 1] + 9 <= in.size(); ++done) {
    const std::uint8_t* const from = in.data() + done * bits;
    W* const to = values.data() + done * group;
    for (unsigned k = 0; k < group; ++k) {
      std::uint64_t value = load64(from + starts.byte[k]) >> starts.bit[k];
      // A shift by 64 is undefined, so in two steps.
      if constexpr (!fits_word)
        value |= (static_cast<std::uint64_t>(from[starts.byte[k] + 8]) << 1) << (63 - starts.bit[k]);
      value &= mask;
      any |= static_cast<std::uint64_t>(value >= below);
      to[k] = static_cast<W>(value);
    }
  }
  wrong |= any;
  return done;
}

}  // namespace

template <LimbWord W>
void pack_bits(std::span<std::uint8_t> out, std::span<const W> values, unsigned bits) noexcept {
  const std::size_t groups = pack_groups(out.data(), values, out.size(), bits);
  std::uint8_t* next = out.data() + groups * bits;
  std::uint64_t pending = 0;  // bits that no full group of 64 has formed of yet
  unsigned filled = 0;        // their number, below 64
  for (const W word : values.subspan(groups * group)) {
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
  std::uint64_t wrong = 0;
  const std::size_t groups = bits <= one_word ? unpack_groups<true>(values, in, bits, limit, wrong)
                                              : unpack_groups<false>(values, in, bits, limit, wrong);
  const std::uint8_t* next = in.data() + groups * bits;
  std::size_t left = in.size() - groups * bits;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  std::uint64_t pending = 0;  // bits that are read and not yet used
  unsigned available = 0;     // their number, below 64
  for (W& word : values.subspan(groups * group)) {
    std::uint64_t value = pending;
    if (available < bits) {
      std::uint64_t word64 = 0;
      const unsigned bytes = left < 8 ? static_cast<unsigned>(left) : 8;
      if (bytes == 8) {
        word64 = load64(next);
      } else {
        for (unsigned i = 0; i < bytes; ++i) word64 |= static_cast<std::uint64_t>(next[i]) << (8 * i);
      }
      next += bytes;
      left -= bytes;
      value |= word64 << available;
      const unsigned used = bits - available;  // of the word; at least 1
      pending = (word64 >> 1) >> (used - 1);
      available = 8 * bytes - used;
    } else {
      pending = (pending >> 1) >> (bits - 1);
      available -= bits;
    }
    value &= mask;
    wrong |= static_cast<std::uint64_t>(value >= limit);
    word = static_cast<W>(value);
  }
  return wrong == 0 && pending == 0;
}

template void pack_bits(std::span<std::uint8_t>, std::span<const std::uint32_t>, unsigned) noexcept;
template void pack_bits(std::span<std::uint8_t>, std::span<const std::uint64_t>, unsigned) noexcept;
template bool unpack_bits(std::span<std::uint32_t>, std::span<const std::uint8_t>, unsigned, std::uint32_t) noexcept;
template bool unpack_bits(std::span<std::uint64_t>, std::span<const std::uint8_t>, unsigned, std::uint64_t) noexcept;

}  // namespace cyclotome::io
