// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

// Offsets and tags of the container, as in doc/wire-format.md.
namespace cyclotome::io::layout {

inline constexpr std::string_view magic = "CYCLOTOM";
inline constexpr std::size_t kind_offset = 10;    // after magic and version
inline constexpr std::size_t length_offset = 16;  // after magic, version, kind and four reserved bytes
inline constexpr std::size_t fingerprint_offset = 24;
inline constexpr std::size_t header_bytes = 56;
inline constexpr std::size_t checksum_bytes = 32;

inline constexpr std::size_t tag_bytes = 4;
inline constexpr std::size_t section_header_bytes = 12;  // tag and length

inline constexpr std::string_view parameters = "PARM";
inline constexpr std::string_view key_id = "KYID";
inline constexpr std::string_view metadata = "META";
inline constexpr std::string_view secret_key = "SKEY";
inline constexpr std::string_view sealed_key = "SEAL";
inline constexpr std::string_view public_key = "PKEY";
inline constexpr std::string_view relinearization_key = "RLIN";
inline constexpr std::string_view galois_key = "GALO";
inline constexpr std::string_view encapsulation_key = "ENCA";
inline constexpr std::string_view release_key = "RELE";
inline constexpr std::string_view rekeying_key = "REKY";
inline constexpr std::string_view threshold_session = "SESS";
inline constexpr std::string_view key_share = "KSHA";
inline constexpr std::string_view secret_share = "SSHA";
inline constexpr std::string_view decryption_share = "DSHA";
inline constexpr std::string_view party = "PRTY";
inline constexpr std::string_view key_commitment = "KCOM";
inline constexpr std::string_view key_opening = "KOPN";
inline constexpr std::string_view share_proof = "KPRF";
inline constexpr std::string_view coin = "COIN";
inline constexpr std::string_view acceptance = "KACC";
inline constexpr std::string_view signature = "SIGN";
inline constexpr std::string_view decryption_channel = "DCHA";
inline constexpr std::string_view identity = "IDEN";
inline constexpr std::string_view identity_seed = "SEED";
inline constexpr std::string_view receiving_keys = "RCVK";
inline constexpr std::string_view dealing = "DEAL";
inline constexpr std::string_view sealed_share = "SLSH";
inline constexpr std::string_view complaint = "COMP";
inline constexpr std::string_view array = "ARRY";
inline constexpr std::string_view real_array = "REAL";
inline constexpr std::string_view ciphertext = "CIPH";
inline constexpr std::string_view plaintext = "PLTX";
inline constexpr std::string_view plain_array = "PLNA";
inline constexpr std::string_view product_context = "PCTX";
inline constexpr std::string_view ltv_parameters = "LTVP";
inline constexpr std::string_view ltv_data = "LTVD";
inline constexpr std::string_view fermat_parameters = "FRMP";
inline constexpr std::string_view fermat_data = "FRMD";

}  // namespace cyclotome::io::layout
