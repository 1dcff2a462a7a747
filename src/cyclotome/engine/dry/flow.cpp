// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/dry/flow.hpp"

#include <algorithm>

#include "cyclotome/program/digest.hpp"

namespace cyclotome {

namespace {

using program::Op;
using program::Place;
using program::Value;
using program::Verb;

/// Items that a value has by itself, as digits of keys; those of the batch are all alike.
std::size_t items_of(std::uint64_t items) { return std::max<std::size_t>(items, 1); }

/// Of limbs that are converted: zero if all are.
Trace converted(std::uint64_t start, std::size_t limbs, const std::function<Trace(std::size_t limb)>& of) {
  Trace all = Trace::hashed(start);
  bool zero = true;
  for (std::size_t limb = 0; limb < limbs; ++limb) {
    const Trace one = of(limb);
    zero = zero && one.is_zero();
    all = Trace::hashed(all.value(), one.value());
  }
  return zero ? Trace() : all;
}

/// One run, for one item.
class Run {
 public:
  Run(const program::Program& program, const std::vector<std::uint64_t>& conversions,
      const std::function<Trace()>& fresh)
      : program_(program), conversions_(conversions), fresh_(fresh) {
    for (const Value& value : program.values()) {
      limbs_.emplace_back(items_of(value.items) * value.parts * value.ring->limbs());
    }
  }

  void give(std::size_t operand, const Flow::Given& given) {
    const std::uint32_t number = program_.operands()[operand];
    const Value& value = program_.values()[number];
    for (std::size_t item = 0; item < items_of(value.items); ++item) {
      for (std::size_t part = 0; part < value.parts; ++part) {
        const Trace trace = given(operand, item, part);
        for (std::size_t limb = 0; limb < value.ring->limbs(); ++limb) at(number, item, part, limb) = trace;
      }
    }
  }

  void compute() {
    for (std::size_t number = 0; number < program_.ops().size(); ++number) {
      const Op& op = program_.ops()[number];
      for (std::size_t item = 0; item < items_of(op.out.items); ++item) {
        for (std::size_t part = 0; part < op.out.parts; ++part) {
          for (std::size_t limb = 0; limb < op.out.ring->limbs(); ++limb) {
            at(op.out, item, part, limb) = made(op, conversions_[number], item, part, limb);
          }
        }
      }
    }
  }

  /// Of limbs that agree it is theirs; of others a combination of them, so that sums keep theirs.
  Trace result(std::size_t operand, std::size_t part) {
    const std::uint32_t number = program_.operands()[operand];
    const Trace first = at(number, 0, part, 0);
    Trace all = first;
    for (std::size_t limb = 1; limb < program_.values()[number].ring->limbs(); ++limb) {
      const Trace other = at(number, 0, part, limb) - first;
      if (!other.is_zero()) all = all + other * Trace::hashed(limb);
    }
    return all;
  }

 private:
  Trace& at(std::size_t value, std::size_t item, std::size_t part, std::size_t limb) {
    const Value& of = program_.values()[value];
    return limbs_[value][(item * of.parts + part) * of.ring->limbs() + limb];
  }
  /// What a place shows to item, part and limb of a result; one stands for all.
  Trace& at(const Place& place, std::size_t item, std::size_t part, std::size_t limb) {
    return at(place.value, place.first_item + (items_of(place.items) == 1 ? 0 : item),
              place.first_part + (place.parts == 1 ? 0 : part), place.first_limb + limb);
  }

  Trace made(const Op& op, std::uint64_t conversion, std::size_t item, std::size_t part, std::size_t limb) {
    const auto of = [&](const Place& place) { return at(place, item, part, limb); };
    switch (op.verb) {
      case Verb::clear:
        return {};
      case Verb::copy:
        return of(op.a);
      case Verb::forward:
      case Verb::inverse:
        return of(op.out);
      case Verb::add:
        return of(op.a) + of(op.b);
      case Verb::subtract:
        return of(op.a) - of(op.b);
      case Verb::negate:
        return of(op.a).times(-1);
      case Verb::multiply:
        return of(op.a) * of(op.b);
      case Verb::multiply_accumulate:
        return of(op.out) + of(op.a) * of(op.b);
      case Verb::multiply_scalars:
        return of(op.a).times(op.factors[limb], op.out.ring->basis()[limb]);
      case Verb::automorphism:
        return of(op.a) * Trace::hashed(op.element);
      case Verb::convert:
        return converted(conversion + limb, op.a.ring->limbs(),
                         [&](std::size_t from) { return at(op.a, item, part, from); });
      case Verb::sample:
        return fresh_();
      case Verb::peaks:  // numbers, which nobody asks for
        break;
    }
    return Trace::hashed(conversion);
  }

  const program::Program& program_;
  const std::vector<std::uint64_t>& conversions_;
  const std::function<Trace()>& fresh_;
  std::vector<std::vector<Trace>> limbs_;  // by value
};

}  // namespace

Flow::Flow(const program::Program& program) : program_(program) {
  for (const Op& op : program.ops()) {
    conversions_.push_back(op.conversion == nullptr ? 0 : program::digest_of(*op.conversion).value());
  }
}

std::vector<std::vector<Trace>> Flow::run(const Given& given, const std::function<Trace()>& fresh) const {
  Run run(program_, conversions_, fresh);
  const auto value_of = [&](std::size_t operand) -> const Value& {
    return program_.values()[program_.operands()[operand]];
  };
  for (std::size_t i = 0; i < program_.operands().size(); ++i) {
    if (value_of(i).role == Value::Role::input) run.give(i, given);
  }
  run.compute();
  std::vector<std::vector<Trace>> results(program_.operands().size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (value_of(i).role != Value::Role::output) continue;
    for (std::size_t part = 0; part < value_of(i).parts; ++part) results[i].push_back(run.result(i, part));
  }
  return results;
}

}  // namespace cyclotome
