// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/circuit/algebra.hpp"

namespace cyclotome::circuit {

/// Values that hide nothing: what a circuit computes, for tests and for counting. Each item is `lanes` residues, as
/// slots of a ciphertext are.
class PlainAlgebra final : public Algebra {
 public:
  explicit PlainAlgebra(std::uint64_t modulus, std::size_t lanes = 1);

  /// values: lanes of the first item, of the second, ... Throws ArgumentError for a number of values that is no
  /// multiple of the lanes, RangeError for a value that is not in [0, t).
  BatchPtr batch(std::vector<std::uint64_t> values) const;
  static const std::vector<std::uint64_t>& values(const Batch& a);

  std::uint64_t modulus() const override { return modulus_; }
  Facts facts(const Batch& a) const override;
  std::size_t items_at_once() const override { return 64; }
  BatchPtr gather(std::span<const Place> places) const override;
  std::size_t product_level(std::span<const Batch* const> operands) const override;
  BatchPtr lowered(const Batch& a, std::size_t level) const override;
  BatchPtr multiply(const Batch& a, const Batch& b) const override;
  BatchPtr relinearize(const Batch& a) const override;
  BatchPtr add(const Batch& a, const Batch& b) const override;
  BatchPtr sum_groups(const Batch& a, std::size_t group) const override;
  BatchPtr scale(const Batch& a, std::span<const std::int64_t> factors) const override;
  BatchPtr add_constants(const Batch& a, std::span<const std::int64_t> constants) const override;

 private:
  BatchPtr made(std::vector<std::uint64_t> values, std::size_t parts) const;
  std::uint64_t residue(std::int64_t value) const;

  std::uint64_t modulus_;
  std::size_t lanes_;
};

}  // namespace cyclotome::circuit
