// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The functions of OpenSSL that are called, as its manual declares them since 1.1.0: their ABI has not changed up to
// OpenSSL 3. Where the headers are installed, test/cpp/ring/test_libcrypto.cpp compares the types.
namespace cyclotome::libcrypto {

struct Context;      // EVP_CIPHER_CTX
struct Cipher;       // EVP_CIPHER
struct Engine;       // ENGINE
struct Key;          // EVP_PKEY
struct KeyContext;   // EVP_PKEY_CTX
struct Hash;         // EVP_MD
struct HashContext;  // EVP_MD_CTX

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

using NewSecretFunction = Key*(int type, Engine*, const unsigned char* key, std::size_t keylen);
using NewPublicFunction = Key*(int type, Engine*, const unsigned char* key, std::size_t keylen);
using GetPublicFunction = int(const Key*, unsigned char* key, std::size_t* keylen);
using FreeKeyFunction = void(Key*);
using NewHashFunction = HashContext*();
using FreeHashFunction = void(HashContext*);
using SignInitFunction = int(HashContext*, KeyContext**, const Hash*, Engine*, Key*);
using SignFunction = int(HashContext*, unsigned char* signature, std::size_t* length, const unsigned char* message,
                         std::size_t message_length);
using VerifyFunction = int(HashContext*, const unsigned char* signature, std::size_t length,
                           const unsigned char* message, std::size_t message_length);
using NewKeyContextFunction = KeyContext*(Key*, Engine*);
using FreeKeyContextFunction = void(KeyContext*);
using DeriveInitFunction = int(KeyContext*);
using SetPeerFunction = int(KeyContext*, Key*);
using DeriveFunction = int(KeyContext*, unsigned char* key, std::size_t* keylen);

// EVP_PKEY_X25519 and EVP_PKEY_ED25519.
inline constexpr int type_x25519 = 1034, type_ed25519 = 1087;

/// What passphrases take.
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

/// What identities take: since OpenSSL 1.1.1.
struct CurveFunctions {
  NewSecretFunction* new_secret;             // EVP_PKEY_new_raw_private_key
  NewPublicFunction* new_public;             // EVP_PKEY_new_raw_public_key
  GetPublicFunction* get_public;             // EVP_PKEY_get_raw_public_key
  FreeKeyFunction* free_key;                 // EVP_PKEY_free
  NewHashFunction* new_hash;                 // EVP_MD_CTX_new
  FreeHashFunction* free_hash;               // EVP_MD_CTX_free
  SignInitFunction* sign_init;               // EVP_DigestSignInit
  SignFunction* sign;                        // EVP_DigestSign
  SignInitFunction* verify_init;             // EVP_DigestVerifyInit
  VerifyFunction* verify;                    // EVP_DigestVerify
  NewKeyContextFunction* new_key_context;    // EVP_PKEY_CTX_new
  FreeKeyContextFunction* free_key_context;  // EVP_PKEY_CTX_free
  DeriveInitFunction* derive_init;           // EVP_PKEY_derive_init
  SetPeerFunction* set_peer;                 // EVP_PKEY_derive_set_peer
  DeriveFunction* derive;                    // EVP_PKEY_derive
};

}  // namespace cyclotome::libcrypto
