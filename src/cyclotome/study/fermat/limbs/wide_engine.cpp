// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/limbs/wide_engine.hpp"

#include <algorithm>

#include "cyclotome/engine/memory_limit.hpp"

namespace cyclotome::study::fermat {

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

WideWords WideWords::moved_to(const WideEngine& wide, bool secret) && {
  if (wide.engine() == engine_) return std::move(*this);
  Rows host(count_);
  to_host(host.data());
  WideWords there(wide, count_, secret);
  wide.engine()->upload(there.data(), host.data(), count_ * sizeof(Words));
  return there;
}

void WideWords::to_host(Words* host, std::size_t count) const { engine_->download(host, data_, count * sizeof(Words)); }

}  // namespace cyclotome::study::fermat
