// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/draw.hpp"

#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::study::ltv {

Seed derive_seed(const Seed& master, const Parameters& parameters, std::string_view purpose, const KeyId& key) {
  return study::derive_seed(master, "cyclotome ltv seed", purpose, key, parameters.fingerprint());
}

ZeroisingVector<std::int64_t> draw_ternary(const Parameters& parameters, const Seed& seed, Stream stream,
                                           std::uint32_t item) {
  ZeroisingVector<std::int64_t> values(parameters.degree());
  auto words = seed.words();
  std::uint32_t key[8], block[16];
  std::copy(words.begin(), words.end(), key);
  const std::uint32_t nonce[3] = {static_cast<std::uint32_t>(stream) << 16, item, 0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t slot = i % small_draws_per_block;
    if (slot == 0) chacha20_block(key, static_cast<std::uint32_t>(i / small_draws_per_block), nonce, block);
    values[i] = ternary_value(static_cast<std::uint64_t>(block[2 * slot + 1]) << 32 | block[2 * slot]);
  }
  secure_zero(words.data(), sizeof(words));
  secure_zero(key, sizeof(key));
  secure_zero(block, sizeof(block));
  return values;
}

}  // namespace cyclotome::study::ltv
