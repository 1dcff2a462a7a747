// SPDX-License-Identifier: Apache-2.0
// The functions of the system's libcrypto: their types, where its headers are installed, and the RFCs' test vectors.

#include <type_traits>

#include "check.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/randomness/libcrypto.hpp"
#include "cyclotome/ring/randomness/libcrypto_functions.hpp"

#if __has_include(<openssl/evp.h>)
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#endif

namespace {

using namespace cyclotome;

#if __has_include(<openssl/evp.h>)
// A function type with OpenSSL's opaque types in place of ours.
template <class T>
struct Theirs {
  using Type = T;
};
template <class T>
struct Theirs<T*> {
  using Type = typename Theirs<T>::Type*;
};
template <class T>
struct Theirs<const T> {
  using Type = const typename Theirs<T>::Type;
};
template <>
struct Theirs<libcrypto::Context> {
  using Type = EVP_CIPHER_CTX;
};
template <>
struct Theirs<libcrypto::Cipher> {
  using Type = EVP_CIPHER;
};
template <>
struct Theirs<libcrypto::Engine> {
  using Type = ENGINE;
};
template <>
struct Theirs<libcrypto::Key> {
  using Type = EVP_PKEY;
};
template <>
struct Theirs<libcrypto::KeyContext> {
  using Type = EVP_PKEY_CTX;
};
template <>
struct Theirs<libcrypto::Hash> {
  using Type = EVP_MD;
};
template <>
struct Theirs<libcrypto::HashContext> {
  using Type = EVP_MD_CTX;
};
template <class Result, class... Arguments>
struct Theirs<Result(Arguments...)> {
  using Type = typename Theirs<Result>::Type(typename Theirs<Arguments>::Type...);
};
template <class Ours, class Function>
constexpr bool same = std::is_same_v<typename Theirs<Ours>::Type, Function>;

static_assert(same<libcrypto::ScryptFunction, decltype(EVP_PBE_scrypt)>);
static_assert(same<libcrypto::CipherFunction, decltype(EVP_chacha20_poly1305)>);
static_assert(same<libcrypto::NewFunction, decltype(EVP_CIPHER_CTX_new)>);
static_assert(same<libcrypto::FreeFunction, decltype(EVP_CIPHER_CTX_free)>);
static_assert(same<libcrypto::InitFunction, decltype(EVP_CipherInit_ex)>);
static_assert(same<libcrypto::UpdateFunction, decltype(EVP_CipherUpdate)>);
static_assert(same<libcrypto::FinalFunction, decltype(EVP_CipherFinal_ex)>);
static_assert(same<libcrypto::ControlFunction, decltype(EVP_CIPHER_CTX_ctrl)>);
static_assert(same<libcrypto::NewSecretFunction, decltype(EVP_PKEY_new_raw_private_key)>);
static_assert(same<libcrypto::NewPublicFunction, decltype(EVP_PKEY_new_raw_public_key)>);
static_assert(same<libcrypto::GetPublicFunction, decltype(EVP_PKEY_get_raw_public_key)>);
static_assert(same<libcrypto::FreeKeyFunction, decltype(EVP_PKEY_free)>);
static_assert(same<libcrypto::NewHashFunction, decltype(EVP_MD_CTX_new)>);
static_assert(same<libcrypto::FreeHashFunction, decltype(EVP_MD_CTX_free)>);
static_assert(same<libcrypto::SignInitFunction, decltype(EVP_DigestSignInit)>);
static_assert(same<libcrypto::SignInitFunction, decltype(EVP_DigestVerifyInit)>);
static_assert(same<libcrypto::SignFunction, decltype(EVP_DigestSign)>);
static_assert(same<libcrypto::VerifyFunction, decltype(EVP_DigestVerify)>);
static_assert(same<libcrypto::NewKeyContextFunction, decltype(EVP_PKEY_CTX_new)>);
static_assert(same<libcrypto::FreeKeyContextFunction, decltype(EVP_PKEY_CTX_free)>);
static_assert(same<libcrypto::DeriveInitFunction, decltype(EVP_PKEY_derive_init)>);
static_assert(same<libcrypto::SetPeerFunction, decltype(EVP_PKEY_derive_set_peer)>);
static_assert(same<libcrypto::DeriveFunction, decltype(EVP_PKEY_derive)>);
static_assert(libcrypto::type_x25519 == EVP_PKEY_X25519 && libcrypto::type_ed25519 == EVP_PKEY_ED25519);
static_assert(libcrypto::control_get_tag == EVP_CTRL_AEAD_GET_TAG);
static_assert(libcrypto::control_set_tag == EVP_CTRL_AEAD_SET_TAG);
#endif

using Bytes = std::vector<std::uint8_t>;

Bytes of_hex(std::string_view text) {
  const auto digit = [](char c) { return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(digit(text[i]) << 4 | digit(text[i + 1])));
  return bytes;
}

Bytes of_text(std::string_view text) { return {text.begin(), text.end()}; }

// RFC 7914, section 12.
TEST(scrypt_is_that_of_the_rfc) {
  const auto key = libcrypto::scrypt(of_text("password"), of_text("NaCl"), 10, 8, 16, 64);
  const Bytes expected = of_hex(
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d"
      "8360cbdfa2cc0640");
  CHECK(std::ranges::equal(key, expected));
  CHECK(key.get_allocator().residence() == Residence::locked);
}

// RFC 8439, section 2.8.2.
TEST(the_cipher_is_that_of_the_rfc) {
  const Bytes key = of_hex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
  const Bytes nonce = of_hex("070000004041424344454647"), header = of_hex("50515253c0c1c2c3c4c5c6c7");
  const Bytes plain = of_text(
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be "
      "it.");
  Bytes text = plain;
  const auto tag = libcrypto::seal(key, nonce, header, text);
  CHECK(std::ranges::equal(Bytes(text.begin(), text.begin() + 16), of_hex("d31a8d34648e60db7b86afbc53ef7ec2")));
  CHECK(std::ranges::equal(tag, of_hex("1ae10b594f09e26a7e902ecbd0600691")));
  Bytes opened = text;
  CHECK(libcrypto::open(key, nonce, header, opened, tag));
  CHECK(opened == plain);
  Bytes other = header;
  other.back() ^= 1;
  opened = text;
  CHECK(!libcrypto::open(key, nonce, other, opened, tag));
  CHECK(opened == Bytes(plain.size(), 0));  // nothing of what did not fit
}

std::array<std::uint8_t, 32> key_of(std::string_view hex) {
  std::array<std::uint8_t, 32> key{};
  std::ranges::copy(of_hex(hex), key.begin());
  return key;
}

// RFC 8032, section 7.1, tests 1 to 3 and that of SHA(abc).
TEST(signatures_are_those_of_the_rfc) {
  const struct {
    std::string_view secret, open, text, signature;
  } vectors[] = {{"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                  "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                  "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25b"
                  "f5f0595bbe24"
                  "655141438e7a100b"},
                 {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                  "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                  "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b"
                  "2eaeb4302aee"
                  "b00d291612bb0c00"},
                 {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                  "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
                  "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c"
                  "15e9716ed28d"
                  "c027beceea1ec40a"},
                 {"833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
                  "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
                  "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d"
                  "4423643ce80e"
                  "2a9ac94fa54ca49f",
                  "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca"
                  "179c138ac17a"
                  "d9bef1177331a704"}};
  for (const auto& vector : vectors) {
    const auto secret = key_of(vector.secret), open = key_of(vector.open);
    const Bytes text = of_hex(vector.text);
    Bytes signature = of_hex(vector.signature);
    CHECK(libcrypto::ed25519_public(secret) == open);
    CHECK(std::ranges::equal(libcrypto::ed25519_sign(secret, text), signature));
    CHECK(libcrypto::ed25519_verify(open, text, signature));
    for (const std::size_t place : {0U, 31U, 32U, 63U}) {
      signature[place] ^= 1;
      CHECK(!libcrypto::ed25519_verify(open, text, signature));
      signature[place] ^= 1;
    }
    Bytes longer = text;
    longer.push_back(0);
    CHECK(!libcrypto::ed25519_verify(open, longer, signature));
    for (const std::size_t length : {0U, 1U, 32U, 63U}) {
      CHECK(!libcrypto::ed25519_verify(open, text, std::span(signature).first(length)));
    }
    signature.push_back(0);
    CHECK(!libcrypto::ed25519_verify(open, text, signature));
  }
}

// RFC 7748, sections 5.2 and 6.1.
TEST(shared_keys_are_those_of_the_rfc) {
  const struct {
    std::string_view scalar, u, result;
  } vectors[] = {{"a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
                  "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
                  "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"},
                 {"4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
                  "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
                  "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"}};
  for (const auto& vector : vectors) {
    CHECK(std::ranges::equal(libcrypto::x25519_shared(key_of(vector.scalar), key_of(vector.u)), of_hex(vector.result)));
  }
  const auto alice = key_of("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
  const auto bob = key_of("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
  const auto of_alice = key_of("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
  const auto of_bob = key_of("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
  const Bytes shared = of_hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
  CHECK(libcrypto::x25519_public(alice) == of_alice);
  CHECK(libcrypto::x25519_public(bob) == of_bob);
  CHECK(std::ranges::equal(libcrypto::x25519_shared(alice, of_bob), shared));
  CHECK(std::ranges::equal(libcrypto::x25519_shared(bob, of_alice), shared));
  CHECK(libcrypto::x25519_shared(alice, of_bob).get_allocator().residence() == Residence::locked);
  // Points of small order: 0, 1, -1 and two of order 8; with any of them everybody shares zeros.
  for (const std::string_view weak : {"0000000000000000000000000000000000000000000000000000000000000000",
                                      "0100000000000000000000000000000000000000000000000000000000000000",
                                      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                                      "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
                                      "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"}) {
    CHECK(libcrypto::x25519_shared(alice, key_of(weak)).empty());
  }
}

}  // namespace

int main() {
  if (libcrypto::state() != "ready" || libcrypto::curves_state() != "ready") {
    std::cout << "skipped: " << libcrypto::state() << "; " << libcrypto::curves_state() << '\n';
    return 77;
  }
  return check::run();
}
