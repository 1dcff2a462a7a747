// SPDX-License-Identifier: Apache-2.0
// Example 6: values that move between slots, the keys that this takes, and sums.
#include <numeric>

#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

void rotations_and_sums() {
  title("Keys for rotations");
  const ContextPtr context = make_context(suggest({.depth = 1, .value_bits = 8, .result_bits = 32}), make_cpu_engine());
  // By default those that sums take: rotations by 1, 2, 4, ... and the swap of the two rows. Others are composed of
  // them.
  const auto [secret, public_key, evaluation] = keygen(context);
  std::cout << evaluation.all_galois().size() << " Galois keys for " << context->parameters().slots() << " slots\n";

  title("Rotations");
  const auto slots = static_cast<std::int64_t>(context->parameters().slots());
  Numbers values(static_cast<std::size_t>(slots));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i % 251);
  // Slots are two rows; a rotation moves both, in the ring that they are: what leaves on the left comes in on the
  // right.
  const EncryptedArray x = encrypt(values, public_key, {.bound = 250}).with_keys(evaluation);
  const auto rotated = [&](std::int64_t steps) {
    Numbers result = values;
    const std::int64_t row = slots / 2;
    for (std::int64_t i = 0; i < slots; ++i) {
      result[static_cast<std::size_t>(i)] = values[static_cast<std::size_t>(i / row * row + (i + steps + row) % row)];
    }
    return result;
  };
  check("3 to the left", decrypt(rotate_rows(x, 3), secret).to_int64(), rotated(3));
  check("1 to the right", decrypt(rotate_rows(x, -1), secret).to_int64(), rotated(-1));
  // Several rotations of one array share most of their work.
  const std::vector<std::int64_t> steps = {0, 1, 2};
  const EncryptedArray window = matmul(Integers{1, 2, 1}, rotate_rows(x, steps));
  Numbers smoothed(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) smoothed[i] = values[i] + 2 * rotated(1)[i] + rotated(2)[i];
  check("smoothed by 1 2 1", decrypt(window, secret).to_int64(), smoothed);

  title("Sums");
  const std::int64_t total = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  check("the sum of all values", decrypt(sum(x), secret).to_int64(), {total});
  const Integers table({2, 3}, Numbers{1, 2, 3, 10, 20, 30});
  const EncryptedArray t = encrypt(table, public_key, {.bound = 30}).with_keys(evaluation);
  check("sums of columns, across ciphertexts: no rotation", decrypt(sum(t, 0), secret).to_int64(), {11, 22, 33});
  check("sums of rows, across slots", decrypt(sum(t, 1), secret).to_int64(), {6, 60});
  check("a dot product", decrypt(sum(item(t, 0) * item(t, 1)), secret).to_int64(), {140});

  title("A key that was not made");
  const Keys fewer = keygen(context, {.rotations = {{1}}});
  const EncryptedArray y = encrypt(values, fewer.public_key, {.bound = 250}).with_keys(fewer.evaluation);
  check("1 to the left, with a key for that alone", decrypt(rotate_rows(y, 1), fewer.secret).to_int64(), rotated(1));
  check_refused<MissingKeyError>("a sum, without the keys for it", [&] { return sum(y); });
}

}  // namespace

int main() { return run(rotations_and_sums); }
