// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/norm_constants.hpp"

#include <map>
#include <memory>
#include <mutex>

namespace cyclotome::rlwe {

const NormConstants& norm_constants(const RingShape& ring) {
  static std::mutex mutex;
  static std::map<std::pair<RingKind, std::uint64_t>, std::unique_ptr<const NormConstants>> all;
  const std::lock_guard lock(mutex);
  auto& slot = all[{ring.kind(), ring.index()}];
  if (slot == nullptr) {
    auto made = std::make_unique<NormConstants>(NormConstants{ring.kind(), ring.index(), {}, nullptr, {}});
    if (ring.kind() == RingKind::negacyclic) {
      CanonicalEmbedding::of(ring);  // which refuses rings that it doesn't know
      for (const Root& root : half_turn_roots(ring.degree())) made->half_turn.push_back({root.real, root.imaginary});
    } else {
      fill_cyclotomic(*made, ring);
    }
    slot = std::move(made);
  }
  return *slot;
}

}  // namespace cyclotome::rlwe
