// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/running/schedule.hpp"

#include <algorithm>

namespace cyclotome {

using program::Composite;
using program::Op;
using program::Place;
using program::Program;
using program::Value;

namespace {

using Step = Schedule::Step;

/// visit(place, whether it is written) for all memory that a step touches.
template <class Visit>
void for_each_place(const Program& program, const Step& step, const Visit& visit) {
  if (step.composite) {
    const Composite& composite = program.composites()[step.index];
    for (const Place& out : composite.outs) visit(out, true);
    for (std::size_t i = 0; i < composite.ins.size(); ++i) visit(composite.ins[i], composite.spoiled[i]);
    return;
  }
  const Op& op = program.ops()[step.index];
  visit(op.out, true);
  for (const Place* const p : {&op.a, &op.b}) {
    if (p->exists()) visit(*p, false);
  }
}

std::vector<Step> steps_of(const Program& program, const std::vector<bool>& known) {
  std::vector<Step> steps;
  std::uint32_t at = 0;
  for (std::uint32_t c = 0; c < program.composites().size(); ++c) {
    const Composite& composite = program.composites()[c];
    if (!known[c] || composite.first < at) continue;
    for (; at < composite.first; ++at) steps.push_back({at, false, {}, {}});
    steps.push_back({c, true, {}, {}});
    at = composite.last;
  }
  for (; at < program.ops().size(); ++at) steps.push_back({at, false, {}, {}});
  return steps;
}

bool is_temporary(const Program& program, std::uint32_t value) {
  return program.values()[value].role == Value::Role::temporary;
}

}  // namespace

Schedule::Schedule(const Program& program, const std::vector<bool>& known) {
  std::vector<bool> differs(program.values().size()), read_by_tile(program.values().size());
  for (std::size_t v = 0; v < differs.size(); ++v) differs[v] = program.values()[v].items == program::each;
  for (Step& step : steps_of(program, known)) {
    bool once = true;
    for_each_place(program, step, [&](const Place& p, bool written) {
      once = once && !differs[p.value] && !(written && read_by_tile[p.value]);
    });
    for_each_place(program, step, [&](const Place& p, bool written) {
      if (!once && written) differs[p.value] = true;
      if (!once) read_by_tile[p.value] = true;
      const bool known_kept = std::ranges::find(kept_, p.value) != kept_.end();
      if (once && is_temporary(program, p.value) && !known_kept) kept_.push_back(p.value);
    });
    (once ? once_ : tile_).push_back(std::move(step));
  }
  find_lives(program);
  find_peak(program);
}

void Schedule::find_lives(const Program& program) {
  constexpr auto never = static_cast<std::size_t>(-1);
  std::vector<std::size_t> first(program.values().size(), never), last(program.values().size(), never);
  for (std::size_t s = 0; s < tile_.size(); ++s) {
    for_each_place(program, tile_[s], [&](const Place& p, bool) {
      if (first[p.value] == never) first[p.value] = s;
      last[p.value] = s;
    });
  }
  for (std::uint32_t v = 0; v < first.size(); ++v) {
    if (first[v] == never || !is_temporary(program, v) || std::ranges::find(kept_, v) != kept_.end()) continue;
    tile_[first[v]].begins.push_back(v);
    tile_[last[v]].ends.push_back(v);
  }
}

void Schedule::find_peak(const Program& program) {
  std::size_t items = 0, fixed = 0;
  const auto amount = [&](std::uint32_t v) -> std::pair<std::size_t&, std::size_t> {
    const Value& value = program.values()[v];
    if (value.items == program::each) return {items, value.item_bytes()};
    return {fixed, value.item_bytes() * value.items};
  };
  for (const std::uint32_t v : kept_) fixed += program.values()[v].item_bytes() * program.values()[v].items;
  fixed_bytes_ = fixed;
  for (const Step& step : tile_) {
    for (const std::uint32_t v : step.begins) {
      const auto [sum, bytes] = amount(v);
      sum += bytes;
    }
    item_bytes_ = std::max(item_bytes_, items);
    fixed_bytes_ = std::max(fixed_bytes_, fixed);
    for (const std::uint32_t v : step.ends) {
      const auto [sum, bytes] = amount(v);
      sum -= bytes;
    }
  }
}

}  // namespace cyclotome
