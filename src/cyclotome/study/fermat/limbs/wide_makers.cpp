// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/fermat/limbs/host_wide_engine.hpp"

// Which engines have wide words beside them.
namespace cyclotome::study::fermat {

namespace {

struct Makers {
  std::mutex mutex;
  std::vector<WideEngine::Maker> all;
};

Makers& makers() {
  static Makers known;
  return known;
}

}  // namespace

void WideEngine::add_maker(Maker maker) {
  Makers& known = makers();
  const std::lock_guard lock(known.mutex);
  if (std::ranges::find(known.all, maker) == known.all.end()) known.all.push_back(maker);
}

WideEnginePtr WideEngine::of(const EnginePtr& engine) {
  if (auto host = host_wide_engine(engine)) return host;
  std::vector<Maker> tried;
  {
    Makers& known = makers();
    const std::lock_guard lock(known.mutex);
    tried = known.all;
  }
  for (const Maker maker : tried) {
    if (auto made = maker(engine)) return made;
  }
  throw EngineError(message(engine->name(),
                            " computes no residues of more than one word, which Fermat moduli have; use ",
                            "the device \"cpu\", or \"cuda\" in a build that has it"));
}

}  // namespace cyclotome::study::fermat
