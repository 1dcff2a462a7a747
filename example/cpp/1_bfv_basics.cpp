// SPDX-License-Identifier: Apache-2.0
// Example 1: parameters, keys, and exact arithmetic on encrypted integers in BFV.
#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

void bfv_basics() {
  title("Parameters from what will be computed");
  // One product of encrypted values, which lie within (-2^8, 2^8); all that comes of it within (-2^24, 2^24).
  const Parameters parameters = suggest({.depth = 1, .value_bits = 8, .result_bits = 24});
  std::cout << parameters.summary() << "\n\n" << explain(parameters);

  title("Keys");
  // A context is parameters on an engine, which computes: here all cores of this machine.
  const ContextPtr context = make_context(parameters, make_cpu_engine());
  // The secret key decrypts and stays here. The public key encrypts, the evaluation keys multiply: they may be given
  // away.
  const auto [secret, public_key, evaluation] = keygen(context);

  title("Encrypt, compute, decrypt");
  const Numbers values = {1, -2, 3, 100, -255};
  // The bound is public: nobody learns more of the values than that none is beyond it.
  const EncryptedArray x = encrypt(values, public_key, {.bound = 255}).with_keys(evaluation);
  const EncryptedArray y = x * x + 3 * x - 7;
  const Numbers answer = decrypt(y, secret).to_int64();
  Numbers expected;
  for (const std::int64_t v : values) expected.push_back(v * v + 3 * v - 7);
  check("x^2 + 3 x - 7", answer, expected);

  title("Bounds and noise");
  // Both are kept up by every operation, from public numbers only.
  std::cout << "x is within " << x.bound().largest().to_string() << ", y within " << y.bound().largest().to_string()
            << '\n';
  std::cout << "noise headroom in bits: x " << x.noise_headroom() << ", y " << y.noise_headroom() << '\n';
  std::cout << "measured with the secret key: x " << noise_budget(x, secret) << ", y " << noise_budget(y, secret)
            << '\n';
  check("the bound is safe: no more headroom is stated than there is", y.noise_headroom() <= noise_budget(y, secret));

  title("What would go wrong is refused");
  check_refused<RangeError>("a result that could wrap around", [&] { return 1000 * y; });
  check_refused<NoiseError>("a product too many", [&] {
    EncryptedArray z = encrypt({1, 0, -1}, public_key, {.bound = 1}).with_keys(evaluation);
    for (int i = 0; i < 5; ++i) z = z * z;  // values stay small, but the parameters were made for one product
    return z;
  });
  const EncryptedArray no_keys = encrypt(values, public_key, {.bound = 255});
  check_refused<MissingKeyError>("a product without evaluation keys", [&] { return no_keys * no_keys; });
}

}  // namespace

int main() { return run(bfv_basics); }
