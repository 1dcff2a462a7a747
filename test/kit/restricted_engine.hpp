// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "cyclotome/engine/engine.hpp"

namespace cyclotome::kit {

/// Another engine's memory and verbs with some of its composites, tiles of a given size, and memory full of ones.
class RestrictedEngine final : public Engine {
 public:
  using Choice = std::function<bool(std::string_view composite)>;
  /// largest_tile: items at a time; 0: as many as the engine takes.
  RestrictedEngine(EnginePtr engine, Choice choice, std::size_t largest_tile)
      : engine_(std::move(engine)), choice_(std::move(choice)), largest_tile_(largest_tile) {}

  std::string name() const override { return engine_->name(); }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override {
    auto buffer = engine_->allocate(bytes, secret);
    const std::vector<std::byte> ones(bytes, std::byte{0xff});  // no residues: above every modulus
    engine_->upload(buffer->data(), ones.data(), bytes);
    return buffer;
  }
  void upload(void* destination, const void* host, std::size_t bytes) override {
    engine_->upload(destination, host, bytes);
  }
  void download(void* host, const void* source, std::size_t bytes) override { engine_->download(host, source, bytes); }
  std::size_t working_set() const noexcept override { return static_cast<std::size_t>(-1); }
  std::size_t most_items() const noexcept override {
    return largest_tile_ == 0 ? engine_->most_items() : largest_tile_;
  }
  Native native(const program::Program& program, const program::Composite& composite) override {
    return choice_(composite.name) ? engine_->native(program, composite) : Native();
  }

 protected:
  void do_forward(View a) override { engine_->forward(a); }
  void do_inverse(View a) override { engine_->inverse(a); }
  void do_copy(View out, ConstView a) override { engine_->copy(out, a); }
  void do_clear(View out) override { engine_->clear(out); }
  void do_add(View out, ConstView a, ConstView b) override { engine_->add(out, a, b); }
  void do_subtract(View out, ConstView a, ConstView b) override { engine_->subtract(out, a, b); }
  void do_negate(View out, ConstView a) override { engine_->negate(out, a); }
  void do_multiply(View out, ConstView a, ConstView b) override { engine_->multiply(out, a, b); }
  void do_multiply_accumulate(View out, ConstView a, ConstView b) override { engine_->multiply_accumulate(out, a, b); }
  void do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) override {
    engine_->multiply_scalars(out, a, factors);
  }
  void do_convert(View out, ConstView a, const BaseConversion& conversion) override {
    engine_->convert(out, a, conversion);
  }
  void do_automorphism(View out, ConstView a, std::uint64_t element) override {
    engine_->automorphism(out, a, element);
  }
  void do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) override {
    engine_->sample(out, law, seed, stream, first_item);
  }
  void do_peaks(View numbers, ConstView a, const BaseConversion& conversion) override {
    engine_->peaks(numbers, a, conversion);
  }

 private:
  EnginePtr engine_;
  Choice choice_;
  std::size_t largest_tile_;
};

}  // namespace cyclotome::kit
