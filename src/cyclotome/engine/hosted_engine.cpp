// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/hosted_engine.hpp"

#include <algorithm>

#include "cyclotome/program/program.hpp"

namespace cyclotome {

Native HostedEngine::native(const program::Program& program, const program::Composite& composite) {
  const auto* const ops = program.ops().data();
  const bool own =
      std::any_of(ops + composite.first, ops + composite.last, [this](const program::Op& op) { return is_own(op); });
  return own ? Native{} : host()->native(program, composite);
}

}  // namespace cyclotome
