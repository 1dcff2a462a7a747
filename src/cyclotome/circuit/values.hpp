// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "cyclotome/circuit/algebra.hpp"
#include "cyclotome/circuit/schedule.hpp"

namespace cyclotome::circuit {

/// The values of wires while a circuit is computed: which batch has each of them, on which device, and for how long.
///
/// A wire has the level that it was computed at. Where a step needs it lower, it is given a second value for as long as
/// that step; the first one stays as long as other steps use it, so that what a step sees does not depend on which
/// other ones came before. Thread-safe but for `away`.
class Values {
 public:
  /// What a wire is used as: at its own level, as a factor, or as an earlier layer's term of a sum.
  enum Role : std::size_t { own, factor, term };

  /// algebras: one for each device. uses: how often each wire will be asked for.
  Values(std::span<const Algebra* const> algebras, std::vector<std::uint32_t> uses);

  /// The items of a batch on a device are the values of these wires. Those without any use are not kept.
  void hold(BatchPtr batch, std::size_t device, std::span<const Wire> wires);
  /// Where values are on a device, and what keeps them there.
  struct Places {
    std::vector<Place> places;
    std::vector<BatchPtr> batches;
  };
  /// The values of these wires on a device. Those that lie elsewhere are copied.
  Places places(std::span<const Wire> wires, Role role, std::size_t device);
  /// These wires are used once each.
  void use(std::span<const Wire> wires, Role role);
  /// The values of these wires as one batch, which uses them once each.
  BatchPtr take(std::span<const Wire> wires, Role role, std::size_t device);

  /// Wires of one batch.
  struct Group {
    std::size_t device;
    std::vector<Use> uses;
  };
  /// Those of the wires that have not this standing yet, by batch.
  std::vector<Group> away(std::span<const Use> uses, const Standing& standing) const;
  /// Gives wires of one batch a second value of this standing, for so many uses in this role; as `own`, which must be
  /// all their uses, in place of the first.
  void bring(const Group& group, const Standing& standing, Role role);

  /// The batches that hold these wires, without repeats.
  std::vector<const Batch*> batches(std::span<const Use> uses) const;

 private:
  struct Spot {
    std::uint32_t bank = 0;
    std::uint32_t item = 0;
    std::uint32_t uses = 0;
  };
  struct Bank {
    BatchPtr batch;  // null when the last of its values has gone
    std::size_t device = 0;
    std::size_t live = 0;
  };
  struct Away;

  Spot& spot(Wire wire, Role role);
  void let_go(Wire wire, Role role, std::uint32_t times);

  std::span<const Algebra* const> algebras_;
  std::mutex mutex_;
  std::vector<Spot> homes_;
  std::array<std::unordered_map<std::uint32_t, Spot>, 3> brought_;  // by role; `own` stays empty
  std::vector<Bank> banks_;
};

}  // namespace cyclotome::circuit
