// SPDX-License-Identifier: Apache-2.0
// Example 3: levels. A ciphertext with fewer primes is smaller and faster to compute with, and has less room for noise.
#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

void levels() {
  title("Ciphertext primes");
  const ContextPtr context = make_context(suggest({.depth = 2, .value_bits = 4, .result_bits = 20}), make_cpu_engine());
  const Parameters& parameters = context->parameters();
  const auto [secret, public_key, evaluation] = keygen(context, {.rotations = {{}}});
  std::cout << parameters.moduli().size() << " primes of ciphertexts, " << parameters.special_moduli().size()
            << " special ones for key switching:\n ";
  for (const std::uint64_t prime : parameters.moduli()) std::cout << ' ' << prime;
  std::cout << '\n';

  title("Noise along a computation");
  const Numbers values = {3, -2, 1};
  const EncryptedArray x = encrypt(values, public_key, {.bound = 15}).with_keys(evaluation);
  const EncryptedArray square = x * x, fourth = square * square;
  for (const auto& [name, array] : {std::pair{"x", &x}, {"x^2", &square}, {"x^4", &fourth}}) {
    std::cout << name << ": level " << array->level() << ", " << array->noise_headroom() << " bits of headroom\n";
  }
  check("x^4", decrypt(fourth, secret).to_int64(), {81, 16, 1});

  title("Fewer primes for what is only sent");
  // Nothing more will be computed: as few primes as leave it decryptable.
  const EncryptedArray small = fourth.switch_to_least_level();
  std::cout << "in memory " << fourth.bytes() << " bytes, then " << small.bytes() << "; as a file "
            << to_bytes(fourth).size() << ", then " << to_bytes(small).size() << '\n';
  check("the level fell", small.level() < fourth.level());
  check("x^4, sent small", decrypt(small, secret).to_int64(), {81, 16, 1});
  check("one level lower", decrypt(x.switch_to_level(x.level() - 1), secret).to_int64(), values);
  check_refused<ArgumentError>("a level that is not there", [&] { return x.switch_to_level(x.level() + 1); });
}

}  // namespace

int main() { return run(levels); }
