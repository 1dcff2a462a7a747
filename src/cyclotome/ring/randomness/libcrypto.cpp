// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/randomness/libcrypto.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/platform/library.hpp"
#include "cyclotome/ring/randomness/libcrypto_functions.hpp"

namespace cyclotome::libcrypto {

namespace {

template <class Function>
bool find(void* library, const char* name, Function*& function) noexcept {
  function = reinterpret_cast<Function*>(platform::find_symbol(library, name));
  return function != nullptr;
}

bool find_all(void* library, Functions& f) noexcept {
  return find(library, "EVP_PBE_scrypt", f.scrypt) && find(library, "EVP_chacha20_poly1305", f.cipher) &&
         find(library, "EVP_CIPHER_CTX_new", f.context_new) && find(library, "EVP_CIPHER_CTX_free", f.context_free) &&
         find(library, "EVP_CipherInit_ex", f.init) && find(library, "EVP_CipherUpdate", f.update) &&
         find(library, "EVP_CipherFinal_ex", f.final) && find(library, "EVP_CIPHER_CTX_ctrl", f.control);
}

bool find_all(void* library, CurveFunctions& f) noexcept {
  return find(library, "EVP_PKEY_new_raw_private_key", f.new_secret) &&
         find(library, "EVP_PKEY_new_raw_public_key", f.new_public) &&
         find(library, "EVP_PKEY_get_raw_public_key", f.get_public) && find(library, "EVP_PKEY_free", f.free_key) &&
         find(library, "EVP_MD_CTX_new", f.new_hash) && find(library, "EVP_MD_CTX_free", f.free_hash) &&
         find(library, "EVP_DigestSignInit", f.sign_init) && find(library, "EVP_DigestSign", f.sign) &&
         find(library, "EVP_DigestVerifyInit", f.verify_init) && find(library, "EVP_DigestVerify", f.verify) &&
         find(library, "EVP_PKEY_CTX_new", f.new_key_context) &&
         find(library, "EVP_PKEY_CTX_free", f.free_key_context) &&
         find(library, "EVP_PKEY_derive_init", f.derive_init) &&
         find(library, "EVP_PKEY_derive_set_peer", f.set_peer) && find(library, "EVP_PKEY_derive", f.derive);
}

/// The functions of the first libcrypto that has all of them. It stays loaded.
template <class Found>
std::optional<Found> load() noexcept {
  for (const char* const name : platform::libcrypto_names()) {
    void* const library = platform::open_library(name);
    if (library == nullptr) continue;
    Found functions{};
    if (find_all(library, functions)) return functions;
    platform::close_library(library);
  }
  return std::nullopt;
}

template <class Found>
const std::optional<Found>& loaded() {
  static const std::optional<Found> functions = load<Found>();
  return functions;
}

std::string missing() {
  return message("there is no ", platform::libcrypto_names().front(),
                 ": install OpenSSL (Debian: libssl3), or keep keys without a passphrase");
}

const Functions& functions() {
  if (!loaded<Functions>()) throw EngineError("passphrases need the system's libcrypto, and " + missing());
  return *loaded<Functions>();
}

std::string missing_curves() {
  return message("there is no ", platform::libcrypto_names().front(),
                 " with Ed25519 and X25519: install OpenSSL 1.1.1 or newer (Debian: libssl3)");
}

const CurveFunctions& curves() {
  if (!loaded<CurveFunctions>()) {
    throw EngineError("identities of parties need the system's libcrypto, and " + missing_curves());
  }
  return *loaded<CurveFunctions>();
}

[[noreturn]] void refused_curve(const char* what) {
  throw EngineError(message("the system's libcrypto refused ", what,
                            "; a configuration that allows approved algorithms only does that: let a machine without "
                            "it hold the identity"));
}

using Bytes32 = std::span<const std::uint8_t, curve_key_bytes>;

/// Objects of libcrypto's, each freed by its own function.
template <class Object>
using Owned = std::unique_ptr<Object, void (*)(Object*)>;

Owned<Key> secret_key(int type, Bytes32 secret) {
  const CurveFunctions& f = curves();
  Owned<Key> key(f.new_secret(type, nullptr, secret.data(), secret.size()), f.free_key);
  if (key == nullptr) refused_curve(type == type_x25519 ? "X25519" : "Ed25519");
  return key;
}

std::array<std::uint8_t, curve_key_bytes> public_of(int type, Bytes32 secret) {
  const Owned<Key> key = secret_key(type, secret);
  std::array<std::uint8_t, curve_key_bytes> bytes{};
  std::size_t size = bytes.size();
  if (curves().get_public(key.get(), bytes.data(), &size) != 1 || size != bytes.size()) {
    refused_curve(type == type_x25519 ? "X25519" : "Ed25519");
  }
  return bytes;
}

Owned<HashContext> hash_context() {
  const CurveFunctions& f = curves();
  Owned<HashContext> context(f.new_hash(), f.free_hash);
  if (context == nullptr) refused_curve("Ed25519");
  return context;
}

[[noreturn]] void refused(const char* what) {
  throw EngineError(message("the system's libcrypto refused ", what,
                            "; a configuration that allows approved algorithms only does that: keep the key without a "
                            "passphrase there"));
}

/// One pass of the cipher over header and text.
class Pass {
 public:
  Pass(std::span<const std::uint8_t> key, std::span<const std::uint8_t> nonce, bool sealing)
      : f_(functions()), context_(f_.context_new(), f_.context_free) {
    if (key.size() != aead_key_bytes || nonce.size() != aead_nonce_bytes) throw EngineError("wrong length of a key");
    if (context_ == nullptr ||
        f_.init(context_.get(), f_.cipher(), nullptr, key.data(), nonce.data(), sealing ? 1 : 0) != 1) {
      refused("ChaCha20-Poly1305");
    }
  }
  /// The header: output is null. The text: output is the input.
  void update(std::uint8_t* out, std::span<const std::uint8_t> in) {
    while (!in.empty()) {
      const std::size_t count = std::min<std::size_t>(in.size(), 1 << 30);
      int written = 0;
      if (f_.update(context_.get(), out, &written, in.data(), static_cast<int>(count)) != 1) {
        refused("ChaCha20-Poly1305");
      }
      if (out != nullptr) out += count;
      in = in.subspan(count);
    }
  }
  bool finish() {
    std::uint8_t nothing[16];
    int written = 0;
    return f_.final(context_.get(), nothing, &written) == 1;
  }
  void tag(int control, std::uint8_t* tag) {
    if (f_.control(context_.get(), control, aead_tag_bytes, tag) != 1) refused("ChaCha20-Poly1305");
  }

