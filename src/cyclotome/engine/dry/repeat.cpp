// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/dry/repeat.hpp"

#include <algorithm>
#include <array>

#include "cyclotome/engine/work_clock.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome {

namespace {

std::size_t item_bytes(const Asked::Memory& memory) {
  return memory.parts * memory.ring->limbs() * memory.ring->limb_words() * bytes_of(memory.ring->word());
}

/// Items that are repeated: as many as keep what grows with them below so many bytes.
std::size_t repeated_items(const Asked& asked, std::size_t bytes) {
  std::size_t each = 0;
  for (const Asked::Memory& memory : asked.memories) {
    if (memory.grows) each += item_bytes(memory) * std::max<std::size_t>(memory.items / asked.items, 1);
  }
  return each == 0 ? asked.items : std::clamp<std::size_t>(bytes / each, 1, asked.items);
}

}  // namespace

Repeat::Repeat(Asked asked, EnginePtr engine, std::size_t bytes)
    : asked_(std::move(asked)), engine_(std::move(engine)) {
  if (!asked_.repeatable()) {
    throw ArgumentError(message(asked_.name,
                                " is not done again: it stands in no program, and takes what only its "
                                "caller has"));
  }
  if (asked_.program != nullptr) execution_ = engine_->prepare(asked_.program);
  const std::size_t items = repeated_items(asked_, bytes),
                    share = bytes / std::max<std::size_t>(asked_.memories.size(), 1);
  times_ = static_cast<double>(asked_.calls) * static_cast<double>(asked_.items) / static_cast<double>(items);
  for (const Asked::Memory& memory : asked_.memories) {
    const std::size_t per = std::max<std::size_t>(memory.items / asked_.items, 1);
    std::size_t count = memory.grows ? items * per : memory.items;
    if (memory.list) count = std::clamp<std::size_t>(bytes / item_bytes(memory), 1, count);
    const std::size_t size = count * item_bytes(memory);
    const std::size_t places = std::clamp<std::size_t>(share / std::max<std::size_t>(size, 1), 1,
                                                       std::max<std::size_t>(memory.places.size(), 1));
    std::vector<PolyArray>& arrays = operands_.emplace_back();
    for (std::size_t place = 0; place < places; ++place) {
      arrays.emplace_back(engine_, memory.ring, count, memory.parts, memory.domain);
      engine_->clear(arrays.back().view());
    }
  }
}

void Repeat::once() {
  const std::size_t turn = turn_++;
  std::vector<View> views;
  for (std::vector<PolyArray>& arrays : operands_) views.push_back(arrays[turn % arrays.size()].view());
  if (asked_.program == nullptr) {
    asked_.verb(*engine_, views);
    return;
  }
  std::vector<Operand> operands(views.begin(), views.end());
  const Seed seed{std::array<std::uint8_t, 32>{}};
  const std::vector<const Seed*> seeds(asked_.program->seeds(), &seed);
  execution_->run(operands, seeds);
}

std::int64_t Repeat::run(std::size_t repetitions) {
  engine_->synchronize();
  const WorkClock clock(*engine_);
  const std::int64_t start = clock.nanoseconds();
  for (std::size_t i = 0; i < repetitions; ++i) once();
  engine_->synchronize();
  return clock.nanoseconds() - start;
}

}  // namespace cyclotome
