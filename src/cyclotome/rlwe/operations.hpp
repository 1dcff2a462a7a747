// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

// Operations on ciphertext arrays that mean the same in every scheme. Operands need one context and one plaintext
// modulus (MismatchError), equal batches or a batch of 1, which is broadcast (ArgumentError). Noise bounds are kept up.
namespace cyclotome::rlwe {

/// Parts may differ (2 and 3): missing ones count as zero.
Ciphertext add(const Ciphertext& a, const Ciphertext& b);
Ciphertext subtract(const Ciphertext& a, const Ciphertext& b);
Ciphertext negate(const Ciphertext& a);

/// Product with a plaintext polynomial, lifted to (-t/2, t/2): noise grows by its canonical norm.
Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b);
/// The same plaintext with its transforms: for products with many ciphertexts, which are the same bits. It takes the
/// memory of half a ciphertext for each polynomial.
Plaintext prepared(const Plaintext& b);
/// Product with one signed integer; noise grows by its magnitude.
Ciphertext multiply_scalar(const Ciphertext& a, std::int64_t factor);
/// Row r of the result = sum over c of matrix[r][c] a[c]: a matrix of small integers times an array of ciphertexts.
Ciphertext linear_combination(const Ciphertext& a, std::span<const std::int64_t> matrix, std::size_t rows);

/// The relinearisation key for products with a, as Engine::run takes it. Throws MismatchError, and MissingKeyError
/// without that key.
ConstView relinearization_key(const Ciphertext& a, const EvaluationKeys& keys);
/// 3 parts -> 2 parts (2 parts are returned as they are). Throws MissingKeyError without the key.
Ciphertext relinearize(const Ciphertext& a, const EvaluationKeys& keys);
/// a(x^element), switched back to s. 2 parts only (ArgumentError).
Ciphertext apply_galois(const Ciphertext& a, std::uint64_t element, const EvaluationKeys& keys);
/// Slots of both rows move `steps` to the left; rows swap.
Ciphertext rotate_rows(const Ciphertext& a, std::int64_t steps, const EvaluationKeys& keys);
Ciphertext rotate_columns(const Ciphertext& a, const EvaluationKeys& keys);
/// a(x^element) for several elements at the price of one decomposition (hoisting): the results decrypt to those of
/// apply_galois, with noise of the same size; even their residues are the same. Few elements, and large rings, for
/// which it does not pay, are turned one by one. All keys must be there (MissingKeyError).
std::vector<Ciphertext> apply_galois_hoisted(const Ciphertext& a, std::span<const std::uint64_t> elements,
                                             const EvaluationKeys& keys);

/// The same messages under the key that `key` leads to, with the noise of one key switch more. 2 parts only
/// (ArgumentError); MismatchError for a key that leads from elsewhere.
Ciphertext rekey(const Ciphertext& a, const RekeyingKey& key);

/// Every slot of the result holds the sum of all n slots: log2(n) rotations.
Ciphertext sum_slots(const Ciphertext& a, const EvaluationKeys& keys);

/// Batch items `indices`, in that order, repeats allowed.
Ciphertext take(const Ciphertext& a, std::span<const std::size_t> indices);
/// One batch after the other.
Ciphertext concatenate(std::span<const Ciphertext* const> arrays);
/// The batch as groups of `group` neighbours, each summed: batch / group items.
Ciphertext sum_groups(const Ciphertext& a, std::size_t group);

/// a plus fresh encryptions of zero: hides again what became transparent.
Ciphertext rerandomize(const Ciphertext& a, const PublicKey& key);
/// True if some item has all parts but c0 zero: it hides nothing.
bool is_transparent(const Ciphertext& a);

}  // namespace cyclotome::rlwe
