// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <type_traits>
#include <variant>

#include "cyclotome/io/container/frame.hpp"
#include "cyclotome/study/fermat/scheme/ciphertext.hpp"

// Files of the study of Fermat moduli (doc/wire-format.md, kind 17). No `Container` reads them: q is none of this
// library's bases.
namespace cyclotome::io {

/// A ciphertext, and what its values mean.
struct FermatArray {
  study::fermat::Ciphertext ciphertext;
  std::uint32_t width;  ///< values of a row
  bool rows;            ///< the array has an axis of rows, one for each item
  bool slots;
  std::optional<std::uint64_t> bound;  ///< of magnitudes, below t/2; none for values modulo t
};

using FermatObject = std::variant<study::fermat::ContextPtr, study::fermat::SecretKey, study::fermat::PublicKey,
                                  study::fermat::RelinearizationKey, FermatArray>;

/// "Fermat parameters", "Fermat secret key", "Fermat public key", "Fermat evaluation keys", "Fermat array".
const char* name_of_fermat(std::size_t alternative) noexcept;

Bytes serialize(const study::fermat::Parameters& parameters);
Bytes serialize(const study::fermat::SecretKey& key);
Bytes serialize(const study::fermat::PublicKey& key);
Bytes serialize(const study::fermat::RelinearizationKey& key);
Bytes serialize(const FermatArray& array);

/// Whether these bytes begin as an object of the study.
bool names_fermat(std::span<const std::uint8_t> bytes) noexcept;

/// What can be said without a context.
struct FermatInspection {
  std::size_t alternative;  ///< of FermatObject
  study::fermat::Parameters parameters;
  study::fermat::KeyId key;
};
/// Whether only one person may have the object.
constexpr bool is_secret(const FermatInspection& found) noexcept {
  static_assert(std::is_same_v<std::variant_alternative_t<1, FermatObject>, study::fermat::SecretKey>);
  return found.alternative == 1;
}
/// Throws FormatError for bytes that are no whole, undamaged object, or whose parameters are impossible.
FermatInspection inspect_fermat(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes);

struct FermatReading {
  std::uint64_t max_bytes;
  bool allow_insecure = false;
};
/// The object, in a context of its parameters that make_context makes: after everything that can be checked without
/// one. Throws FormatError as above, and where sizes, residues or numbers contradict the parameters; SecurityError for
/// parameters that are INSECURE, unless they are allowed.
FermatObject read_fermat(
    std::span<const std::uint8_t> bytes, const FermatReading& reading,
    const std::function<study::fermat::ContextPtr(const study::fermat::Parameters&)>& make_context);

}  // namespace cyclotome::io
