// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/dry/asked.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cyclotome/program/digest.hpp"

namespace cyclotome {

namespace {

void add_text(program::Digest& digest, std::string_view text) {
  digest.add(text.size());
  for (const char letter : text) digest.add(static_cast<unsigned char>(letter));
}

/// What the time of work in a ring depends on.
void add_ring(program::Digest& digest, const Ring& ring) {
  digest.add(ring.index());
  digest.add(ring.limb_words());
  digest.add(static_cast<std::uint64_t>(bytes_of(ring.word())));
  for (std::size_t limb = 0; limb < ring.limbs(); ++limb) digest.add(ring.basis()[limb]);
}

Asked::Memory memory_of(const ConstView& view, bool grows) {
  return {view.ring->shared_from_this(), view.batch, view.parts, view.domain, grows};
}

void put_place(Asked::Memory& memory, const void* place) {
  if (memory.places.size() < Asked::most_places) memory.places.insert(place);
}

}  // namespace

std::uint64_t Asked::digest() const {
  program::Digest digest;
  add_text(digest, program != nullptr ? program->text() : name);
  digest.add(items);
  for (const Memory& memory : memories) {
    if (program == nullptr) add_ring(digest, *memory.ring);
    digest.add(memory.items);
    digest.add(memory.parts);
    digest.add(static_cast<std::uint64_t>(memory.domain));
    digest.add(std::bit_width(memory.places.size()));
  }
  return digest.value();
}

void AskedWork::program(const program::ProgramPtr& program, std::span<const View> operands, std::size_t items,
                        const Work& work) {
  Asked& asked = kinds_[{program->id(), items}];
  if (asked.calls++ == 0) {
    asked.name = program->name();
    asked.items = items;
    asked.program = program;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const program::Value& value = program->values()[program->operands()[i]];
      const bool each = value.items == program::each;
      asked.memories.push_back({value.ring, each ? items : value.items, value.parts, value.domain, each});
    }
  }
  asked.work += work;
  for (std::size_t i = 0; i < operands.size(); ++i) put_place(asked.memories[i], operands[i].data);
}

void AskedWork::verb(const char* name, const View& out, std::span<const ConstView> from, const Work& work,
                     Asked::Verb verb, bool list) {
  program::Digest digest;
  add_text(digest, name);
  const auto add_view = [&](const ConstView& view) {
    digest.add(view.ring->id());
    digest.add(view.batch);
    digest.add(view.parts);
    digest.add(static_cast<std::uint64_t>(view.domain));
  };
  add_view(out);
  digest.add(from.size());
  for (const ConstView& view : from.first(list ? std::min<std::size_t>(from.size(), 1) : from.size())) add_view(view);
  Asked& asked = kinds_[{0, digest.value()}];
  if (asked.calls++ == 0) {
    asked.name = name;
    asked.items = out.batch;
    asked.verb = std::move(verb);
    asked.memories.push_back(memory_of(out, true));
    if (list) {
      asked.memories.push_back(memory_of(from.front(), true));
      asked.memories.back().items = from.size();
      asked.memories.back().list = true;
    } else {
      for (const ConstView& view : from) asked.memories.push_back(memory_of(view, view.batch == out.batch));
    }
  }
  asked.work += work;
  put_place(asked.memories.front(), out.data);
  for (std::size_t i = 0; !list && i < from.size(); ++i) put_place(asked.memories[i + 1], from[i].data);
}

std::vector<Asked> AskedWork::all() const {
  std::vector<Asked> result;
  result.reserve(kinds_.size());
  for (const auto& [kind, asked] : kinds_) result.push_back(asked);
  return result;
}

}  // namespace cyclotome
