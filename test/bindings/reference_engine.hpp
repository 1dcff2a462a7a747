// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cyclotome/engine/cpu/cpu_engine.hpp"

namespace cyclotome::testing {

/// An engine that computes no composite at once: it lends its verbs from the CPU engine, one after another, and
/// inherits what is made of them. The natives of other engines must equal it bit for bit.
class ReferenceEngine final : public Engine {
 public:
  /// largest_tile: batch items that programs work on at a time at most; 0: as every engine does.
  explicit ReferenceEngine(std::size_t threads, std::size_t largest_tile = 0)
      : cpu_(CpuEngine::create(threads)), largest_tile_(largest_tile) {}

  std::string name() const override { return "reference"; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override { return cpu_->allocate(bytes, secret); }
  std::size_t most_items() const noexcept override { return largest_tile_ == 0 ? Engine::most_items() : largest_tile_; }
  void upload(void* destination, const void* host, std::size_t bytes) override {
    cpu_->upload(destination, host, bytes);
  }
  void download(void* host, const void* source, std::size_t bytes) override { cpu_->download(host, source, bytes); }

 protected:
  bool computes_in(const Ring& ring) const noexcept override { return ring.limb_words() >= ring.degree(); }
  void do_forward(View a) override { cpu_->forward(a); }
  void do_inverse(View a) override { cpu_->inverse(a); }
  void do_copy(View out, ConstView a) override { cpu_->copy(out, a); }
  void do_clear(View out) override { cpu_->clear(out); }
  void do_add(View out, ConstView a, ConstView b) override { cpu_->add(out, a, b); }
  void do_subtract(View out, ConstView a, ConstView b) override { cpu_->subtract(out, a, b); }
  void do_negate(View out, ConstView a) override { cpu_->negate(out, a); }
  void do_multiply(View out, ConstView a, ConstView b) override { cpu_->multiply(out, a, b); }
  void do_multiply_accumulate(View accumulator, ConstView a, ConstView b) override {
    cpu_->multiply_accumulate(accumulator, a, b);
  }
  void do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) override {
    cpu_->multiply_scalars(out, a, factors);
  }
  void do_convert(View out, ConstView a, const BaseConversion& conversion) override {
    cpu_->convert(out, a, conversion);
  }
  void do_automorphism(View out, ConstView a, std::uint64_t element) override { cpu_->automorphism(out, a, element); }
  void do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) override {
    cpu_->sample(out, law, seed, stream, first_item);
  }

 private:
  std::shared_ptr<CpuEngine> cpu_;
  std::size_t largest_tile_;
};

}  // namespace cyclotome::testing
