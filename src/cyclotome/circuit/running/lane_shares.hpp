// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cyclotome/rlwe/ciphertext.hpp"

namespace cyclotome::circuit {

/// Lanes shared out among devices, neighbours together: each computes a whole circuit for its own, and needs nothing of
/// the others. Of `width` ciphertexts for each wire, a device has as many as any other but for one.
class LaneShares {
 public:
  LaneShares(std::size_t width, std::size_t devices) : width_(width), devices_(devices) {}

  /// Whether every device has some.
  static bool serve(std::size_t width, std::size_t devices) { return devices > 1 && width >= devices; }

  std::size_t count() const noexcept { return devices_; }
  /// Ciphertexts of each wire on a device, and the most of any.
  std::size_t width(std::size_t device) const { return first(device + 1) - first(device); }
  std::size_t widest() const { return (width_ + devices_ - 1) / devices_; }
  /// A device's share of `width` ciphertexts for each wire.
  rlwe::Ciphertext taken(const rlwe::Ciphertext& all, std::size_t device) const;
  /// All of them again, from the shares of all devices.
  rlwe::Ciphertext joined(std::span<const rlwe::Ciphertext* const> shares) const;

 private:
  std::size_t first(std::size_t device) const { return device * width_ / devices_; }

  std::size_t width_, devices_;
};

/// On another engine, or as it is where it lies there.
rlwe::Ciphertext moved(const rlwe::Ciphertext& c, const rlwe::ContextPtr& context);

}  // namespace cyclotome::circuit
