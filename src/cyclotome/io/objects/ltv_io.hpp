// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <variant>

#include "cyclotome/io/container/frame.hpp"
#include "cyclotome/study/ltv/keys.hpp"

// Files of the study of LTV (doc/wire-format.md, kind 16). No `Container` reads them: they name a scheme that is
// broken, and only who asks for it gets there.
namespace cyclotome::io {

/// Keys that relinearise and move slots.
struct LtvEvaluationKeys {
  study::ltv::SwitchingKey relinearization;
  std::vector<study::ltv::SwitchingKey> galois;
};

/// A ciphertext, and how many of its slots are used for what.
struct LtvArray {
  study::ltv::Ciphertext ciphertext;
  std::uint32_t length;
  bool field;
};

using LtvObject = std::variant<study::ltv::SecretKey, study::ltv::PublicKey, LtvEvaluationKeys, LtvArray>;

/// "LTV secret key", "LTV public key", "LTV evaluation keys", "LTV array".
const char* name_of_ltv(std::size_t alternative) noexcept;

Bytes serialize(const study::ltv::SecretKey& key);
Bytes serialize(const study::ltv::PublicKey& key);
Bytes serialize(const study::ltv::SwitchingKey& relinearization,
                std::span<const study::ltv::SwitchingKey* const> galois);
Bytes serialize(const study::ltv::Ciphertext& ciphertext, std::uint32_t length, bool field);

/// Whether these bytes begin as an object of the study.
bool names_ltv(std::span<const std::uint8_t> bytes) noexcept;

/// What can be said without computing anything.
struct LtvInspection {
  std::size_t alternative;  ///< of LtvObject
  study::ltv::ParametersLiteral parameters;
  study::ltv::KeyId key;
};
/// Whether only one person may have the object.
constexpr bool is_secret(const LtvInspection& found) noexcept {
  static_assert(std::is_same_v<std::variant_alternative_t<0, LtvObject>, study::ltv::SecretKey>);
  return found.alternative == 0;
}
/// Both throw FormatError for bytes that are no whole, undamaged object, whose sizes or residues contradict its
/// parameters, or whose parameters are impossible.
LtvInspection inspect_ltv(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes);
LtvObject read_ltv(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes);

}  // namespace cyclotome::io
