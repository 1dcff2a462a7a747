// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/program/program.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>

namespace cyclotome::program {

namespace {

bool within(std::size_t first, std::size_t count, std::size_t outer_first, std::size_t outer_count) noexcept {
  return outer_first <= first && first + count <= outer_first + outer_count;
}

bool meet(std::size_t first, std::size_t count, std::size_t other_first, std::size_t other_count) noexcept {
  return first < other_first + other_count && other_first < first + count;
}

template <class Wanted, class Get>
std::vector<Wanted> of_ops(const std::vector<Op>& ops, const Composite& composite, const Get& get) {
  std::vector<Wanted> found;
  for (std::size_t i = composite.first; i < composite.last; ++i) get(ops[i], found);
  return found;
}

}  // namespace

const char* name_of(Verb verb) noexcept {
  constexpr const char* names[] = {"forward",
                                   "inverse",
                                   "copy",
                                   "clear",
                                   "add",
                                   "subtract",
                                   "negate",
                                   "multiply",
                                   "multiply_accumulate",
                                   "multiply_scalars",
                                   "convert",
                                   "automorphism",
                                   "sample",
                                   "peaks"};
  static_assert(std::size(names) == static_cast<std::size_t>(Verb::peaks) + 1);
  return names[static_cast<std::size_t>(verb)];
}

const RingPtr& number_ring() {
  static const RingPtr ring = Ring::negacyclic(2, Basis(Word::u64, {65537}));
  return ring;
}

bool Place::overlaps(const Place& other) const noexcept {
  return value == other.value && meet(first_part, parts, other.first_part, other.parts) &&
         meet(first_limb, ring->limbs(), other.first_limb, other.ring->limbs()) &&
         (items == each || other.items == each || meet(first_item, items, other.first_item, other.items));
}

bool Place::contains(const Place& other) const noexcept {
  return value == other.value && within(other.first_part, other.parts, first_part, parts) &&
         within(other.first_limb, other.ring->limbs(), first_limb, ring->limbs()) &&
         (items == each || within(other.first_item, other.items, first_item, items));
}

bool Place::same_window(const Place& other) const noexcept { return contains(other) && other.contains(*this); }

Program::Program() {
  static std::atomic<std::uint64_t> counter{0};
  id_ = ++counter;
}

std::vector<Verb> Program::verbs(const Composite& composite) const {
  return of_ops<Verb>(ops_, composite, [](const Op& op, auto& found) { found.push_back(op.verb); });
}

std::vector<const BaseConversion*> Program::conversions(const Composite& composite) const {
  return of_ops<const BaseConversion*>(ops_, composite, [](const Op& op, auto& found) {
    if (op.verb == Verb::convert) found.push_back(op.conversion);
  });
}

std::vector<const std::vector<std::uint64_t>*> Program::factors(const Composite& composite) const {
  return of_ops<const std::vector<std::uint64_t>*>(ops_, composite, [](const Op& op, auto& found) {
    if (op.verb == Verb::multiply_scalars) found.push_back(&op.factors);
  });
}

}  // namespace cyclotome::program
