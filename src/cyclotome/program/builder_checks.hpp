// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/errors.hpp"
#include "cyclotome/program/builder.hpp"

namespace cyclotome::program {

template <class... Parts>
void Builder::require(bool condition, const char* verb, const Parts&... what) const {
  if (!condition) throw ArgumentError(message("program ", program_->name(), ": ", verb, ": ", what...));
}

}  // namespace cyclotome::program
