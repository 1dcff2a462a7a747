// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cyclotome/engine/cpu/convert.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"

namespace cyclotome {

/// Loops over fewer words than this run on the calling thread: waking the others would take longer.
inline constexpr std::size_t parallel_threshold = 4096;

template <class Body>
void CpuEngine::for_each_limb(View out, const Body& body) {
  const std::size_t limbs = out.limbs(), count = out.batch * out.parts * limbs;
  with_word(out.word(), [&]<class W>(W) {
    const auto one = [&](std::size_t i) {
      const std::size_t l = i % limbs, p = i / limbs % out.parts, b = i / limbs / out.parts;
      body(b, p, l, out.limb<W>(b, p, l));
    };
    if (count * out.degree() < parallel_threshold) {
      for (std::size_t i = 0; i < count; ++i) one(i);
    } else {
      threads_.parallel_for(count, one);
    }
  });
}

template <LimbWord W, class Body>
void CpuEngine::for_each_tile_of(View out, const Body& body) {
  // A job is a run of tiles, so that a job is worth handing to a thread.
  constexpr std::size_t job = 8 * cpu::conversion_tile;
  const std::size_t n = out.degree(), jobs = (n + job - 1) / job;
  threads_.parallel_for(out.batch * out.parts * jobs, [&](std::size_t i) {
    const std::size_t p = i / jobs % out.parts, b = i / jobs / out.parts;
    const std::size_t end = std::min(n, (i % jobs + 1) * job);
    for (std::size_t first = i % jobs * job; first < end; first += cpu::conversion_tile) {
      body(b, p, first, std::min(end - first, cpu::conversion_tile), W{});
    }
  });
}

template <class Body>
void CpuEngine::for_each_tile(View out, const Body& body) {
  with_word(out.word(), [&]<class W>(W) { for_each_tile_of<W>(out, body); });
}

}  // namespace cyclotome
