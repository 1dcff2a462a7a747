// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/dry/flow.hpp"

#include <algorithm>

namespace cyclotome {

namespace {

using program::Op;
using program::Place;
using program::Value;
using program::Verb;

/// Of one limb of one part of one item.
struct Limb {
  bool zero = false;
  bool copied = false;
  std::size_t value = 0, part = 0, limb = 0;  ///< where a copy comes from
};

/// Items that a value has by itself, as digits of keys; those of the batch are all alike.
std::size_t items_of(std::uint64_t items) { return std::max<std::size_t>(items, 1); }

class Flow {
 public:
  explicit Flow(const program::Program& program) : program_(program) {
    for (const Value& value : program.values()) {
      limbs_.emplace_back(items_of(value.items) * value.parts * value.ring->limbs());
    }
  }

  void given(std::size_t operand, std::size_t part, bool zero) {
    const std::size_t number = program_.operands()[operand];
    const Value& value = program_.values()[number];
    for (std::size_t limb = 0; limb < value.ring->limbs(); ++limb) {
      at(number, 0, part, limb) = {zero, items_of(value.items) == 1, operand, part, limb};
    }
  }

  void run() {
    for (const Op& op : program_.ops()) {
      if (op.verb != Verb::peaks) run(op);
    }
  }

  OutputPart result(std::size_t operand, std::size_t part) {
    const std::size_t number = program_.operands()[operand];
    const Value& value = program_.values()[number];
    const Limb first = at(number, 0, part, 0);
    OutputPart out{true, OutputPart::Source{first.value, first.part}};
    for (std::size_t limb = 0; limb < value.ring->limbs(); ++limb) {
      const Limb& one = at(number, 0, part, limb);
      out.is_zero = out.is_zero && one.zero;
      const bool same = one.copied && one.value == first.value && one.part == first.part && one.limb == limb;
      if (!same) out.copy_of.reset();
    }
    const bool whole = out.copy_of && program_.values()[program_.operands()[first.value]].ring->same_as(*value.ring);
    if (!whole) out.copy_of.reset();
    return out;
  }

 private:
  Limb& at(std::size_t value, std::size_t item, std::size_t part, std::size_t limb) {
    const Value& of = program_.values()[value];
    return limbs_[value][(item * of.parts + part) * of.ring->limbs() + limb];
  }
  /// What a place shows to item, part and limb of a result; one stands for all.
  Limb& at(const Place& place, std::size_t item, std::size_t part, std::size_t limb) {
    return at(place.value, place.first_item + (items_of(place.items) == 1 ? 0 : item),
              place.first_part + (place.parts == 1 ? 0 : part), place.first_limb + limb);
  }

  void run(const Op& op) {
    for (std::size_t item = 0; item < items_of(op.out.items); ++item) {
      for (std::size_t part = 0; part < op.out.parts; ++part) {
        for (std::size_t limb = 0; limb < op.out.ring->limbs(); ++limb) {
          at(op.out, item, part, limb) = made(op, item, part, limb);
        }
      }
    }
  }

  Limb made(const Op& op, std::size_t item, std::size_t part, std::size_t limb) {
    const auto of = [&](const Place& place) -> const Limb& { return at(place, item, part, limb); };
    const auto only = [](bool zero) { return Limb{.zero = zero}; };
    switch (op.verb) {
      case Verb::clear:
        return only(true);
      case Verb::copy:
        return of(op.a);
      case Verb::forward:
      case Verb::inverse:
        return only(of(op.out).zero);
      case Verb::add:
        return of(op.b).zero ? of(op.a) : of(op.a).zero ? of(op.b) : only(false);
      case Verb::subtract:
        return of(op.b).zero ? of(op.a) : only(false);
      case Verb::multiply:
        return only(of(op.a).zero || of(op.b).zero);
      case Verb::multiply_accumulate:
        return of(op.a).zero || of(op.b).zero ? of(op.out) : only(false);
      case Verb::convert: {
        bool zero = true;
        for (std::size_t from = 0; from < op.a.ring->limbs(); ++from) zero = zero && at(op.a, item, part, from).zero;
        return only(zero);
      }
      case Verb::negate:
      case Verb::multiply_scalars:
      case Verb::automorphism:
        return only(of(op.a).zero);
      case Verb::sample:
      case Verb::peaks:
        break;
    }
    return only(false);
  }

  const program::Program& program_;
  std::vector<std::vector<Limb>> limbs_;  // by value
};

}  // namespace

std::vector<std::vector<OutputPart>> flow_of(
    const program::Program& program, const std::function<bool(std::size_t operand, std::size_t part)>& is_zero) {
  Flow flow(program);
  const auto value_of = [&](std::size_t operand) -> const Value& {
    return program.values()[program.operands()[operand]];
  };
  for (std::size_t i = 0; i < program.operands().size(); ++i) {
    if (value_of(i).role != Value::Role::input) continue;
    for (std::size_t part = 0; part < value_of(i).parts; ++part) flow.given(i, part, is_zero(i, part));
  }
  flow.run();
  std::vector<std::vector<OutputPart>> results(program.operands().size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (value_of(i).role != Value::Role::output) continue;
    for (std::size_t part = 0; part < value_of(i).parts; ++part) results[i].push_back(flow.result(i, part));
  }
  return results;
}

}  // namespace cyclotome
