// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "cyclotome/ring/view.hpp"

namespace cyclotome {

/// An engine that computes nothing, but knows what it was given before: public values are encoded once, however often a
/// computation is tried with other parameters, and what stands in their place afterwards has the same traces and norms.
class KnownPlaintexts {
 public:
  virtual ~KnownPlaintexts() = default;

  /// Of values and of the way in which they become polynomials: two hashes of all of it.
  using Name = std::array<std::uint64_t, 2>;
  /// Whether polynomials of this name are known; if so, `out` stands for them from now on, and nothing is written
  /// there.
  virtual bool stand_in(const Name& name, View out) = 0;
  /// These are what has this name.
  virtual void learn(const Name& name, ConstView polynomials) = 0;

  using Norms = std::array<double, 3>;
  /// What was noted of polynomials of the same residues.
  virtual std::optional<Norms> noted(ConstView polynomials) const = 0;
  virtual void note(ConstView polynomials, const Norms& norms) = 0;

 protected:
  KnownPlaintexts() = default;
};

}  // namespace cyclotome
