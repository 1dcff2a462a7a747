// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/running/values.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace cyclotome::circuit {

Values::Values(std::span<const Algebra* const> algebras, std::vector<std::uint32_t> uses,
               std::vector<std::vector<std::size_t>> stops)
    : algebras_(algebras),
      stops_(std::move(stops)),
      in_order_(stops_.empty()),
      homes_(uses.size()),
      near_(algebras.size()) {
  for (std::size_t i = 0; i < uses.size(); ++i) homes_[i].uses = uses[i];
}

void Values::hold(BatchPtr batch, std::size_t device, std::span<const Wire> wires) {
  const std::lock_guard lock(mutex_);
  Bank bank{std::move(batch), device, 0};
  for (std::size_t i = 0; i < wires.size(); ++i) {
    Spot& home = homes_[wires[i].number];
    home.bank = static_cast<std::uint32_t>(banks_.size());
    home.item = static_cast<std::uint32_t>(i);
    bank.live += home.uses > 0;
  }
  if (bank.live == 0) bank.batch.reset();
  banks_.push_back(std::move(bank));
}

void Values::move(BatchPtr batch, std::size_t device, std::span<const Wire> wires) {
  {
    const std::lock_guard lock(mutex_);
    for (const Wire wire : wires) {
      Bank& from = banks_[homes_[wire.number].bank];
      if (--from.live == 0) from.batch.reset();
    }
  }
  hold(std::move(batch), device, wires);
}

Values::Spot& Values::spot(Wire wire, Role role) {
  const auto found = brought_[role].find(wire.number);
  return found == brought_[role].end() ? homes_[wire.number] : found->second;
}

const Values::Spot& Values::spot(Wire wire, Role role) const {
  const auto found = brought_[role].find(wire.number);
  return found == brought_[role].end() ? homes_[wire.number] : found->second;
}

void Values::let_go(Wire wire, Role role, std::uint32_t times) {
  Spot& used = spot(wire, role);
  used.uses -= times;
  if (used.uses > 0) return;
  Bank& bank = banks_[used.bank];
  if (--bank.live == 0) bank.batch.reset();
  brought_[role].erase(wire.number);
}

Values::Places Values::places(std::span<const Wire> wires, Role role, std::size_t device) const {
  Places result{std::vector<Place>(wires.size()), {}};
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < wires.size(); ++i) {
    const Spot& at = spot(wires[i], role);
    const Bank& bank = banks_[at.bank];
    const bool there = bank.device == device;
    const Copy found = there ? Copy{bank.batch, at.item} : near_[device].at({at.bank, at.item});
    result.places[i] = {found.batch.get(), found.item};
    if (result.batches.empty() || result.batches.back() != found.batch) result.batches.push_back(found.batch);
  }
  return result;
}

void Values::bring_near(std::span<const Wire> wires, Role role, std::size_t device) {
  struct Items {
    std::size_t from;
    BatchPtr batch;
    std::vector<Place> places;
  };
  std::map<std::uint32_t, Items> away;  // by bank: values put together would share the larger bound
  {
    const std::lock_guard lock(mutex_);
    for (const Wire wire : wires) {
      const Spot& at = spot(wire, role);
      const Bank& bank = banks_[at.bank];
      if (bank.device == device || !near_[device].try_emplace({at.bank, at.item}).second) continue;
      Items& items = away.try_emplace(at.bank, Items{bank.device, bank.batch, {}}).first->second;
      items.places.push_back({bank.batch.get(), at.item});
    }
  }
  for (const auto& [bank, items] : away) {
    const BatchPtr copy = algebras_[device]->copied(*algebras_[items.from]->gather(items.places));
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < items.places.size(); ++i) near_[device][{bank, items.places[i].item}] = {copy, i};
  }
}

void Values::forget_near() {
  const std::lock_guard lock(mutex_);
  for (auto& copies : near_) copies.clear();
}

void Values::use(std::span<const Wire> wires, Role role) {
  const std::lock_guard lock(mutex_);
  for (const Wire wire : wires) let_go(wire, role, 1);
}

BatchPtr Values::take(std::span<const Wire> wires, Role role, std::size_t device) {
  const Places all = places(wires, role, device);
  BatchPtr result = algebras_[device]->gather(all.places);
  use(wires, role);
  return result;
}

