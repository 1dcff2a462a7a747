// SPDX-License-Identifier: Apache-2.0
// The functions of the system's libcrypto: their types, where its headers are installed, and the RFCs' test vectors.

#include <type_traits>

#include "check.hpp"
#include "cyclotome/io/libcrypto.hpp"
#include "cyclotome/io/libcrypto_functions.hpp"
#include "cyclotome/math/errors.hpp"

#if __has_include(<openssl/evp.h>)
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#endif

namespace {

using namespace cyclotome;
namespace libcrypto = io::libcrypto;

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

}  // namespace

int main() {
  if (libcrypto::state() != "ready") {
    std::cout << "skipped: " << libcrypto::state() << '\n';
    return 77;
  }
  return check::run();
}
