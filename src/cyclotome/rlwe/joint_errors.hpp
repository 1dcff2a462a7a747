// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/errors.hpp"

// What goes wrong between the parties of a joint key, and nowhere else.
namespace [[gnu::visibility("default")]] cyclotome {

/// A party was asked to answer a second, other first round of its session. It answers one; a new session is cheap.
class RepeatedAnswerError : public Error {
 public:
  using Error::Error;
};

}  // namespace cyclotome
