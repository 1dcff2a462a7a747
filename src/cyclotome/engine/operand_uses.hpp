// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cyclotome {

/// An engine that keeps account of which operands are taken.
class OperandUses {
 public:
  virtual ~OperandUses() = default;

  /// Counts what lies there as taken: something that was computed will ask for it, if anything asks for that.
  virtual void will_read(const void* data) = 0;

 protected:
  OperandUses() = default;
};

}  // namespace cyclotome
