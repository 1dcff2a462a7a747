// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/errors.hpp"

namespace [[gnu::visibility("default")]] cyclotome {

/// More than was planned for the life of a key: decryptions for others to see, of which each costs a little of what
/// hides the key. Counted before anything is decrypted; nothing was.
class BudgetError : public Error {
 public:
  using Error::Error;
};

}  // namespace cyclotome
