// SPDX-License-Identifier: Apache-2.0
// Example 7: public matrices times encrypted vectors, in slots.
#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

constexpr std::size_t rows = 16, columns = 100;

Numbers product(const Numbers& matrix, const Numbers& vector) {
  Numbers result(rows, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) result[i] += matrix[i * columns + j] * vector[j];
  }
  return result;
}

void matrices() {
  title("A matrix in the clear, a vector encrypted");
  const ContextPtr context =
      make_context(suggest({.depth = 0, .value_bits = 8, .result_bits = 24, .plain_products = 1}), make_cpu_engine());
  // Rotations for matrices of this shape: the fewest key switches. Without, keys of sums would do, and take more.
  const auto [secret, public_key, evaluation] =
      keygen(context, {.relinearization = false, .matrices = {{rows, columns}}});
  Numbers weights(rows * columns), features(columns);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<std::int64_t>(i * 7 % 31) - 15;
  for (std::size_t j = 0; j < features.size(); ++j) features[j] = static_cast<std::int64_t>(j * 11 % 255) - 127;

  const EncryptedArray x = encrypt(features, public_key, {.bound = 127}).with_keys(evaluation);
  const Integers model({rows, columns}, weights);
  const EncryptedArray scores = matmul(model, x);
  check("model @ x", decrypt(scores, secret).to_int64(), product(weights, features));
  std::cout << "packed again: " << scores.layout().batch() << " ciphertext, " << scores.noise_headroom()
            << " bits of headroom\n";

  title("The same model for many vectors");
  // Its diagonals are encoded and transformed once.
  const Matrix prepared(context, model);
  check("prepared @ x", decrypt(matmul(prepared, x), secret).to_int64(), product(weights, features));
  std::cout << prepared.bytes() << " bytes of prepared diagonals\n";

  title("Vectors in rows, the matrix from the right");
  Numbers batch = features;
  for (const std::int64_t v : features) batch.push_back(-v);
  const EncryptedArray many = encrypt(Integers({2, columns}, batch), public_key, {.bound = 127}).with_keys(evaluation);
  Numbers transposed(weights.size()), expected = product(weights, features);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) transposed[j * rows + i] = weights[i * columns + j];
  }
  for (std::size_t i = 0; i < rows; ++i) expected.push_back(-expected[i]);
  const EncryptedArray answers = matmul(many, Integers({columns, rows}, transposed));
  check("(2 x 100) @ (100 x 16)", decrypt(answers, secret).to_int64(), expected);
  check_refused<ArgumentError>("a matrix of another shape",
                               [&] { return matmul(Integers({1, 3}, Numbers{1, 2, 3}), x); });
}

}  // namespace

int main() { return run(matrices); }
