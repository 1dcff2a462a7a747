// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/fermat/scheme/ciphertext.hpp"

// BFV on q = 2^(2^x) - 1. Every operation checks contexts and keys (MismatchError); operands of one item are used for
// all items of the other, other numbers of items must be equal (ArgumentError). Exact, or a NoiseError at decryption.
namespace cyclotome::study::fermat {

/// rows of `width` <= n integers in [-t/2, t/2]; slots: value by value, which takes a prime t = 1 mod 2n, else
/// coefficients. Throws RangeError, ParameterError and ArgumentError as encode_residues does.
Plaintext encode(const ContextPtr& context, std::span<const std::int64_t> values, std::size_t items, bool slots);
/// n values in [-t/2, t/2) for each item.
std::vector<std::int64_t> decode(const Plaintext& plaintext, bool slots);

Ciphertext encrypt(const Plaintext& plaintext, const PublicKey& key);
Ciphertext encrypt(const Plaintext& plaintext, const SecretKey& key);
/// Throws NoiseError when the bound is beyond what q corrects, ContradictionError when there is more noise than the
/// bound allows.
Plaintext decrypt(const Ciphertext& ciphertext, const SecretKey& key);
/// The same without looking at the bound or at the noise: for tests.
Plaintext decrypt_unchecked(const Ciphertext& ciphertext, const SecretKey& key);
/// c_0 + c_1 s + c_2 s^2 of one item, words[word][coefficient]: for tests and measurement of noise.
Rows phase(const Ciphertext& ciphertext, std::size_t item, const SecretKey& key);

Ciphertext add(const Ciphertext& a, const Ciphertext& b);
Ciphertext subtract(const Ciphertext& a, const Ciphertext& b);
Ciphertext negate(const Ciphertext& a);
Ciphertext add_plain(const Ciphertext& a, const Plaintext& b);
Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b);
Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b);
/// Three parts. Factors of three parts are refused (ArgumentError): relinearise first.
Ciphertext multiply_without_relinearization(const Ciphertext& a, const Ciphertext& b);
/// parts (two) += what the third part is under the key, all in the memory of the engine of the key's context. how: the
/// ciphertext's context, whose version decomposes it if it is on that engine.
void add_relinearized(std::uint64_t* parts, const std::uint64_t* third, const RelinearizationKey& key,
                      const Context& how);
/// Two parts of three.
Ciphertext relinearize(const Ciphertext& a, const RelinearizationKey& key);
Ciphertext multiply(const Ciphertext& a, const Ciphertext& b, const RelinearizationKey& key);

}  // namespace cyclotome::study::fermat
