// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/hiding_draw.hpp"

namespace cyclotome::rlwe {

void draw_to_hide(const Context& context, View out, const Seed& seed, Stream stream) {
  Engine& engine = *context.engine();
  const auto items = static_cast<std::uint32_t>(out.batch);
  PolyArray next = context.make(out.ring->shared_from_this(), out.batch, out.parts, out.domain, true);
  engine.sample(out, Law::uniform, seed, stream);
  for (std::uint32_t draw = 1; draw < hiding_draws; ++draw) {
    engine.sample(next.view(), Law::uniform, seed, stream, draw * items);
    engine.add(out, out, next.view());
  }
}

}  // namespace cyclotome::rlwe
