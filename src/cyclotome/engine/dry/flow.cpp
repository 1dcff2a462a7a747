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

}  // namespace

/// One run, for one item.
class Flow::Run {
 public:
  Run(const Flow& flow, const std::function<Trace()>& fresh)
      : flow_(flow), program_(flow.program_), fresh_(fresh), traces_(flow.starts_.back()) {}

  void give(std::size_t operand, const Flow::Given& given) {
    const std::uint32_t number = program_.operands()[operand];
    const Value& value = program_.values()[number];
    const std::size_t limbs = value.ring->limbs();
    Trace* to = traces_.data() + flow_.starts_[number];
    for (std::size_t item = 0; item < items_of(value.items); ++item) {
      for (std::size_t part = 0; part < value.parts; ++part, to += limbs) {
        std::fill_n(to, limbs, given(operand, item, part));
      }
    }
  }

  void compute() {
    for (std::size_t number = 0; number < program_.ops().size(); ++number) {
      const Op& op = program_.ops()[number];
      const Step& step = flow_.steps_[number];
      for (std::size_t item = 0; item < items_of(op.out.items); ++item) {
        for (std::size_t part = 0; part < op.out.parts; ++part) {
          const auto at = [&](const Window& w) {
            return traces_.data() + w.first + item * w.item_stride + part * w.part_stride;
          };
          make(op, step.conversion, at(step.out), at(step.a), at(step.b));
        }
      }
    }
  }

  /// Of limbs that agree it is theirs; of others a combination of them, so that sums keep theirs.
  Trace result(std::size_t operand, std::size_t part) const {
    const std::uint32_t number = program_.operands()[operand];
    const std::size_t limbs = program_.values()[number].ring->limbs();
    const Trace* const of = traces_.data() + flow_.starts_[number] + part * limbs;
    Trace all = of[0];
    for (std::size_t limb = 1; limb < limbs; ++limb) {
      const Trace other = of[limb] - of[0];
      if (!other.is_zero()) all = all + other * Trace::hashed(limb);
    }
    return all;
  }

 private:
  /// The limbs of one part of an item.
  void make(const Op& op, std::uint64_t conversion, Trace* out, const Trace* a, const Trace* b) {
    const std::size_t limbs = op.out.ring->limbs();
    const auto each = [&](const auto& of) {
      for (std::size_t limb = 0; limb < limbs; ++limb) out[limb] = of(limb);
    };
    switch (op.verb) {
      case Verb::clear:
        return each([](std::size_t) { return Trace(); });
      case Verb::copy:
        return each([&](std::size_t l) { return a[l]; });
      case Verb::forward:
      case Verb::inverse:
        return;
      case Verb::add:
        return each([&](std::size_t l) { return a[l] + b[l]; });
      case Verb::subtract:
        return each([&](std::size_t l) { return a[l] - b[l]; });
      case Verb::negate:
        return each([&](std::size_t l) { return a[l].times(-1); });
      case Verb::multiply:
        return each([&](std::size_t l) { return a[l] * b[l]; });
      case Verb::multiply_accumulate:
        return each([&](std::size_t l) { return out[l] + a[l] * b[l]; });
      case Verb::multiply_scalars:
        return each([&](std::size_t l) { return a[l].times(op.factors[l], op.out.ring->basis()[l]); });
      case Verb::automorphism:
        return each([&, turn = Trace::hashed(op.element)](std::size_t l) { return a[l] * turn; });
      case Verb::convert:
        return convert(conversion, out, limbs, a, op.a.ring->limbs());
      case Verb::sample:
        return each([&](std::size_t) { return fresh_(); });
      case Verb::peaks:  // numbers, which nobody asks for
        return each([&](std::size_t) { return Trace::hashed(conversion); });
    }
  }

  /// What was converted and what the conversion is determine the results; zeros are zeros.
  static void convert(std::uint64_t conversion, Trace* out, std::size_t limbs, const Trace* a, std::size_t sources) {
    const bool zero = std::all_of(a, a + sources, [](Trace trace) { return trace.is_zero(); });
    Trace all;
    for (std::size_t from = 0; from < sources; ++from) all = Trace::hashed(all.value(), a[from].value());
    for (std::size_t limb = 0; limb < limbs; ++limb) {
      out[limb] = zero ? Trace() : Trace::hashed(all.value(), conversion + limb);
    }
  }

  const Flow& flow_;
  const program::Program& program_;
  const std::function<Trace()>& fresh_;
  std::vector<Trace> traces_;
};

Flow::Flow(const program::Program& program) : program_(program), starts_{0} {
  for (const Value& value : program.values()) {
    starts_.push_back(starts_.back() + items_of(value.items) * value.parts * value.ring->limbs());
  }
  for (const Op& op : program.ops()) {
    const std::uint64_t conversion = op.conversion == nullptr ? 0 : program::digest_of(*op.conversion).value();
    steps_.push_back({conversion, window_of(op.out), window_of(op.a), window_of(op.b)});
  }
}

Flow::Window Flow::window_of(const Place& place) const {
  if (!place.exists()) return {0, 0, 0};
  const Value& value = program_.values()[place.value];
  const std::size_t limbs = value.ring->limbs(), item = value.parts * limbs;
  return {starts_[place.value] + place.first_item * item + place.first_part * limbs + place.first_limb,
          items_of(place.items) == 1 ? 0 : item, place.parts == 1 ? 0 : limbs};
}

std::vector<std::vector<Trace>> Flow::run(const Given& given, const std::function<Trace()>& fresh) const {
  Run run(*this, fresh);
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
