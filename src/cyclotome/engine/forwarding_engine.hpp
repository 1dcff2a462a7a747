// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/engine.hpp"

namespace cyclotome {

/// An engine with the memory of another one, its host, which computes those verbs of programs that every engine must
/// have, unless a class overrides them. What an engine may have beside these, native code above all, is not passed on.
class ForwardingEngine : public Engine {
 public:
  const EnginePtr& host() const noexcept { return host_; }

  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override { return host_->allocate(bytes, secret); }
  void upload(void* destination, const void* from, std::size_t bytes) override {
    host_->upload(destination, from, bytes);
  }
  void download(void* to, const void* source, std::size_t bytes) override { host_->download(to, source, bytes); }

 protected:
  explicit ForwardingEngine(EnginePtr host) : host_(std::move(host)) {}

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

 private:
  const EnginePtr host_;
};

}  // namespace cyclotome
