// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/engine.hpp"

namespace cyclotome {

namespace program {

struct Op;

}  // namespace program

/// An engine that shares the memory of another one, its host, and lends from it every verb that it does not compute
/// itself. What computes `own` verbs overrides their `do_` functions, and composites with such verbs in them are then
/// computed verb by verb.
class HostedEngine : public Engine {
 public:
  const EnginePtr& host() const noexcept { return host_; }

  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override { return host_->allocate(bytes, secret); }
  std::unique_ptr<ProgramNumbers> make_numbers(std::size_t count) override { return host_->make_numbers(count); }
  MemoryState memory(bool with_free) const override { return host_->memory(with_free); }
  void upload(void* destination, const void* from, std::size_t bytes) override {
    host_->upload(destination, from, bytes);
  }
  void download(void* to, const void* source, std::size_t bytes) override { host_->download(to, source, bytes); }
  /// The host's code for what has no operation of this engine's own in it.
  Native native(const program::Program& program, const program::Composite& composite) override;

 protected:
  /// host: an engine whose memory this processor can address.
  explicit HostedEngine(EnginePtr host) : host_(std::move(host)) {}

  /// Whether this engine, not its host, computes an operation.
  virtual bool is_own(const program::Op& op) const = 0;

  void do_forward(View a) override { host_->forward(a); }
  void do_inverse(View a) override { host_->inverse(a); }
  void do_copy(View out, ConstView a) override { host_->copy(out, a); }
  void do_clear(View out) override { host_->clear(out); }
  void do_add(View out, ConstView a, ConstView b) override { host_->add(out, a, b); }
  void do_subtract(View out, ConstView a, ConstView b) override { host_->subtract(out, a, b); }
  void do_negate(View out, ConstView a) override { host_->negate(out, a); }
  void do_multiply(View out, ConstView a, ConstView b) override { host_->multiply(out, a, b); }
  void do_multiply_accumulate(View accumulator, ConstView a, ConstView b) override {
    host_->multiply_accumulate(accumulator, a, b);
  }
  void do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) override {
    host_->multiply_scalars(out, a, factors);
  }
  void do_convert(View out, ConstView a, const BaseConversion& conversion) override {
    host_->convert(out, a, conversion);
  }
  void do_automorphism(View out, ConstView a, std::uint64_t element) override { host_->automorphism(out, a, element); }
  void do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) override {
    host_->sample(out, law, seed, stream, first_item);
  }
  void do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) override {
    host_->linear_combination(out, a, matrix);
  }
  void do_sum_items(View out, std::span<const ConstView> items, std::size_t group) override {
    host_->sum_items(out, items, group);
  }
  void do_peaks(View numbers, ConstView a, const BaseConversion& conversion) override {
    host_->peaks(numbers, a, conversion);
  }

 private:
  const EnginePtr host_;
};

}  // namespace cyclotome
