// SPDX-License-Identifier: Apache-2.0
// Example 4: the same in BGV, where products switch to lower levels by themselves.
#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

/// ((x^2)^2)^2 in a scheme, with what becomes of the level.
Numbers eighth_power(const Scheme& scheme, const Numbers& values) {
  const Parameters parameters =
      suggest({.depth = 3, .value_bits = 2, .result_bits = 16, .terms = 1, .plain_products = 0, .scheme = &scheme});
  std::cout << parameters.summary() << '\n';
  const ContextPtr context = make_context(parameters, make_cpu_engine());
  const auto [secret, public_key, evaluation] = keygen(context, {.rotations = {{}}});
  EncryptedArray x = encrypt(values, public_key, {.bound = 3}).with_keys(evaluation);
  for (const char* name : {"x", "x^2", "x^4", "x^8"}) {
    if (name != std::string("x")) x = x * x;
    std::cout << "  " << name << ": level " << x.level() << ", headroom " << x.noise_headroom()
              << " bits, noise budget " << noise_budget(x, secret) << '\n';
  }
  return decrypt(x, secret).to_int64();
}

void bgv_basics() {
  const Numbers values = {0, 1, -2, 3};
  title("BGV: modulus switching keeps noise small, level by level");
  const Numbers by_bgv = eighth_power(bgv_scheme(), values);
  check("x^8", by_bgv, {0, 1, 256, 6561});

  title("BFV: all primes until the end");
  const Numbers by_bfv = eighth_power(bfv_scheme(), values);
  check("x^8", by_bfv, by_bgv);

  title("By hand: two primes fewer, then a sum across levels");
  const ContextPtr context = make_context(
      suggest({.depth = 2, .value_bits = 4, .result_bits = 18, .scheme = &bgv_scheme()}), make_cpu_engine());
  const auto [secret, public_key, evaluation] = keygen(context, {.rotations = {{}}});
  const EncryptedArray x = encrypt(values, public_key, {.bound = 15}).with_keys(evaluation);
  const EncryptedArray low = (x * x).switch_to_level(2);
  const EncryptedArray mixed = x + low;  // brought to the lower level, and to one correction factor
  std::cout << "levels " << x.level() << " and " << low.level() << " give " << mixed.level() << '\n';
  check("x + x^2", decrypt(mixed, secret).to_int64(), {0, 2, 2, 12});
}

}  // namespace

int main() { return run(bgv_basics); }
