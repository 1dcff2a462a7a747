// SPDX-License-Identifier: Apache-2.0
// Matrices times packed arrays, values moved between slots, and promised bounds: exact, or refused with what to do.

#include <algorithm>
#include <future>
#include <thread>

#include "check.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/switching/linear_transform.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "interruption.hpp"
#include "value_party.hpp"

namespace {

using namespace cyclotome;
using check::ValueParty;
using value::EncryptedArray;
using value::Integers;
using Numbers = std::vector<std::int64_t>;

/// Entry i of a matrix and of a vector.
std::int64_t some(std::size_t i) { return static_cast<std::int64_t>(i * 2654435761U >> 7 & 15) - 7; }

Integers matrix_of(std::size_t rows, std::size_t columns) {
  Numbers values;
  for (std::size_t i = 0; i < rows * columns; ++i) values.push_back(some(i));
  return {{rows, columns}, values};
}

Numbers product_of(const Integers& matrix, const Numbers& vector) {
  const Numbers w = matrix.to_int64();
  Numbers result(matrix.shape()[0], 0);
  for (std::size_t i = 0; i < w.size(); ++i) result[i / vector.size()] += w[i] * vector[i % vector.size()];
  return result;
}

Numbers vector_of(std::size_t length) {
  Numbers values;
  for (std::size_t i = 0; i < length; ++i) values.push_back(some(i + 1000));
  return values;
}

void hold_products(const ValueParty& party) {
  for (const std::size_t rows : {1, 2, 5, 8, 9, 16, 17, 35}) {
    for (const std::size_t columns : {1, 3, 8, 11, 16, 40}) {
      const Integers w = matrix_of(rows, columns);
      const Numbers a = vector_of(columns), expected = product_of(w, a);
      const EncryptedArray x = party.encrypted(a, {.bound = 8});
      CHECK_EQ(value::decrypt(value::matmul(w, x), party.secret).to_int64(), expected);
      const value::Matrix kept(party.context, w);
      CHECK_EQ(value::decrypt(value::matmul(kept, x), party.secret).to_int64(), expected);
      const value::Matrix turned(party.context, value::transposed(w));
      CHECK_EQ(value::decrypt(value::matmul(x, turned), party.secret).to_int64(), expected);
      CHECK(rows == 1 || kept.bytes() > 0);
    }
  }
}

}  // namespace

TEST(matrices_of_every_shape_times_vectors) {
  hold_products(ValueParty());
  hold_products(ValueParty(&bgv::scheme(), {65537}));
}

TEST(plans_meet_every_entry_once_and_copy_only_what_is_clean) {
  for (const std::size_t row : {2, 8, 64}) {
    for (std::size_t rows = 1; rows <= 2 * row; rows += 1 + rows / 5) {
      for (std::size_t columns = 1; columns <= 2 * row; columns += 1 + columns / 5) {
        for (const int kind : {0, 1, 2, 3}) {
          const value::DiagonalPlan plan(rows, columns, row, kind % 2 == 0, kind >= 2);
          CHECK(kind % 2 == 0 || !plan.copies_vector());
          std::vector<unsigned> met(rows * columns, 0);
          for (const bool crossed : {false, true}) {
            if (crossed && !plan.crossed()) continue;
            const auto at = plan.columns_at(crossed);
            for (std::size_t turn = 0; turn < plan.turns(); ++turn) {
              for (std::size_t slot = 0; slot < 2 * row; ++slot) {
                const std::size_t i = plan.row_at(slot), j = at[slot / row * row + (slot + turn) % row];
                if (i >= rows || j >= columns) continue;
                CHECK_EQ(plan.turn_of(i, j), turn);
                ++met[i * columns + j];
              }
            }
          }
          CHECK(std::ranges::all_of(met, [](unsigned times) { return times == 1; }));
        }
      }
    }
  }
}

