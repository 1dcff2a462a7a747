// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace cyclotome {

/// Called with every value that depends on secrets and is meant to be public from here on. Null but in tests that
/// follow secrets through memory; set before other threads start.
extern void (*on_declassify)(const void* data, std::size_t bytes);

/// A decision that may be told: that a key passed its check, that a ciphertext's noise contradicts its bound.
inline bool declassified(bool decision) {
  if (on_declassify != nullptr) on_declassify(&decision, sizeof(decision));
  return decision;
}

}  // namespace cyclotome
