// SPDX-License-Identifier: Apache-2.0
#pragma once

// Objects that were moved from. Those that are large and often moved hold nothing afterwards, and say so when they are
// used; small and rare ones are copied where others would be moved (copies share residues), and stay as they are.
namespace cyclotome {

/// Throws ArgumentError: an object is used that was moved from.
[[noreturn]] void refuse_moved_from();

/// A pointer of an object's, which is null only where that was moved from. Throws ArgumentError there.
template <class Pointer>
const Pointer& present(const Pointer& pointer) {
  if (pointer == nullptr) [[unlikely]]
    refuse_moved_from();
  return pointer;
}

}  // namespace cyclotome
