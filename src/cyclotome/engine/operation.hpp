// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cyclotome/ring/sampling.hpp"
#include "cyclotome/ring/view.hpp"

namespace cyclotome {

/// Work of several verbs that is asked for again and again, as `Engine::run` wants it described.
struct CompositeOperation {
  std::string_view name;                     ///< of what is done; a literal
  std::array<std::uint64_t, 4> constants{};  ///< ids of the rings and conversions that it uses, and its public numbers
  std::span<const ConstView> operands;       ///< all memory from outside that it reads or writes
  std::span<const Seed* const> seeds{};      ///< all seeds that it draws from
};

/// The memory from the first to the last residue of a view; what lies between its items belongs to it.
struct MemoryRange {
  const std::byte *begin, *end;

  explicit MemoryRange(ConstView view) noexcept;
  bool contains(const void* pointer) const noexcept {
    return static_cast<const std::byte*>(pointer) >= begin && static_cast<const std::byte*>(pointer) < end;
  }
  bool overlaps(const MemoryRange& other) const noexcept { return begin < other.end && other.begin < end; }
};

/// What two runs have in common that may differ in residues, addresses and seeds only: name, constants, the shapes of
/// the operands, and which of them begin at one address.
class OperationKey {
 public:
  static constexpr std::size_t max_operands = 6, max_seeds = 2;

  /// Nothing for an operation that can't be told apart from others: more operands or seeds than this holds, or operands
  /// that overlap and begin at different addresses.
  static std::optional<OperationKey> of(const CompositeOperation& operation) noexcept;

  std::size_t hash() const noexcept;
  bool operator==(const OperationKey&) const = default;

 private:
  std::string_view name_;
  std::array<std::uint64_t, 4> constants_{};
  struct Shape {
    std::uint64_t ring = 0, batch = 0, parts = 0, batch_stride = 0, part_stride = 0;
    Domain domain = Domain::coefficient;
    std::uint8_t same_as = 0;  ///< number of the first operand that begins at this one's address
    bool operator==(const Shape&) const = default;
  };
  std::array<Shape, max_operands> shapes_{};
  std::uint8_t operands_ = 0, seeds_ = 0;
};

}  // namespace cyclotome
