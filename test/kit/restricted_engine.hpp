// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "cyclotome/engine/forwarding_engine.hpp"

namespace cyclotome::kit {

/// Another engine's memory and verbs with some of its composites, tiles of a given size, and memory full of ones.
class RestrictedEngine final : public ForwardingEngine {
 public:
  using Choice = std::function<bool(std::string_view composite)>;
  /// largest_tile: items at a time; 0: as many as the engine takes.
  RestrictedEngine(EnginePtr engine, Choice choice, std::size_t largest_tile)
      : ForwardingEngine(std::move(engine)), choice_(std::move(choice)), largest_tile_(largest_tile) {}

  std::string name() const override { return host()->name(); }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override {
    auto buffer = host()->allocate(bytes, secret);
    const std::vector<std::byte> ones(bytes, std::byte{0xff});  // no residues: above every modulus
    host()->upload(buffer->data(), ones.data(), bytes);
    return buffer;
  }
  std::size_t working_set() const noexcept override { return static_cast<std::size_t>(-1); }
  std::size_t most_items() const noexcept override { return largest_tile_ == 0 ? host()->most_items() : largest_tile_; }
  Native native(const program::Program& program, const program::Composite& composite) override {
    return choice_(composite.name) ? host()->native(program, composite) : Native();
  }

 protected:
  void do_peaks(View numbers, ConstView a, const BaseConversion& conversion) override {
    host()->peaks(numbers, a, conversion);
  }

 private:
  Choice choice_;
  std::size_t largest_tile_;
};

}  // namespace cyclotome::kit
