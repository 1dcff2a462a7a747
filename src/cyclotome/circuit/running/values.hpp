// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "cyclotome/circuit/algebra.hpp"
#include "cyclotome/circuit/running/schedule.hpp"

namespace cyclotome::circuit {

/// The values of wires while a circuit is computed: which batch has each of them, on which device, and for how long.
///
/// A wire has the level that it was computed at. Where a step needs it lower, it is given a second value for as long as
/// that step, by way of all levels in between that it is needed at in other steps; so what a step sees does not depend
/// on which other ones came before. Where they come in the order of layers, the lower value replaces the first one, and
/// that way is one switch. Thread-safe but for `away`.
class Values {
 public:
  /// What a wire is used as: at its own level, as a factor, or as an earlier layer's term of a sum, one of products or
  /// one of what was relinearised.
  enum Role : std::size_t { own, factor, term, late };
  static constexpr std::size_t roles = 4;

  /// algebras: one for each device. uses: how often each wire will be asked for. stops: levels that each is needed at,
  /// falling; nothing: steps come in the order of layers.
  Values(std::span<const Algebra* const> algebras, std::vector<std::uint32_t> uses,
         std::vector<std::vector<std::size_t>> stops = {});

  /// The items of a batch on a device are the values of these wires. Those without any use are not kept.
  void hold(BatchPtr batch, std::size_t device, std::span<const Wire> wires);
  /// The same of wires that are held elsewhere until now.
  void move(BatchPtr batch, std::size_t device, std::span<const Wire> wires);
  /// Where values are on a device, and what keeps them there.
  struct Places {
    std::vector<Place> places;
    std::vector<BatchPtr> batches;
  };
  /// The values of these wires on a device, where they were made or brought near.
  Places places(std::span<const Wire> wires, Role role, std::size_t device) const;
  /// Copies those of these wires to a device that are not there yet, for a step. What a device reads of others is
  /// asked of them before they begin with work of their own, behind which it would have to wait.
  void bring_near(std::span<const Wire> wires, Role role, std::size_t device);
  /// Lets go of what was brought near: the step has ended.
  void forget_near();
  /// These wires are used once each.
  void use(std::span<const Wire> wires, Role role);
  /// The values of these wires as one batch, which uses them once each.
  BatchPtr take(std::span<const Wire> wires, Role role, std::size_t device);

  /// Wires of one batch that are lowered alike.
  struct Group {
    std::size_t device;
    std::vector<std::size_t> way;  ///< levels, one after the other
    std::vector<Use> uses;
  };
  /// Those of the wires that have not this standing yet, by batch.
  std::vector<Group> away(std::span<const Use> uses, const Standing& standing) const;
  /// These uses in this role are of the values as they are now, whatever the wires are brought to before.
  void pin(std::span<const Use> uses, Role role);
  /// Gives wires of one batch a second value of this standing, for so many uses in this role; as `own`, which must be
  /// all their uses, in place of the first. passing: the wires' other uses may need a higher level.
  void bring(const Group& group, const Standing& standing, Role role, bool passing = false);

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
  /// An item of a bank on another device. Wires that share a value share its copy.
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  struct Copy {
    BatchPtr batch;
    std::size_t item;
  };

  std::vector<std::size_t> way_of(Wire wire, std::size_t from, std::size_t to) const;
  std::uint32_t add_bank(BatchPtr batch, std::size_t device);
  void settle(Wire wire, const Spot& spot);
  Spot& spot(Wire wire, Role role);
  const Spot& spot(Wire wire, Role role) const;
  void let_go(Wire wire, Role role, std::uint32_t times);

  std::span<const Algebra* const> algebras_;
  std::vector<std::vector<std::size_t>> stops_;
  bool in_order_;
  mutable std::mutex mutex_;
  std::vector<Spot> homes_;
  std::array<std::unordered_map<std::uint32_t, Spot>, roles> brought_;  // by role; `own` stays empty
  std::vector<Bank> banks_;
  std::vector<std::map<Key, Copy>> near_;  // by device
};

}  // namespace cyclotome::circuit
