// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/derived_seed.hpp"

#include <vector>

#include "cyclotome/math/hmac.hpp"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::study {

Seed derive_seed(const Seed& master, std::string_view scheme, std::string_view purpose,
                 const std::array<std::uint8_t, 16>& key, const Digest& fingerprint) {
  std::vector<std::uint8_t> label;
  const auto field = [&](std::span<const std::uint8_t> bytes) {
    label.push_back(static_cast<std::uint8_t>(bytes.size()));
    label.insert(label.end(), bytes.begin(), bytes.end());
  };
  field({reinterpret_cast<const std::uint8_t*>(scheme.data()), scheme.size()});
  field({reinterpret_cast<const std::uint8_t*>(purpose.data()), purpose.size()});
  field(key);
  field(fingerprint);
  Digest digest = hmac_sha256(master.bytes(), label);
  Seed seed(digest);
  secure_zero(digest.data(), digest.size());
  return seed;
}

}  // namespace cyclotome::study
