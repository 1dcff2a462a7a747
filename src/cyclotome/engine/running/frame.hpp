// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "cyclotome/program/program.hpp"

namespace cyclotome {

/// Where the values of a program lie while it runs: operands where the caller has them, temporaries where whoever runs
/// it puts them.
class Frame {
 public:
  explicit Frame(const program::Program& program) : program_(program), bases_(program.values().size()) {}

  /// From here on, for items [first, first + count) of the operands, which come in the order of their declaration.
  void bind(std::span<const View> operands, std::size_t first, std::size_t count) {
    count_ = count;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::uint32_t v = program_.operands()[i];
      const program::Value& value = program_.values()[v];
      bases_[v] = value.items == program::each ? operands[i].items(first, count) : operands[i];
      bases_[v].ring = value.ring.get();  // the caller's may be another object of the same basis
    }
  }

  /// Bytes of a temporary, for the items at hand.
  std::size_t bytes(std::uint32_t v) const { return items(v) * program_.values()[v].item_bytes(); }
  void place(std::uint32_t v, void* data) {
    const program::Value& value = program_.values()[v];
    const std::size_t part = value.ring->limbs() * value.ring->limb_words();
    bases_[v] = {data, value.ring.get(), items(v), value.parts, value.parts * part, part, value.domain};
  }

  /// The residues of a place; nothing for one that does not exist.
  View view(const program::Place& place) const {
    if (!place.exists()) return {};
    View v = bases_[place.value];
    if (place.items != program::each && place.items != v.batch) v = v.items(place.first_item, place.items);
    if (place.parts != v.parts) v = v.part(place.first_part, place.parts);
    if (place.ring != v.ring) v = v.limbs_at(place.first_limb, *place.ring);
    v.domain = place.domain;
    return v;
  }

 private:
  std::size_t items(std::uint32_t v) const {
    const std::size_t known = program_.values()[v].items;
    return known == program::each ? count_ : known;
  }

  const program::Program& program_;
  std::size_t count_ = 0;
  std::vector<View> bases_;  // by value
};

}  // namespace cyclotome
