// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/container.hpp"
#include "cyclotome/value/arrays/encrypted_array.hpp"

namespace cyclotome::io {

/// An encrypted array whole: what its values mean, and a bundle of ciphertexts. Keys that it carries are not written.
/// Throws ArgumentError for metadata that is too long, and NoiseError for an array that can't be decrypted, unless the
/// options allow it.
Bytes serialize(const value::EncryptedArray& array, std::span<const std::uint8_t> metadata = {},
                const value::Options& options = {});

/// Throws FormatError for a container of another kind or with bad contents, one that expands beyond its limits, and one
/// of format version 1, which doesn't say what its ciphertexts mean; MismatchError if the context has other parameters.
value::EncryptedArray read_array(const Container& container, const rlwe::ContextPtr& context);

}  // namespace cyclotome::io
