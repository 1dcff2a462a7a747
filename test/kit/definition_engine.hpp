// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "cyclotome/engine/verbs.hpp"

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
  CYCLOTOME_OVERRIDE_VERBS
  void do_peaks(View numbers, ConstView a, const BaseConversion& conversion) override;
};

}  // namespace cyclotome::kit
