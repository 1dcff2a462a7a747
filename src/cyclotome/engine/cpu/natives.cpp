// SPDX-License-Identifier: Apache-2.0
// The composites that cores compute at once: a tile of coefficients, or a few limbs, goes through all of it while it is
// in cache. The others are faster, or as fast, one operation after another.
#include <algorithm>
#include <array>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/program/composites.hpp"

namespace cyclotome {

Native CpuEngine::native(const program::Program& program, const program::Composite& composite) {
  constexpr std::array<std::string_view, 9> own{"tensor_product", "key_switch",         "key_switch_product",
                                                "behz_lift",      "divide_and_round",   "behz_scale",
                                                "scale_to_plain", "convert_with_peaks", "turned_product"};
  if (std::ranges::find(own, composite.name) == own.end()) return {};
  // Of transforms a division is a transform in between, and nothing to keep in cache.
  if (composite.name == "divide_and_round" && composite.outs[0].domain == Domain::transform) return {};
  if (const auto element = program::read_turned_product(program, composite)) {
    return [this, slots = composite.outs[0].ring->galois().slots(*element)](std::span<const View> o) {
      turned_product(o[0], o[1], o[2], slots);
    };
  }
  return Engine::native(program, composite);
}

}  // namespace cyclotome
