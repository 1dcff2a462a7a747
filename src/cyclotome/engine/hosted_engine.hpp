// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/forwarding_engine.hpp"

namespace cyclotome {

namespace program {

struct Op;

}  // namespace program

/// An engine that shares the memory of another one, its host, and lends from it every verb that it does not compute
/// itself. What computes `own` verbs overrides their `do_` functions, and composites with such verbs in them are then
/// computed verb by verb.
class HostedEngine : public ForwardingEngine {
 public:
  MemoryState memory(bool with_free) const override { return host()->memory(with_free); }
  std::unique_ptr<ProgramNumbers> make_numbers(std::size_t count) override { return host()->make_numbers(count); }
  /// The host's code for what has no operation of this engine's own in it.
  Native native(const program::Program& program, const program::Composite& composite) override;

 protected:
  /// host: an engine whose memory this processor can address.
  explicit HostedEngine(EnginePtr host) : ForwardingEngine(std::move(host)) {}

  /// Whether this engine, not its host, computes an operation.
  virtual bool is_own(const program::Op& op) const = 0;

  void do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) override {
    host()->linear_combination(out, a, matrix);
  }
  void do_sum_items(View out, std::span<const ConstView> items, std::size_t group) override {
    host()->sum_items(out, items, group);
  }
  void do_peaks(View numbers, ConstView a, const BaseConversion& conversion) override {
    host()->peaks(numbers, a, conversion);
  }
};

}  // namespace cyclotome
