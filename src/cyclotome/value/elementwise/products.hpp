// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/matrices/matrix.hpp"

// Matrix products, as numpy.matmul: of public with encrypted integers, and of encrypted ones where the placement allows
// it. They throw what elementwise.hpp says.
namespace cyclotome::value {

/// matrix @ x for a public vector or matrix. Along an axis that numbers ciphertexts it takes products with scalars
/// only. Along slots the result is packed again: diagonals of the matrix times rotations (diagonals.hpp), for which
/// powers of two have to be there as keys, and the keys of matrix_rotations make it fastest. A public vector gives one
/// value in all slots, by a plaintext product and a sum over slots, and so do parameters whose slots are no two rows,
/// one for every row of the matrix.
EncryptedArray matmul(const Integers& matrix, const EncryptedArray& x, const Options& options = {});
EncryptedArray matmul(const EncryptedArray& x, const Integers& matrix, const Options& options = {});
/// The same with what was prepared for it.
EncryptedArray matmul(const Matrix& matrix, const EncryptedArray& x, const Options& options = {});
EncryptedArray matmul(const EncryptedArray& x, const Matrix& matrix, const Options& options = {});
/// Relinearised once for every sum of products. Of a packed x that meets a matrix each value is spread over the slots
/// of a ciphertext of its own first: a product with a mask and log n rotations.
EncryptedArray matmul(const EncryptedArray& x, const EncryptedArray& y, const Options& options = {});

}  // namespace cyclotome::value
