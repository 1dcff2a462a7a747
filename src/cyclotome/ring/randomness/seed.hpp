// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace cyclotome {

/// A secret 256-bit seed. Whoever knows it knows all that is drawn from it, and two things drawn from one seed may
/// reveal each other's secrets. So it can be moved, but not copied: a function that takes a seed uses it up. A seed
/// that was moved from is spent, and every use of it throws ArgumentError. Zeroised when it is moved or destroyed.
class Seed {
 public:
  explicit Seed(const std::array<std::uint8_t, 32>& bytes) noexcept : bytes_(bytes) {}
  Seed(Seed&& other) noexcept;
  Seed& operator=(Seed&& other) noexcept;
  ~Seed();

  /// 32 bytes from the operating system's generator. Throws EngineError if it has none to give.
  static Seed from_system();

  bool spent() const noexcept { return spent_; }
  const std::array<std::uint8_t, 32>& bytes() const;
  /// The key as RFC 8439's eight little-endian words.
  std::array<std::uint32_t, 8> words() const;

 private:
  std::array<std::uint8_t, 32> bytes_;
  bool spent_ = false;
};

/// A seed that is published, in keys and ciphertexts, in place of the uniform polynomials that expand from it.
class PublicSeed {
 public:
  explicit PublicSeed(const std::array<std::uint8_t, 32>& bytes) noexcept : bytes_(bytes) {}
  /// Publishes `seed`: from now on everybody may know it.
  static PublicSeed publish(const Seed& seed) { return PublicSeed(seed.bytes()); }

  const std::array<std::uint8_t, 32>& bytes() const noexcept { return bytes_; }
  /// The same seed, for an engine to draw with.
  Seed to_draw_with() const noexcept { return Seed(bytes_); }
  bool operator==(const PublicSeed&) const = default;

 private:
  std::array<std::uint8_t, 32> bytes_;
};

}  // namespace cyclotome
