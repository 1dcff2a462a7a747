// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/identity.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/hmac.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/ring/randomness/libcrypto.hpp"

namespace cyclotome::rlwe {

namespace {

using Span = std::span<const std::uint8_t>;
using Key = std::array<std::uint8_t, libcrypto::curve_key_bytes>;

constexpr std::string_view prefix = "cyid-";
constexpr std::size_t check_bytes = 5;

Span bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

/// A secret that HMAC made of another, wiped when it goes.
class Derived {
 public:
  Derived(Span key, Span text) : bytes_(hmac_sha256(key, text)) {}
  Derived(const Derived&) = delete;
  Derived& operator=(const Derived&) = delete;
  ~Derived() { secure_zero(bytes_.data(), bytes_.size()); }
  const Digest& bytes() const noexcept { return bytes_; }

 private:
  Digest bytes_;
};

Derived signing_key(const Seed& seed) { return {seed.bytes(), bytes_of("cyclotome identity 1\nEd25519\n")}; }
Derived sealing_key(const Seed& seed) { return {seed.bytes(), bytes_of("cyclotome identity 1\nX25519\n")}; }

PublicIdentity::Bytes public_bytes(const Seed& seed) {
  PublicIdentity::Bytes bytes{};
  const Derived signing = signing_key(seed), sealing = sealing_key(seed);
  std::ranges::copy(libcrypto::ed25519_public(signing.bytes()), bytes.begin());
  std::ranges::copy(libcrypto::x25519_public(sealing.bytes()), bytes.begin() + libcrypto::curve_key_bytes);
  return bytes;
}

std::span<const std::uint8_t, libcrypto::curve_key_bytes> signing_part(const PublicIdentity& identity) {
  return std::span(identity.bytes()).first<libcrypto::curve_key_bytes>();
}
std::span<const std::uint8_t, libcrypto::curve_key_bytes> sealing_part(const PublicIdentity& identity) {
  return std::span(identity.bytes()).last<libcrypto::curve_key_bytes>();
}

/// The little-endian number of 255 bits: a coordinate, without the sign in the highest bit.
Key coordinate(Span key) {
  Key number{};
  std::ranges::copy(key, number.begin());
  number.back() &= 0x7f;
  return number;
}

/// p - value, p = 2^255 - 19, for values up to 19.
constexpr Key below_prime(std::uint8_t value) {
  Key number{};
  number.fill(0xff);
  number.front() = static_cast<std::uint8_t>(0xed - value);
  number.back() = 0x7f;
  return number;
}

constexpr Key small(std::uint8_t value) {
  Key number{};
  number.front() = value;
  return number;
}

bool at_least(const Key& a, const Key& b) {
  return !std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

/// The y of Ed25519's points of order 8; the other points of small order have y = 0, 1 and -1.
constexpr Key eighth{0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
                     0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05};
constexpr Key other_eighth{0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
                           0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
                           0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a};

[[noreturn]] void no_identity(const char* why) {
  throw ArgumentError(message("these bytes are nobody's identity: ", why, "; ask its owner for them again"));
}

void require_usable(const PublicIdentity& identity) {
  const Key y = coordinate(signing_part(identity)), u = coordinate(sealing_part(identity));
  const bool spelled = (identity.bytes().back() & 0x80) == 0;
  if (at_least(y, below_prime(0)) || at_least(u, below_prime(0)) || !spelled) {
    no_identity("a key is not written in the one way that keys are");
  }
  for (const Key& weak : {small(0), small(1), below_prime(1), eighth, other_eighth}) {
    if (y == weak) no_identity("anybody can sign for its key (a point of small order)");
  }
  // Which u these are, libcrypto knows.
  if (libcrypto::x25519_shared(small(9), u).empty()) no_identity("anybody can open what is sealed for its key");
}

/// What is signed: the domain, which has no line feed, then the text.
std::vector<std::uint8_t> signed_text(std::string_view domain, Span text) {
  if (domain.empty() || domain.find('\n') != std::string_view::npos) {
    throw ArgumentError("a domain of signatures is a line of text");
  }
  std::vector<std::uint8_t> whole;
  for (const Span part : {bytes_of("cyclotome signature 1\n"), bytes_of(domain), bytes_of("\n"), text}) {
    whole.insert(whole.end(), part.begin(), part.end());
  }
  return whole;
}

/// The key of one message: HKDF (RFC 5869) of what both sides share, with both public keys and the context.
Derived message_key(Span shared, Span ephemeral, Span receiver, Span context) {
  const Derived extracted(bytes_of("cyclotome sealed message 1"), shared);
  Sha256 hash;
  hash.update(ephemeral);
  hash.update(receiver);
  hash.update(context);
  const Digest about = hash.finish();
  std::vector<std::uint8_t> info(about.begin(), about.end());
  info.push_back(1);
  return {extracted.bytes(), info};
}

/// Each key seals one message, so that the nonce may be the same.
constexpr std::array<std::uint8_t, libcrypto::aead_nonce_bytes> no_nonce{};

int digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

}  // namespace

PublicIdentity PublicIdentity::from_bytes(std::span<const std::uint8_t> bytes) {
  if (bytes.size() != bytes_count) {
    throw ArgumentError(message("an identity has ", bytes_count, " bytes, not ", bytes.size()));
  }
  Bytes own{};
  std::ranges::copy(bytes, own.begin());
  const PublicIdentity identity(own);
  require_usable(identity);
  return identity;
}

PublicIdentity PublicIdentity::from_text(std::string_view text) {
  const std::size_t letters = 2 * (bytes_count + check_bytes);
  if (!text.starts_with(prefix) || text.size() != prefix.size() + letters) {
    throw ArgumentError(message("an identity is \"", prefix, "\" and ", letters, " hexadecimal digits, not ",
                                text.size(), " characters that begin otherwise"));
  }
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = prefix.size(); i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) throw ArgumentError("an identity has a letter that is no hexadecimal digit");
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  const Span own = Span(bytes).first(bytes_count);
  const Digest check = sha256(own);
  if (!std::ranges::equal(Span(bytes).subspan(bytes_count), Span(check).first(check_bytes))) {
    throw ArgumentError("an identity was mistyped: its last ten digits are not those of the others");
  }
  return from_bytes(own);
}

std::string PublicIdentity::text() const {
  const Digest check = sha256(bytes_);
  return std::string(prefix) + hexadecimal(bytes_) + hexadecimal(Span(check).first(check_bytes));
}

Digest PublicIdentity::digest() const {
  Sha256 hash;
  hash.update(bytes_of("cyclotome identity 1\n"));
  hash.update(bytes_);
  return hash.finish();
}

Identity::Identity(Seed&& seed) : seed_(std::move(seed)), public_(PublicIdentity::from_bytes(public_bytes(seed_))) {}

Identity Identity::derived(std::span<const std::uint8_t> context) const {
  constexpr std::string_view label = "cyclotome identity 1\nderived\n";
  std::vector<std::uint8_t> text(label.begin(), label.end());
  text.insert(text.end(), context.begin(), context.end());
  return Identity(Seed(Derived(seed_.bytes(), text).bytes()));
}

Signature Identity::sign(std::string_view domain, std::span<const std::uint8_t> text) const {
  return libcrypto::ed25519_sign(signing_key(seed_).bytes(), signed_text(domain, text));
}

bool PublicIdentity::verify(std::string_view domain, std::span<const std::uint8_t> text,
                            std::span<const std::uint8_t> signature) const {
  return libcrypto::ed25519_verify(signing_part(*this), signed_text(domain, text), signature);
}

std::vector<std::uint8_t> PublicIdentity::seal(std::span<const std::uint8_t> context,
                                               std::span<const std::uint8_t> text) const {
  const Seed ephemeral = Seed::from_system();
  const Key own = libcrypto::x25519_public(ephemeral.bytes());
  const auto shared = libcrypto::x25519_shared(ephemeral.bytes(), sealing_part(*this));
  std::vector<std::uint8_t> sealed;
  sealed.reserve(text.size() + sealing_bytes);  // so that the text is nowhere but where it is encrypted
  sealed.insert(sealed.end(), own.begin(), own.end());
  sealed.insert(sealed.end(), text.begin(), text.end());
  const Derived key = message_key(shared, own, sealing_part(*this), context);
  const auto tag = libcrypto::seal(key.bytes(), no_nonce, context, std::span(sealed).subspan(own.size()));
  sealed.insert(sealed.end(), tag.begin(), tag.end());
  return sealed;
}

ZeroisingVector<std::uint8_t> Identity::open(std::span<const std::uint8_t> context,
                                             std::span<const std::uint8_t> sealed) const {
  const auto refuse = [] [[noreturn]] () {
    throw ArgumentError(
        "this message does not open: it was sealed for somebody else, as another message, or it was altered");
  };
  if (sealed.size() < sealing_bytes) refuse();
  Key ephemeral{};
  std::ranges::copy(sealed.first(ephemeral.size()), ephemeral.begin());
  const auto shared = libcrypto::x25519_shared(sealing_key(seed_).bytes(), ephemeral);
  if (shared.empty()) refuse();
  const Derived key = message_key(shared, ephemeral, sealing_part(public_), context);
  const Span body = sealed.subspan(ephemeral.size());
  const Span text = body.first(body.size() - libcrypto::aead_tag_bytes);
  ZeroisingVector<std::uint8_t> opened(text.begin(), text.end(), Residence::locked);
  if (!libcrypto::open(key.bytes(), no_nonce, context, opened, body.last(libcrypto::aead_tag_bytes))) refuse();
  return opened;
}

}  // namespace cyclotome::rlwe
