// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/vector.h>

#include "cyclotome/math/chacha20.hpp"
#include "cyclotome/math/hmac.hpp"
#include "testing.hpp"

namespace cyclotome::testing {

namespace {

std::span<const std::uint8_t> span_of(const nb::bytes& bytes) {
  return {static_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

nb::bytes hash_pieces(const std::vector<nb::bytes>& pieces) {
  Sha256 hash;
  for (const auto& piece : pieces) hash.update(span_of(piece));
  const Digest digest = hash.finish();
  return nb::bytes(digest.data(), digest.size());
}

std::uint32_t little_endian(std::span<const std::uint8_t> bytes, std::size_t word) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(bytes[4 * word + i]) << (8 * i);
  return value;
}

nb::bytes block(const nb::bytes& key, std::uint32_t counter, const nb::bytes& nonce) {
  if (key.size() != 32 || nonce.size() != 12) throw std::invalid_argument("a key has 32 bytes and a nonce 12");
  std::uint32_t key_words[8], nonce_words[3], out[16];
  for (std::size_t i = 0; i < 8; ++i) key_words[i] = little_endian(span_of(key), i);
  for (std::size_t i = 0; i < 3; ++i) nonce_words[i] = little_endian(span_of(nonce), i);
  chacha20_block(key_words, counter, nonce_words, out);
  std::array<std::uint8_t, 64> stream{};
  for (std::size_t i = 0; i < 64; ++i) stream[i] = static_cast<std::uint8_t>(out[i / 4] >> (8 * (i % 4)));
  return nb::bytes(stream.data(), stream.size());
}

}  // namespace

void bind_hashes(nb::module_& m) {
  m.def("sha256", [](const nb::bytes& bytes) {
    const Digest digest = sha256(span_of(bytes));
    return nb::bytes(digest.data(), digest.size());
  });
  m.def("sha256_pieces", &hash_pieces);
  m.def("hmac_sha256", [](const nb::bytes& key, const nb::bytes& text) {
    const Digest digest = hmac_sha256(span_of(key), span_of(text));
    return nb::bytes(digest.data(), digest.size());
  });
  m.def("chacha20_block", &block, "key"_a, "counter"_a, "nonce"_a);
}

}  // namespace cyclotome::testing
