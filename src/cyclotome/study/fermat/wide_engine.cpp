// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/wide_engine.hpp"

#include <algorithm>
#include <mutex>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/fermat/host_wide_engine.hpp"

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

namespace {

/// What is large is announced first.
std::unique_ptr<Buffer> allocated(Engine& engine, std::size_t count, bool secret) {
  const std::size_t bytes = std::max<std::size_t>(count, 1) * sizeof(Words);
  if (bytes >= announced_bytes) {
    require_memory(engine, "residues of wide limbs", bytes, "use a smaller x or degree, or fewer ciphertexts at once");
  }
  return engine.allocate(bytes, secret);
}

}  // namespace

WideWords::WideWords(const WideEngine& wide, std::size_t count, bool secret)
    : engine_(wide.engine()),
      buffer_(allocated(*engine_, count, secret)),
      data_(static_cast<Words*>(buffer_->data())),
      count_(count) {}

WideWords::WideWords(const WideEngine& wide, const Words* host, std::size_t count, bool secret)
    : engine_(wide.engine()), data_(const_cast<Words*>(host)), count_(count) {
  if (wide.on_host()) return;
  buffer_ = allocated(*engine_, count, secret);
  data_ = static_cast<Words*>(buffer_->data());
  engine_->upload(data_, host, count * sizeof(Words));
}

void WideWords::to_host(Words* host) const { engine_->download(host, data_, count_ * sizeof(Words)); }

}  // namespace cyclotome::study::fermat
