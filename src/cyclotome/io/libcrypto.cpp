// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/libcrypto.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "cyclotome/io/libcrypto_functions.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/platform/library.hpp"

namespace cyclotome::io::libcrypto {

namespace {

template <class Function>
bool find(void* library, const char* name, Function*& function) noexcept {
  function = reinterpret_cast<Function*>(platform::find_symbol(library, name));
  return function != nullptr;
}

/// The functions of the first libcrypto that has all of them. It stays loaded.
std::optional<Functions> load() noexcept {
  for (const char* const name : platform::libcrypto_names()) {
    void* const library = platform::open_library(name);
    if (library == nullptr) continue;
    Functions f{};
    if (find(library, "EVP_PBE_scrypt", f.scrypt) && find(library, "EVP_chacha20_poly1305", f.cipher) &&
        find(library, "EVP_CIPHER_CTX_new", f.context_new) && find(library, "EVP_CIPHER_CTX_free", f.context_free) &&
        find(library, "EVP_CipherInit_ex", f.init) && find(library, "EVP_CipherUpdate", f.update) &&
        find(library, "EVP_CipherFinal_ex", f.final) && find(library, "EVP_CIPHER_CTX_ctrl", f.control)) {
      return f;
    }
    platform::close_library(library);
  }
  return std::nullopt;
}

const std::optional<Functions>& loaded() {
  static const std::optional<Functions> functions = load();
  return functions;
}

std::string missing() {
  return message("there is no ", platform::libcrypto_names().front(),
                 ": install OpenSSL (Debian: libssl3), or keep keys without a passphrase");
}

const Functions& functions() {
  if (!loaded()) throw EngineError("passphrases need the system's libcrypto, and " + missing());
  return *loaded();
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

std::string state() { return loaded() ? "ready" : missing(); }

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

}  // namespace cyclotome::io::libcrypto
