// SPDX-License-Identifier: Apache-2.0
// Example 5: what is not a polynomial at first sight: comparisons, tables, orders; and circuits over bits.
#include <algorithm>
#include <optional>

#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

void small_numbers() {
  title("Comparisons and tables of small numbers");
  // A comparison is a polynomial over the values that bounds leave possible: state tight ones. Here 0 to 7, twice.
  const ContextPtr context =
      make_context(suggest({.depth = 5, .value_bits = 3, .result_bits = 10, .terms = 1}), make_cpu_engine());
  const auto [secret, public_key, evaluation] = keygen(context, {.rotations = {{}}});
  const Encryption digits = {.bound = 7, .from_zero = true};
  const Numbers a = {0, 3, 7, 5}, b = {1, 3, 2, 6};
  const EncryptedArray x = encrypt(a, public_key, digits).with_keys(evaluation);
  const EncryptedArray y = encrypt(b, public_key, digits).with_keys(evaluation);
  check("x < y", decrypt(less(x, y), secret).to_int64(), {1, 0, 0, 1});
  check("x == y", decrypt(equal(x, y), secret).to_int64(), {0, 1, 0, 0});
  check("max(x, y)", decrypt(maximum(x, y), secret).to_int64(), {1, 3, 7, 6});
  const Integers squares = {0, 1, 4, 9, 16, 25, 36, 49};
  check("a table's entries", decrypt(lookup(squares, x), secret).to_int64(), {0, 9, 49, 25});
  check("1 where x is 3, else 100", decrypt(where(equal(x, 3), 1, 100), secret).to_int64(), {100, 1, 100, 100});
}

/// The bits of numbers as ciphertexts: item i holds bit i of every number, one number in each slot.
Ciphertext encrypted_bits(const ContextPtr& context, const Numbers& numbers, std::size_t bits, const PublicKey& key) {
  Numbers rows;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    for (const std::int64_t number : numbers) rows.push_back(number >> bit & 1);
  }
  return encrypt(encode_residues(context, PlainIndex(0), Encoding::Kind::slots, rows, bits, numbers.size()), key);
}

void circuits() {
  title("A circuit: x < y for numbers of 16 bits");
  constexpr std::size_t bits = 16;
  const Circuit comparison = less_circuit(bits, Sign::none);
  const Counts counts = counts_of(comparison);
  std::cout << comparison.name() << ": depth " << comparison.depth() << ", " << counts.products << " products, "
            << counts.additions << " sums\n";

  // Bits are slots modulo 2 over a cyclotomic ring. The cheapest primes that carry this circuit:
  ParametersLiteral ring;
  ring.scheme = &bgv_scheme();
  ring.cyclotomic = 21845;
  ring.plain_moduli = {2};
  const Circuit* const wanted[] = {&comparison};
  const std::optional<Parameters> parameters = parameters_for(wanted, ring);
  check("there are parameters for it", parameters.has_value());
  std::cout << parameters->summary() << '\n' << explain(comparison, plan(comparison, *parameters)) << '\n';

  const ContextPtr context = make_context(*parameters, make_cpu_engine());
  Keys keys = keygen(context, {.rotations = {{}}});
  const auto evaluation = std::make_shared<const EvaluationKeys>(std::move(keys.evaluation));
  Numbers x(parameters->slots()), y(x.size()), expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<std::int64_t>(i * 40503 % 65536);
    y[i] = i % 3 == 0 ? x[i] : static_cast<std::int64_t>(i * 30011 % 65536);
    expected[i] = x[i] < y[i] ? 1 : 0;
  }
  const std::vector<Ciphertext> inputs = {encrypted_bits(context, x, bits, keys.public_key),
                                          encrypted_bits(context, y, bits, keys.public_key)};
  const Computed computed = compute(comparison, inputs, evaluation);
  Numbers answer = decode_residues(decrypt(computed.outputs.at(0), keys.secret), Encoding::Kind::slots);
  answer.resize(x.size());
  check(std::to_string(x.size()) + " comparisons at once", answer, expected);
}

void comparisons_and_circuits() {
  small_numbers();
  circuits();
}

}  // namespace

int main() { return run(comparisons_and_circuits); }
