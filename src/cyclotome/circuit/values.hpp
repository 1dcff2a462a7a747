// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/circuit/algebra.hpp"
#include "cyclotome/circuit/circuit.hpp"

namespace cyclotome::circuit {

/// The values of wires while a circuit is computed: which batch has each of them, and for how long.
class Values {
 public:
  /// uses: how often each wire will be asked for.
  Values(const Algebra& algebra, std::vector<std::uint32_t> uses);

  /// The items of a batch are the values of these wires. Those without any use are not kept.
  void hold(BatchPtr batch, std::span<const Wire> wires);
  /// The values of these wires, which are used once each by this.
  BatchPtr take(std::span<const Wire> wires);
  /// Where the values of these wires are, until the last of them is used.
  std::vector<Place> places(std::span<const Wire> wires) const;
  /// These wires are used once each.
  void use(std::span<const Wire> wires);
  /// Those of the wires that are above a level are brought down to it.
  void lower(std::span<const Wire> wires, std::size_t level);
  /// The batches that hold these wires, without repeats.
  std::vector<const Batch*> batches(std::span<const Wire> wires) const;
  /// The lowest level among these wires.
  std::size_t lowest_level(std::span<const Wire> wires) const;

 private:
  struct Spot {
    std::uint32_t bank = 0;
    std::uint32_t item = 0;
  };
  struct Bank {
    BatchPtr batch;  // null when the last of its values has gone
    std::size_t live = 0;
  };

  void release(Wire wire);
  Place place(Wire wire) const { return {banks_[spots_[wire.number].bank].batch.get(), spots_[wire.number].item}; }

  const Algebra& algebra_;
  std::vector<std::uint32_t> uses_;
  std::vector<Spot> spots_;
  std::vector<Bank> banks_;
};

}  // namespace cyclotome::circuit
