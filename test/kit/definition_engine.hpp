// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "cyclotome/engine/engine.hpp"

namespace cyclotome::kit {

/// Every verb by its definition, one coefficient at a time, with division for remainders and no code of any engine.
/// Slow: for degrees of some hundreds. It knows no composite.
class DefinitionEngine final : public Engine {
 public:
  static std::shared_ptr<DefinitionEngine> create() { return std::make_shared<DefinitionEngine>(); }

  std::string name() const override { return "definition"; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override;
  void upload(void* destination, const void* host, std::size_t bytes) override;
  void download(void* host, const void* source, std::size_t bytes) override;

 protected:
  bool computes_in(const Ring&) const noexcept override { return true; }
  void do_forward(View a) override;
  void do_inverse(View a) override;
  void do_copy(View out, ConstView a) override;
  void do_clear(View out) override;
  void do_add(View out, ConstView a, ConstView b) override;
  void do_subtract(View out, ConstView a, ConstView b) override;
  void do_negate(View out, ConstView a) override;
  void do_multiply(View out, ConstView a, ConstView b) override;
  void do_multiply_accumulate(View accumulator, ConstView a, ConstView b) override;
  void do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) override;
  void do_convert(View out, ConstView a, const BaseConversion& conversion) override;
  void do_automorphism(View out, ConstView a, std::uint64_t element) override;
  void do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) override;
  void do_peaks(View numbers, ConstView a, const BaseConversion& conversion) override;
};

}  // namespace cyclotome::kit
