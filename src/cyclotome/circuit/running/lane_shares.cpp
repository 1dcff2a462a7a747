// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/running/lane_shares.hpp"

#include "cyclotome/rlwe/members.hpp"

namespace cyclotome::circuit {

using rlwe::Ciphertext;

Ciphertext LaneShares::taken(const Ciphertext& all, std::size_t device) const {
  std::vector<rlwe::Member> members;
  for (std::size_t wire = 0; wire < all.batch() / width_; ++wire) {
    for (std::size_t i = first(device); i < first(device + 1); ++i) members.push_back({&all, wire * width_ + i});
  }
  return rlwe::gather(members);
}

Ciphertext LaneShares::joined(std::span<const Ciphertext* const> shares) const {
  std::vector<rlwe::Member> members;
  for (std::size_t wire = 0; wire < shares[0]->batch() / width(0); ++wire) {
    for (std::size_t device = 0; device < devices_; ++device) {
      for (std::size_t i = 0; i < width(device); ++i) members.push_back({shares[device], wire * width(device) + i});
    }
  }
  return rlwe::gather(members);
}

Ciphertext moved(const Ciphertext& c, const rlwe::ContextPtr& context) {
  return c.context()->engine() == context->engine() ? c : c.to(context);
}

}  // namespace cyclotome::circuit
