// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/program/rewriting.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::program {

/// The composite written once more, to a program of its own whose first values stand for its outs and ins.
class Rewriting {
 public:
  Rewriting(const Program& program, const Composite& composite)
      : program_(program), composite_(composite), builder_(composite.name) {}

  bool equals(const CompositeWriter& write) {
    std::vector<Slice> outs, ins;
    for (const Place& out : composite_.outs) outs.push_back(stand_for(out, {}));
    for (const Place& in : composite_.ins) ins.push_back(given(in));
    write(builder_, outs, ins);
    const std::vector<Op>& ops = builder_.program_->ops();
    const auto first = program_.ops().begin() + composite_.first, last = program_.ops().begin() + composite_.last;
    return std::equal(first, last, ops.begin(), ops.end(), [&](const Op& a, const Op& b) { return same(a, b); });
  }

 private:
  /// A value that stands for a window of the program's.
  Slice stand_for(const Place& window, Builder::Cell cell) {
    windows_.push_back(window);
    return builder_.declare({Value::Role::temporary, window.ring->shared_from_this(), window.parts, window.items,
                             window.domain, program_.values()[window.value].secret},
                            cell);
  }

  /// The same window twice is the same value.
  Slice given(const Place& in) {
    const auto twin = std::ranges::find_if(given_, [&](const auto& known) { return known.first.same_window(in); });
    if (twin != given_.end()) return twin->second;
    const Slice made = stand_for(
        in, {in.domain == Domain::transform ? Builder::Cell::State::transform : Builder::Cell::State::coefficient});
    given_.emplace_back(in, made);
    return made;
  }

  bool same(const Op& a, const Op& b) {
    const auto id = [](const Op& op) { return op.conversion == nullptr ? 0 : op.conversion->id(); };
    return a.verb == b.verb && same(a.out, b.out) && same(a.a, b.a) && same(a.b, b.b) && id(a) == id(b) &&
           a.factors == b.factors && a.element == b.element && a.law == b.law && a.seed == b.seed &&
           a.stream == b.stream;
  }

  /// `mine` of the rewriting is where `theirs` of the program is.
  bool same(const Place& theirs, const Place& mine) {
    if (!theirs.exists() || !mine.exists()) return theirs.exists() == mine.exists();
    if (theirs.parts != mine.parts || theirs.items != mine.items || theirs.domain != mine.domain) return false;
    if (theirs.ring != mine.ring && !same_ring(*theirs.ring, *mine.ring)) return false;
    Place origin;  // of my value in the program
    if (mine.value < windows_.size()) {
      origin = windows_[mine.value];
    } else if (!own_value(theirs.value, mine.value)) {
      return false;
    } else {
      origin.value = theirs.value;
    }
    return theirs.value == origin.value && theirs.first_part == origin.first_part + mine.first_part &&
           theirs.first_limb == origin.first_limb + mine.first_limb &&
           theirs.first_item == origin.first_item + mine.first_item;
  }

  /// Both are temporaries of one shape that stand for one another, wherever they occur.
  bool own_value(std::uint32_t theirs, std::uint32_t mine) {
    const auto known =
        std::ranges::find_if(pairs_, [&](const auto& p) { return p.first == theirs || p.second == mine; });
    if (known != pairs_.end()) return known->first == theirs && known->second == mine;
    const Value &a = program_.values()[theirs], &b = builder_.program_->values()[mine];
    const auto shared = [&](const Place& window) { return window.value == theirs; };
    if (std::ranges::any_of(composite_.outs, shared) || std::ranges::any_of(composite_.ins, shared)) return false;
    if (a.role != b.role || a.parts != b.parts || a.items != b.items || !same_ring(*a.ring, *b.ring)) return false;
    pairs_.emplace_back(theirs, mine);
    return true;
  }

  static bool same_ring(const Ring& a, const Ring& b) { return a.same_as(b); }

  const Program& program_;
  const Composite& composite_;
  Builder builder_;
  std::vector<Place> windows_;  // by value of the rewriting
  std::vector<std::pair<Place, Slice>> given_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;  // values of the program and of the rewriting
};

bool is_written_by(const Program& program, const Composite& composite, const CompositeWriter& write) {
  try {
    return Rewriting(program, composite).equals(write);
  } catch (const ArgumentError&) {  // what was written does not even fit the operands
    return false;
  }
}

}  // namespace cyclotome::program
