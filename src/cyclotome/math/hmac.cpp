// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/hmac.hpp"

#include <algorithm>

#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome {

namespace {

using Block = std::array<std::uint8_t, 64>;

/// SHA-256 of the key's block, each byte combined with `pad`, and `message`.
Digest keyed_hash(const Block& key, std::uint8_t pad, std::span<const std::uint8_t> message) noexcept {
  Block block;
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = key[i] ^ pad;
  Sha256 hash;
  hash.update(block);
  hash.update(message);
  secure_zero(block.data(), block.size());
  return hash.finish();
}

}  // namespace

Digest hmac_sha256(std::span<const std::uint8_t> key, std::span<const std::uint8_t> message) noexcept {
  Block block{};
  if (key.size() <= block.size()) {
    std::ranges::copy(key, block.begin());
  } else {
    std::ranges::copy(sha256(key), block.begin());
  }
  Digest inner = keyed_hash(block, 0x36, message);
  const Digest result = keyed_hash(block, 0x5c, inner);
  secure_zero(block.data(), block.size());
  secure_zero(inner.data(), inner.size());
  return result;
}

}  // namespace cyclotome