TEST(values_move_between_slots) {
  const ValueParty party;
  const Numbers a = vector_of(33);
  const EncryptedArray x = party.encrypted(a, {.bound = 8});
  value::Indices backwards;
  Numbers expected;
  for (std::size_t i = 0; i < a.size(); ++i) {
    backwards.push_back(a.size() - 1 - i);
    expected.push_back(a[a.size() - 1 - i]);
  }
  const EncryptedArray y = value::rearranged(x, backwards, {33});
  CHECK_EQ(value::decrypt(y, party.secret).to_int64(), expected);
  CHECK_EQ(y.bound().largest(), BigUnsigned(8));
  CHECK_EQ(value::decrypt(value::rearranged(x, {20}, {}), party.secret).to_int64(), Numbers{a[20]});
  CHECK_THROWS_WITH(ArgumentError, value::rearranged(x, {33}, {}), "number 33 of 33");
  CHECK_THROWS_WITH(ArgumentError, value::rearranged(x, {1, 2}, {3}), "2 numbers in shape");
  const auto polynomial = party.encrypted(a, {.bound = 8, .placement = value::Placement::coefficients});
  CHECK_THROWS(UnsupportedError, value::rearranged(polynomial, {1}, {}));
}

TEST(what_a_preparation_that_was_stopped_leaves) {
  const ValueParty party;
  const Integers w = matrix_of(16, 16);
  const value::Matrix whole(party.context, w);
  const std::size_t bytes = whole.diagonals(false, true).bytes();
  for (std::size_t number = 0;; ++number) {
    const value::Matrix matrix(party.context, w);
    const bool stopped = check::stopped_at(number, [&] { static_cast<void>(matrix.diagonals(false, true)); });
    CHECK_EQ(matrix.bytes(), stopped ? 0 : bytes);
    CHECK_EQ(matrix.diagonals(false, true).bytes(), bytes);  // and it can be made again
    CHECK_EQ(matrix.bytes(), bytes);
    if (!stopped) break;
    CHECK(number < 10000);
  }
}

/// Whoever asks for the size may hold what a check for interruptions waits for: Python's lock.
TEST(the_size_is_told_while_a_matrix_is_prepared) {
  const ValueParty party;
  const value::Matrix matrix(party.context, matrix_of(16, 16));
  std::vector<std::thread> askers;
  bool waited = false;
  {
    const InterruptScope scope(
        [&] {
          if (!askers.empty()) return;
          std::promise<std::size_t> answer;
          std::future<std::size_t> told = answer.get_future();
          askers.emplace_back([&matrix, own = std::move(answer)]() mutable { own.set_value(matrix.bytes()); });
          waited = told.wait_for(std::chrono::seconds(30)) != std::future_status::ready;
        },
        std::chrono::nanoseconds(0));
    static_cast<void>(matrix.diagonals(false, true));
  }
  for (std::thread& asker : askers) asker.join();
  CHECK_EQ(askers.size(), 1U);
  CHECK(!waited);
}

TEST(what_a_linear_transform_refuses) {
  const ValueParty party;
  const EncryptedArray x = party.encrypted(Numbers{1, 2, 3}, {.bound = 8});
  const rlwe::Ciphertext& a = x.channels().front();
  const rlwe::Plaintext ones =
      encode_residues(party.context, rlwe::PlainIndex(0), Encoding::Kind::slots, Numbers{1}, 1, 1);
  const auto factors = [&](std::size_t) { return rlwe::ExtendedPlaintext(ones); };
  CHECK_THROWS_WITH(ArgumentError, rlwe::linear_transform(a, {{1, 0}, {0}}, factors, party.evaluation), "ascend");
  CHECK_THROWS_WITH(ArgumentError, rlwe::linear_transform(a, {{}, {0}}, factors, party.evaluation), "ascend");
  CHECK_THROWS_WITH(ArgumentError, rlwe::linear_transform(a, {{0, 1}, {0}}, factors, party.evaluation), "1 factors");
  CHECK_THROWS_WITH(MismatchError, rlwe::linear_transform(a, {{0}, {0}}, factors, ValueParty().evaluation), "");
  const rlwe::EvaluationKeys none(party.context, std::nullopt, {}, party.evaluation.id());
  CHECK_THROWS_WITH(MissingKeyError, rlwe::linear_transform(a, {{3}, {0}}, factors, none), "3 steps");
  const auto square = scheme::multiply(a, a);
  CHECK_THROWS_WITH(ArgumentError, rlwe::linear_transform(square, {{0}, {0}}, factors, party.evaluation), "2 parts");
}

int main() { return check::run(); }
