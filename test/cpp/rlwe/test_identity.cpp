// SPDX-License-Identifier: Apache-2.0
// Identities of parties: signatures and sealed messages that nobody else makes or opens, keys of small order refused,
// and files that are whole or refused.

#include <filesystem>

#include "check.hpp"
#include "cyclotome/io/files/file.hpp"
#include "cyclotome/io/joint/identity_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/randomness/libcrypto.hpp"
#include "cyclotome/rlwe/joint/identity.hpp"

namespace {

using namespace cyclotome;
using rlwe::Identity;
using rlwe::PublicIdentity;
using Bytes = std::vector<std::uint8_t>;

Bytes of_text(std::string_view text) { return {text.begin(), text.end()}; }

Identity fixed(std::uint8_t first) { return Identity(Seed({first, 7, 9})); }

TEST(a_signature_is_of_one_text_one_domain_and_one_identity) {
  const Identity ada = fixed(1), ben = fixed(2);
  const Bytes text = of_text("first share");
  const auto signature = ada.sign("commit", text);
  CHECK(ada.public_identity().verify("commit", text, signature));
  CHECK(!ben.public_identity().verify("commit", text, signature));
  CHECK(!ada.public_identity().verify("open", text, signature));
  // What stands on both sides of the line feed can't be shifted.
  CHECK(!ada.public_identity().verify("commi", of_text("tfirst share"), signature));
  CHECK_THROWS(ArgumentError, ada.sign("two\nlines", text));
  CHECK_THROWS(ArgumentError, ada.sign("", text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    Bytes other = text;
    other[i] ^= 0x20;
    CHECK(!ada.public_identity().verify("commit", other, signature));
  }
  for (std::size_t bit = 0; bit < 8 * signature.size(); ++bit) {
    auto other = signature;
    other[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    CHECK(!ada.public_identity().verify("commit", text, other));
  }
  CHECK(ada.sign("commit", text) == signature);  // deterministic
}

TEST(a_sealed_message_opens_for_its_receiver_in_its_context_alone) {
  const Identity ada = fixed(1), ben = fixed(2);
  const Bytes text = of_text("a dealt share"), context = of_text("session 1, from 2 to 1");
  const Bytes sealed = ada.public_identity().seal(context, text);
  CHECK_EQ(sealed.size(), text.size() + rlwe::sealing_bytes);
  const auto opened = ada.open(context, sealed);
  CHECK(std::ranges::equal(opened, text));
  CHECK(opened.get_allocator().residence() == Residence::locked);
  CHECK(ada.public_identity().seal(context, text) != sealed);
  CHECK(std::ranges::search(sealed, text).empty());
  CHECK_THROWS(ArgumentError, ben.open(context, sealed));
  CHECK_THROWS(ArgumentError, ada.open(of_text("session 2, from 2 to 1"), sealed));
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    Bytes other = sealed;
    other[i] ^= 1;
    CHECK_THROWS(ArgumentError, ada.open(context, other));
  }
  for (std::size_t length = 0; length < sealed.size(); ++length) {
    CHECK_THROWS(ArgumentError, ada.open(context, std::span(sealed).first(length)));
  }
  // An ephemeral key of small order: everybody would know what is shared.
  for (const std::uint8_t weak : {std::uint8_t{0}, std::uint8_t{1}}) {
    Bytes other = sealed;
    std::fill_n(other.begin(), 32, 0);
    other[0] = weak;
    CHECK_THROWS(ArgumentError, ada.open(context, other));
  }
  CHECK(ada.open({}, ada.public_identity().seal({}, {})).empty());
}

TEST(identities_are_bytes_and_text_in_one_spelling) {
  const PublicIdentity ada = fixed(1).public_identity(), ben = fixed(2).public_identity();
  CHECK(!(ada == ben));
  CHECK(PublicIdentity::from_bytes(ada.bytes()) == ada);
  const std::string text = ada.text();
  CHECK(PublicIdentity::from_text(text) == ada);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = other[i] == '0' ? '1' : '0';
    CHECK_THROWS(ArgumentError, PublicIdentity::from_text(other));
  }
  CHECK_THROWS(ArgumentError, PublicIdentity::from_text(text + "0"));
  CHECK_THROWS(ArgumentError, PublicIdentity::from_text(""));
  CHECK_THROWS(ArgumentError, PublicIdentity::from_bytes(std::span(ada.bytes()).first(63)));
}

/// -value modulo 2^255 - 19, little-endian, for values up to 19.
Bytes minus(std::uint8_t value) {
  Bytes bytes(32, 0xff);
  bytes.front() = static_cast<std::uint8_t>(0xed - value);
  bytes.back() = 0x7f;
  return bytes;
}

Bytes number(std::uint8_t value) {
  Bytes bytes(32, 0);
  bytes.front() = value;
  return bytes;
}

TEST(keys_of_small_order_and_other_spellings_are_nobodys) {
  const PublicIdentity ada = fixed(1).public_identity();
  const Bytes eighth{0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
                     0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05};
  const Bytes other_eighth{0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
                           0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
                           0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a};
  const Bytes montgomery_eighth{0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3,
                                0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32,
                                0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00};
  const auto with = [&](std::size_t at, const Bytes& key, std::uint8_t sign) {
    auto bytes = ada.bytes();
    std::ranges::copy(key, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    bytes[at + 31] ^= sign;
    return bytes;
  };
  for (const std::uint8_t sign : {std::uint8_t{0x00}, std::uint8_t{0x80}}) {
    for (const Bytes& key : {number(0), number(1), minus(1), minus(0), eighth, other_eighth}) {
      CHECK_THROWS(ArgumentError, PublicIdentity::from_bytes(with(0, key, sign)));
    }
    for (const Bytes& key : {number(0), number(1), minus(1), minus(0), montgomery_eighth}) {
      CHECK_THROWS(ArgumentError, PublicIdentity::from_bytes(with(32, key, sign)));
    }
  }
  // A spelling beyond p of a point that is otherwise usable: u = 9 as 9 + p would be below 2^255.
  Bytes nine_again = minus(0);
  nine_again.front() = 0xf6;
  CHECK_THROWS(ArgumentError, PublicIdentity::from_bytes(with(32, nine_again, 0)));
  // Why: for the point y = 1 anybody signs anything with R = that point, S = 0.
  Bytes forged(64, 0);
  forged.front() = 1;
  std::array<std::uint8_t, 32> neutral{1};
  CHECK(libcrypto::ed25519_verify(neutral, of_text("whatever"), forged));
}

TEST(files_are_secret_whole_and_the_same_identity) {
  const std::string path = (std::filesystem::temp_directory_path() / "cyclotome-test-identity").string();
  std::filesystem::remove(path);
  const Identity ada = fixed(1);
  io::write_identity(path, ada);
  CHECK(io::file_is_private(path));
  CHECK(io::load_identity(path).public_identity() == ada.public_identity());
  CHECK(io::load_identity(path).sign("x", {}) == ada.sign("x", {}));
  CHECK_THROWS(FileError, io::write_identity(path, ada));  // never over another's
  std::filesystem::remove(path);
  const Bytes phrase = of_text("correct horse"), wrong = of_text("correct house");
  io::write_identity(path, ada, phrase);
  CHECK_THROWS(PassphraseError, io::load_identity(path));
  CHECK_THROWS(PassphraseError, io::load_identity(path, wrong));
  CHECK(io::load_identity(path, phrase).public_identity() == ada.public_identity());
  const io::Bytes bytes = io::read_file(path, 4096);
  CHECK(io::inspect_identity(bytes).is_protected);
  CHECK(io::inspect_identity(bytes).identity == ada.public_identity());
  CHECK(std::ranges::search(bytes, ada.seed().bytes()).empty());
  std::filesystem::remove(path);
}

/// With its checksum mended.
io::Bytes resealed(io::Bytes bytes) {
  const Digest digest = sha256(std::span(bytes).first(bytes.size() - 32));
  std::ranges::copy(digest, bytes.end() - 32);
  return bytes;
}

TEST(damaged_and_forged_files_are_refused) {
  const io::Bytes bytes = io::serialize(fixed(1));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CHECK_THROWS(FormatError, io::read_identity(std::span(bytes).first(length)));
  }
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    io::Bytes other = bytes;
    other[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    CHECK_THROWS(FormatError, io::read_identity(other));
    if (bit < 8 * (bytes.size() - 32)) CHECK_THROWS(FormatError, io::read_identity(resealed(std::move(other))));
  }
}

}  // namespace

int main() {
  if (libcrypto::curves_state() != "ready") {
    std::cout << "skipped: " << libcrypto::curves_state() << '\n';
    return 77;
  }
  return check::run();
}
