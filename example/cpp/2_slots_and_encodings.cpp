// SPDX-License-Identifier: Apache-2.0
// Example 2: where values stand in ciphertexts: slots, coefficients, constants; arrays of several axes; wide integers.
#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

void slots() {
  title("Slots: thousands of values in one ciphertext");
  const ContextPtr context = make_context(suggest({.depth = 1, .value_bits = 8, .result_bits = 20}), make_cpu_engine());
  const auto [secret, public_key, evaluation] = keygen(context);
  std::cout << "a ciphertext has " << context->parameters().slots() << " slots\n";

  // The last axis of an array lies in slots, the others number ciphertexts. Shapes broadcast as in NumPy.
  const Integers table({2, 3}, Numbers{1, 2, 3, 40, 50, 60});
  const EncryptedArray x = encrypt(table, public_key, {.bound = 100}).with_keys(evaluation);
  check("2 x 3, placed " + to_string(x.layout().placement()), x.layout().batch() == 2);
  check("row 0 times row 1", decrypt(item(x, 0) * item(x, 1), secret).to_int64(), {40, 100, 180});
  check("each row plus a number of its own", decrypt(x + Integers({2, 1}, Numbers{1000, 2000}), secret).to_int64(),
        {1001, 1002, 1003, 2040, 2050, 2060});
  // Public values that are used often are encoded once.
  const PlainArray weights(context, {5, -5, 0});
  check("times weights", decrypt(multiply(x, weights), secret).to_int64(), {5, -10, 0, 200, -250, 0});
}

void coefficients() {
  title("Coefficients: an array as a polynomial");
  const ContextPtr context = make_context(suggest({.depth = 1, .value_bits = 8, .result_bits = 20}), make_cpu_engine());
  const auto [secret, public_key, evaluation] = keygen(context, {.rotations = {{}}});  // no rotations
  const Encryption in_coefficients = {.bound = 100, .placement = Placement::coefficients};
  const EncryptedArray a = encrypt({1, 2, 3}, public_key, in_coefficients).with_keys(evaluation);
  const EncryptedArray b = encrypt({10, 0, -1}, public_key, in_coefficients);
  check("(1 + 2x + 3x^2)(10 - x^2)", decrypt(convolve(a, b), secret).to_int64(), {10, 20, 29, -2, -3});
  check_refused<UnsupportedError>("a product value by value", [&] { return a * b; });
}

void wide_integers() {
  title("Wide integers: several plaintext moduli");
  const Parameters parameters = suggest({.depth = 1, .value_bits = 40, .result_bits = 82, .terms = 2});
  std::cout << parameters.plain_moduli().size() << " plaintext moduli hold results of 82 bits\n";
  const ContextPtr context = make_context(parameters, make_cpu_engine());
  const auto [secret, public_key, evaluation] = keygen(context, {.rotations = {{}}});
  const EncryptedArray x = encrypt({1'099'511'627'775}, public_key, {.bound = 1'099'511'627'775}).with_keys(evaluation);
  const Integer square = decrypt(x * x, secret)[0];
  std::cout << "(2^40 - 1)^2 = " << square.to_string() << '\n';
  check("and that is right", square.to_string() == "1208925819612430151450625");
}

void modulo_t() {
  title("Ciphertexts modulo t: arithmetic that wraps around");
  // As in other libraries: one plaintext modulus, residues in and residues out, and nobody notices an overflow.
  const ContextPtr context = make_context(preset("seal-4096", true), make_cpu_engine());
  const auto [secret, public_key, evaluation] = keygen(context, {.relinearization = false, .rotations = {{}}});
  const Evaluator evaluator;
  const auto encoded = [&](const Numbers& values) {
    return encode_residues(context, PlainIndex(0), Encoding::Kind::slots, values, 1, values.size());
  };
  const auto t = static_cast<std::int64_t>(context->parameters().plain_moduli()[0]);
  const Ciphertext x = encrypt(encoded({1, 2, t / 2}), public_key);
  const Ciphertext y = evaluator.add(x, evaluator.multiply_plain(x, encoded({3, 3, 3})));
  Numbers answer = decode_residues(decrypt(y, secret), Encoding::Kind::slots);
  answer.resize(3);
  check("4 x modulo t = " + std::to_string(t), answer, {4, 8, -2});
}

void slots_and_encodings() {
  slots();
  coefficients();
  wide_integers();
  modulo_t();
}

}  // namespace

int main() { return run(slots_and_encodings); }
