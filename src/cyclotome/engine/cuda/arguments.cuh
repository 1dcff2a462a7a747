// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "cyclotome/engine/cuda/device_view.cuh"

// What a recorded operation has to know of a kernel's arguments: where pointers and seeds stand in them, so that the
// kernel can run again with others. Each structure that kernels take has a visit_pointers beside it; one without does
// not compile.
namespace cyclotome::cuda {

/// What a pointer in an argument may lead to: residues, that is an operand or memory of the operation's own, or
/// constants of the engine as well.
enum class Reach : std::uint8_t { residues, anything };

template <class T, class Visit>
void visit_pointers(T* const& pointer, const Visit& visit) {
  visit(&pointer, Reach::anything);
}

template <class T, class Visit>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_empty_v<T>
void visit_pointers(const T&, const Visit&) {}

template <class W, class Visit>
void visit_pointers(const DeviceView<W>& view, const Visit& visit) {
  visit(&view.data, Reach::residues);
}

inline constexpr std::size_t seed_bytes = 32;

/// Structures that hold the words of a seed say where.
template <class T, class Visit>
void visit_seeds(const T&, const Visit&) {}

/// Arguments of one kernel as bytes, at addresses that suit their types.
class PackedArguments {
 public:
  /// Appends a copy; its offset.
  template <class T>
  std::size_t append(const T& argument) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= sizeof(Unit));
    const std::size_t units = (sizeof(T) + sizeof(Unit) - 1) / sizeof(Unit), first = memory_.size();
    memory_.resize(first + units);
    std::memcpy(&memory_[first], &argument, sizeof(T));
    offsets_.push_back(first * sizeof(Unit));
    return offsets_.back();
  }
  std::byte* at(std::size_t offset) { return reinterpret_cast<std::byte*>(memory_.data()) + offset; }
  /// An array of pointers to the arguments, valid until the next one is appended.
  void** pointers() {
    pointers_.clear();
    for (const std::size_t offset : offsets_) pointers_.push_back(at(offset));
    return pointers_.data();
  }

 private:
  struct alignas(16) Unit {
    std::byte bytes[16];
  };
  std::vector<Unit> memory_;
  std::vector<std::size_t> offsets_;
  std::vector<void*> pointers_;
};

}  // namespace cyclotome::cuda
