// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/operation.hpp"

#include <functional>

namespace cyclotome {

MemoryRange::MemoryRange(ConstView view) noexcept : begin(static_cast<const std::byte*>(view.data)), end(begin) {
  const std::size_t words =
      (view.batch - 1) * view.batch_stride + (view.parts - 1) * view.part_stride + view.limbs() * view.limb_words();
  end += words * bytes_of(view.word());
}

std::optional<OperationKey> OperationKey::of(const CompositeOperation& operation) noexcept {
  if (operation.operands.size() > max_operands || operation.seeds.size() > max_seeds) return std::nullopt;
  OperationKey key;
  key.name_ = operation.name;
  key.constants_ = operation.constants;
  key.operands_ = static_cast<std::uint8_t>(operation.operands.size());
  key.seeds_ = static_cast<std::uint8_t>(operation.seeds.size());
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    const ConstView& view = operation.operands[i];
    Shape& shape = key.shapes_[i];
    shape = {view.ring->id(), view.batch, view.parts, 0, 0, view.domain, static_cast<std::uint8_t>(i)};
    if (view.batch > 1) shape.batch_stride = view.batch_stride;
    if (view.parts > 1) shape.part_stride = view.part_stride;
    for (std::size_t j = i; j-- > 0;) {
      if (operation.operands[j].data == view.data) {
        shape.same_as = static_cast<std::uint8_t>(j);
      } else if (MemoryRange(operation.operands[j]).overlaps(MemoryRange(view))) {
        return std::nullopt;
      }
    }
  }
  return key;
}

std::size_t OperationKey::hash() const noexcept {
  std::uint64_t hash = std::hash<std::string_view>()(name_);
  const auto add = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  for (const auto constant : constants_) add(constant);
  for (std::size_t i = 0; i < operands_; ++i) {
    add(shapes_[i].ring);
    add(shapes_[i].batch << 16 | shapes_[i].parts << 8 | shapes_[i].same_as);
  }
  return hash;
}

}  // namespace cyclotome
