// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The functions of OpenSSL that are called, as its manual declares them since 1.1.0: their ABI has not changed up to
// OpenSSL 3. Where the headers are installed, test/cpp/test_libcrypto.cpp compares the types.
namespace cyclotome::io::libcrypto {

struct Context;  // EVP_CIPHER_CTX
struct Cipher;   // EVP_CIPHER
struct Engine;   // ENGINE

using ScryptFunction = int(const char* pass, std::size_t passlen, const unsigned char* salt, std::size_t saltlen,
                           std::uint64_t n, std::uint64_t r, std::uint64_t p, std::uint64_t maxmem, unsigned char* key,
                           std::size_t keylen);
using CipherFunction = const Cipher*();
using NewFunction = Context*();
using FreeFunction = void(Context*);
using InitFunction = int(Context*, const Cipher*, Engine*, const unsigned char* key, const unsigned char* iv, int enc);
using UpdateFunction = int(Context*, unsigned char* out, int* outl, const unsigned char* in, int inl);
using FinalFunction = int(Context*, unsigned char* out, int* outl);
using ControlFunction = int(Context*, int type, int arg, void* ptr);

// EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG.
inline constexpr int control_get_tag = 0x10, control_set_tag = 0x11;

struct Functions {
  ScryptFunction* scrypt;      // EVP_PBE_scrypt
  CipherFunction* cipher;      // EVP_chacha20_poly1305
  NewFunction* context_new;    // EVP_CIPHER_CTX_new
  FreeFunction* context_free;  // EVP_CIPHER_CTX_free
  InitFunction* init;          // EVP_CipherInit_ex
  UpdateFunction* update;      // EVP_CipherUpdate
  FinalFunction* final;        // EVP_CipherFinal_ex
  ControlFunction* control;    // EVP_CIPHER_CTX_ctrl
};

}  // namespace cyclotome::io::libcrypto