 private:
  const Functions& f_;
  std::unique_ptr<Context, FreeFunction*> context_;
};

}  // namespace

std::string state() { return loaded<Functions>() ? "ready" : missing(); }
std::string curves_state() { return loaded<CurveFunctions>() ? "ready" : missing_curves(); }

ZeroisingVector<std::uint8_t> scrypt(std::span<const std::uint8_t> passphrase, std::span<const std::uint8_t> salt,
                                     std::uint32_t log2_n, std::uint32_t r, std::uint32_t p, std::size_t bytes) {
  ZeroisingVector<std::uint8_t> key(bytes, Residence::locked);
  // maxmem, which limits nothing here: the caller has bounded N, r and p.
  if (functions().scrypt(reinterpret_cast<const char*>(passphrase.data()), passphrase.size(), salt.data(), salt.size(),
                         std::uint64_t{1} << log2_n, r, p, std::numeric_limits<std::uint32_t>::max(), key.data(),
                         key.size()) != 1) {
    throw EngineError(message("the system's libcrypto did not compute scrypt, which takes ",
                              (std::uint64_t{128} * r << log2_n) >> 20,
                              " MiB of memory here; free some, or keep the key without a passphrase"));
  }
  return key;
}

std::array<std::uint8_t, aead_tag_bytes> seal(std::span<const std::uint8_t> key, std::span<const std::uint8_t> nonce,
                                              std::span<const std::uint8_t> header, std::span<std::uint8_t> text) {
  Pass pass(key, nonce, true);
  pass.update(nullptr, header);
  pass.update(text.data(), text);
  if (!pass.finish()) refused("ChaCha20-Poly1305");
  std::array<std::uint8_t, aead_tag_bytes> tag{};
  pass.tag(control_get_tag, tag.data());
  return tag;
}

bool open(std::span<const std::uint8_t> key, std::span<const std::uint8_t> nonce, std::span<const std::uint8_t> header,
          std::span<std::uint8_t> text, std::span<const std::uint8_t> tag) {
  Pass pass(key, nonce, false);
  std::array<std::uint8_t, aead_tag_bytes> expected{};
  std::copy_n(tag.begin(), std::min(tag.size(), expected.size()), expected.begin());
  pass.tag(control_set_tag, expected.data());
  pass.update(nullptr, header);
  pass.update(text.data(), text);
  if (pass.finish()) return true;
  secure_zero(text.data(), text.size());
  return false;
}

std::array<std::uint8_t, curve_key_bytes> ed25519_public(Bytes32 secret) { return public_of(type_ed25519, secret); }
std::array<std::uint8_t, curve_key_bytes> x25519_public(Bytes32 secret) { return public_of(type_x25519, secret); }

std::array<std::uint8_t, signature_bytes> ed25519_sign(Bytes32 secret, std::span<const std::uint8_t> text) {
  const Owned<Key> key = secret_key(type_ed25519, secret);
  const Owned<HashContext> context = hash_context();
  std::array<std::uint8_t, signature_bytes> signature{};
  std::size_t size = signature.size();
  if (curves().sign_init(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      curves().sign(context.get(), signature.data(), &size, text.data(), text.size()) != 1 ||
      size != signature.size()) {
    refused_curve("Ed25519");
  }
  return signature;
}

bool ed25519_verify(Bytes32 key, std::span<const std::uint8_t> text, std::span<const std::uint8_t> signature) {
  const CurveFunctions& f = curves();
  const Owned<HashContext> context = hash_context();
  const Owned<Key> owner(f.new_public(type_ed25519, nullptr, key.data(), key.size()), f.free_key);
  if (owner == nullptr || f.verify_init(context.get(), nullptr, nullptr, nullptr, owner.get()) != 1) {
    refused_curve("Ed25519");
  }
  return signature.size() == signature_bytes &&
         f.verify(context.get(), signature.data(), signature.size(), text.data(), text.size()) == 1;
}

ZeroisingVector<std::uint8_t> x25519_shared(Bytes32 secret, Bytes32 other) {
  const CurveFunctions& f = curves();
  const Owned<Key> own = secret_key(type_x25519, secret);
  const Owned<Key> peer(f.new_public(type_x25519, nullptr, other.data(), other.size()), f.free_key);
  if (peer == nullptr) refused_curve("X25519");
  const Owned<KeyContext> context(f.new_key_context(own.get(), nullptr), f.free_key_context);
  if (context == nullptr || f.derive_init(context.get()) != 1) refused_curve("X25519");
  ZeroisingVector<std::uint8_t> shared(curve_key_bytes, Residence::locked);
  std::size_t size = shared.size();
  // libcrypto refuses a shared value of zeros, which another's key of small order gives; version 1.1.1 when it sees the
  // key, later ones when it computes.
  const bool made = f.set_peer(context.get(), peer.get()) == 1 && f.derive(context.get(), shared.data(), &size) == 1;
  std::uint8_t any = 0;
  for (const std::uint8_t byte : shared) any |= byte;
  return made && size == shared.size() && any != 0 ? shared : ZeroisingVector<std::uint8_t>(Residence::locked);
}

}  // namespace cyclotome::libcrypto