std::vector<Values::Group> Values::away(std::span<const Use> uses, const Standing& standing) const {
  std::map<std::pair<std::uint32_t, std::vector<std::size_t>>, Group> groups;  // by bank and way
  for (const Use& use : uses) {
    const std::uint32_t number = homes_[use.wire.number].bank;
    const Bank& bank = banks_[number];
    const Facts facts = algebras_[bank.device]->facts(*bank.batch);
    if (Standing{facts.level, facts.correction} == standing) continue;
    const std::vector<std::size_t> way = way_of(use.wire, facts.level, standing.level);
    Group& group = groups.try_emplace({number, way}, Group{bank.device, way, {}}).first->second;
    group.uses.push_back(use);
  }
  std::vector<Group> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

/// Levels that a wire passes on its way down.
std::vector<std::size_t> Values::way_of(Wire wire, std::size_t from, std::size_t to) const {
  std::vector<std::size_t> way;
  if (!in_order_) {
    for (const std::size_t level : stops_[wire.number]) {
      if (level < from && level > to) way.push_back(level);
    }
  }
  if (to < from) way.push_back(to);
  return way;
}

std::uint32_t Values::add_bank(BatchPtr batch, std::size_t device) {
  banks_.push_back({std::move(batch), device, 0});
  return static_cast<std::uint32_t>(banks_.size() - 1);
}

/// The wire's own value is that of a spot from now on, as often as it is still used.
void Values::settle(Wire wire, const Spot& spot) {
  Spot& home = homes_[wire.number];
  if (home.uses == 0) return;
  ++banks_[spot.bank].live;
  Bank& from = banks_[home.bank];
  if (--from.live == 0) from.batch.reset();
  home = {spot.bank, spot.item, home.uses};
}

void Values::pin(std::span<const Use> uses, Role role) {
  const std::lock_guard lock(mutex_);
  for (const Use& use : uses) {
    if (brought_[role].contains(use.wire.number)) continue;
    const Spot home = homes_[use.wire.number];
    ++banks_[home.bank].live;
    brought_[role][use.wire.number] = {home.bank, home.item, use.times};
    let_go(use.wire, own, use.times);
  }
}

void Values::bring(const Group& group, const Standing& standing, Role role, bool passing) {
  const Algebra& algebra = *algebras_[group.device];
  std::vector<Place> places;
  BatchPtr source;
  {
    const std::lock_guard lock(mutex_);
    source = banks_[homes_[group.uses[0].wire.number].bank].batch;
    for (const Use& use : group.uses) places.push_back({source.get(), homes_[use.wire.number].item});
  }
  BatchPtr lower = algebra.gather(places);
  source.reset();
  for (const std::size_t level : group.way) lower = algebra.lowered(*lower, level);
  const bool corrects = algebra.facts(*lower).correction != standing.correction;
  BatchPtr batch = corrects ? algebra.corrected(*lower, standing.correction) : lower;
  const std::lock_guard lock(mutex_);
  const std::uint32_t bank = add_bank(std::move(batch), group.device);
  const std::uint32_t stays = corrects ? add_bank(std::move(lower), group.device) : bank;
  banks_[bank].live = banks_[stays].live = 1;  // until all have been counted
  for (std::size_t i = 0; i < group.uses.size(); ++i) {
    const Use& use = group.uses[i];
    const auto item = static_cast<std::uint32_t>(i);
    if (role == own) {
      settle(use.wire, {bank, item, 0});
      continue;
    }
    ++banks_[bank].live;
    let_go(use.wire, own, use.times);
    brought_[role][use.wire.number] = {bank, item, use.times};
    if (in_order_ && !passing) settle(use.wire, {stays, item, 0});
  }
  for (const std::uint32_t each : std::set{bank, stays}) {
    if (--banks_[each].live == 0) banks_[each].batch.reset();
  }
}

std::vector<const Batch*> Values::batches(std::span<const Use> uses) const {
  std::vector<const Batch*> result;
  for (const Use& use : uses) result.push_back(banks_[homes_[use.wire.number].bank].batch.get());
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace cyclotome::circuit
