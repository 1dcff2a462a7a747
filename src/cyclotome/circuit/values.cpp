// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/values.hpp"

#include <algorithm>
#include <map>

namespace cyclotome::circuit {

Values::Values(const Algebra& algebra, std::vector<std::uint32_t> uses)
    : algebra_(algebra), uses_(std::move(uses)), spots_(uses_.size()) {}

void Values::hold(BatchPtr batch, std::span<const Wire> wires) {
  Bank bank{std::move(batch)};
  for (std::size_t i = 0; i < wires.size(); ++i) {
    spots_[wires[i].number] = {static_cast<std::uint32_t>(banks_.size()), static_cast<std::uint32_t>(i)};
    bank.live += uses_[wires[i].number] > 0;
  }
  if (bank.live == 0) bank.batch.reset();
  banks_.push_back(std::move(bank));
}

void Values::release(Wire wire) {
  Bank& bank = banks_[spots_[wire.number].bank];
  if (--bank.live == 0) bank.batch.reset();
}

void Values::use(std::span<const Wire> wires) {
  for (const Wire wire : wires) {
    if (--uses_[wire.number] == 0) release(wire);
  }
}

std::vector<Place> Values::places(std::span<const Wire> wires) const {
  std::vector<Place> result;
  result.reserve(wires.size());
  for (const Wire wire : wires) result.push_back(place(wire));
  return result;
}

BatchPtr Values::take(std::span<const Wire> wires) {
  BatchPtr result = algebra_.gather(places(wires));
  use(wires);
  return result;
}

void Values::lower(std::span<const Wire> wires, std::size_t level) {
  std::map<std::uint32_t, std::vector<Wire>> above;  // by bank
  for (const Wire wire : wires) {
    const std::uint32_t bank = spots_[wire.number].bank;
    if (algebra_.facts(*banks_[bank].batch).level > level) above[bank].push_back(wire);
  }
  for (auto& [bank, members] : above) {
    std::ranges::sort(members);
    const auto repeats = std::ranges::unique(members);
    members.erase(repeats.begin(), repeats.end());
    BatchPtr low = algebra_.lowered(*algebra_.gather(places(members)), level);
    for (const Wire wire : members) release(wire);
    hold(std::move(low), members);
  }
}

std::vector<const Batch*> Values::batches(std::span<const Wire> wires) const {
  std::vector<const Batch*> result;
  for (const Wire wire : wires) result.push_back(place(wire).batch);
  std::ranges::sort(result);
  const auto repeats = std::ranges::unique(result);
  result.erase(repeats.begin(), repeats.end());
  return result;
}

std::size_t Values::lowest_level(std::span<const Wire> wires) const {
  std::size_t lowest = ~std::size_t{0};
  for (const Batch* const batch : batches(wires)) lowest = std::min(lowest, algebra_.facts(*batch).level);
  return lowest;
}

}  // namespace cyclotome::circuit
