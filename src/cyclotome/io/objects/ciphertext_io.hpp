// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/container.hpp"
#include "cyclotome/rlwe/ciphertext.hpp"

// Writing: ArgumentError for metadata that is too long and for arrays that do not fit together, MismatchError for
// arrays of different parameters or keys. Reading: FormatError for a container of another kind or with bad contents, or
// one that expands beyond its limits; MismatchError if the context has other parameters.
namespace cyclotome::io {

/// Ciphertexts with their noise bound; of fresh symmetric encryptions the seed stands for c1.
Bytes serialize(const rlwe::Ciphertext& ciphertext, std::span<const std::uint8_t> metadata = {});
/// Plaintexts are not protected by anything: whoever has the bytes reads them.
Bytes serialize(const rlwe::Plaintext& plaintext, std::span<const std::uint8_t> metadata = {});

/// Writes a section of ciphertexts, and an upper bound of its size. Throws ArgumentError for what can't be stored.
void write_section(ContainerWriter& container, const rlwe::Ciphertext& ciphertext);
std::uint64_t section_bytes(const rlwe::Ciphertext& ciphertext);

rlwe::Ciphertext read_ciphertext(const Container& container, const rlwe::ContextPtr& context);
rlwe::Plaintext read_plaintext(const Container& container, const rlwe::ContextPtr& context);
/// The ciphertexts of an encrypted array, in the order of their plaintext moduli (array_io.hpp has the whole). Of
/// format version 1, whose bundles don't say what they mean, this is all there is.
std::vector<rlwe::Ciphertext> read_bundle(const Container& container, const rlwe::ContextPtr& context);

}  // namespace cyclotome::io
