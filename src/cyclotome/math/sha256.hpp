// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cyclotome {

using Digest = std::array<std::uint8_t, 32>;

/// SHA-256 (FIPS 180-4), fed in pieces. Used for the parameters' fingerprint, the integrity check of containers and, in
/// HMAC, for seeds: constant time in the data, and the state is zeroised when the object goes.
class Sha256 {
 public:
  /// accelerated: use the processor's SHA instructions where it has them; the digest is the same.
  explicit Sha256(bool accelerated = true) noexcept;
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();
  void update(std::span<const std::uint8_t> bytes) noexcept;
  /// Finishes the hash; the object must not be fed afterwards.
  Digest finish() noexcept;

 private:
  using Compress = void(std::array<std::uint32_t, 8>& state, const std::uint8_t* block) noexcept;

  Compress* compress_;
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t length_ = 0;
};

/// SHA-256 of `bytes`.
Digest sha256(std::span<const std::uint8_t> bytes) noexcept;

}  // namespace cyclotome
