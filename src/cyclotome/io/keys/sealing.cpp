// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/keys/sealing.hpp"

#include <algorithm>

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/sha256.hpp"
#include "cyclotome/ring/randomness/libcrypto.hpp"
#include "cyclotome/ring/randomness/seed.hpp"

namespace cyclotome::io {

namespace {

using Span = std::span<const std::uint8_t>;

ZeroisingVector<std::uint8_t> derived_key(Span passphrase, Span salt, const ScryptCost& cost) {
  return libcrypto::scrypt(passphrase, salt, cost.log2_n, cost.r, cost.p, libcrypto::aead_key_bytes);
}

}  // namespace

Bytes sealed_frame(FrameWriter& frame, std::size_t text_bytes, const std::function<void(ByteWriter&)>& write,
                   Span passphrase, const ScryptCost& cost) {
  if (passphrase.empty()) throw ArgumentError("a passphrase of no characters protects nothing; choose a longer one");
  require_possible(cost);
  const Seed salt = Seed::from_system(), random = Seed::from_system();
  const Span nonce = Span(random.bytes()).first(libcrypto::aead_nonce_bytes);
  ByteWriter& writer = frame.section(layout::sealed_key);
  for (const std::uint32_t field : {scrypt_and_chacha, cost.log2_n, cost.r, cost.p}) writer.u32(field);
  writer.bytes(salt.bytes());
  writer.bytes(nonce);
  const std::size_t before = writer.size();
  write(writer);
  writer.extend(libcrypto::aead_tag_bytes);
  // Lengths are part of what the tag vouches for, so they come first; the checksum is that of the finished bytes.
  Bytes bytes = frame.finish();
  const std::span<std::uint8_t> whole(bytes), text = whole.subspan(before, text_bytes);
  const auto tag = libcrypto::seal(derived_key(passphrase, salt.bytes(), cost), nonce, whole.first(before), text);
  std::ranges::copy(tag, whole.subspan(before + text_bytes).begin());
  const Span body = whole.first(whole.size() - layout::checksum_bytes);
  std::ranges::copy(sha256(body), whole.last(layout::checksum_bytes).begin());
  return bytes;
}

Bytes opened_text(const SealedPayload& sealed, Span passphrase, const char* secret) {
  if (passphrase.empty()) {
    throw PassphraseError(message("this ", secret, " is protected by a passphrase, and none was given"));
  }
  Bytes text(sealed.text.size(), Residence::locked);
  std::ranges::copy(sealed.text, text.begin());
  if (!libcrypto::open(derived_key(passphrase, sealed.salt, sealed.cost), sealed.nonce, sealed.header, text,
                       sealed.tag)) {
    throw PassphraseError(message("the passphrase does not open this ", secret,
                                  ": it is another one, or the file was changed; try again, or take a backup of the ",
                                  "file"));
  }
  return text;
}

}  // namespace cyclotome::io
