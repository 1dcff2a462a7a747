// SPDX-License-Identifier: Apache-2.0
// Example 11: encrypted real numbers, and how wrong they can be. Experimental.
#include <algorithm>
#include <cmath>

#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

/// The largest distance between numbers that were decrypted and what they should be.
double distance(const Reals& found, const std::vector<double>& expected) {
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    most = std::max(most, std::abs(found.values[i].real() - expected[i]));
  }
  return most;
}

void real_numbers() {
  title("Parameters from how right results shall be");
  Precision wanted;
  wanted.precision = 1e-3;  // of a result of so many products in a row, of numbers up to `bound`
  wanted.depth = 5;
  wanted.bound = 1;
  const Parameters parameters = suggest_reals(wanted);
  std::cout << parameters.summary() << '\n';
  const ContextPtr context = make_context(parameters, make_cpu_engine());
  const auto [secret, public_key, evaluation] = keygen(context);

  title("Every array says how wrong it can be");
  const std::vector<double> values = {0.5, -0.25, 0.125, 1};
  const RealArray x = encrypt(Reals::vector({0.5, -0.25, 0.125, 1}), public_key).with_keys(evaluation);
  const RealArray y = x * x + Reals::number(0.75) - x;
  std::vector<double> expected;
  for (const double v : values) expected.push_back(v * v + 0.75 - v);
  const RealError error = y.error();
  std::cout << "each number is off by at most " << error.max << ", their root mean square by " << error.rms << '\n';
  check("x^2 + 0.75 - x", distance(decrypt(y, secret), expected) <= error.max);
  check("as right as was asked for", error.max <= 1e-3);

  title("Sums, matrices and functions");
  const RealArray z = matmul(x, Reals::vector({1, 2, 3, 4}));
  check("a scalar product", distance(decrypt(z, secret), {0.5 - 0.5 + 0.375 + 4}) <= z.error().max);
  const RealArray e = apply(x, "exp", {-1, 1}, 1e-3);
  std::vector<double> powers;
  for (const double v : values) powers.push_back(std::exp(v));
  check("exp, with what its polynomial is off by", distance(decrypt(e, secret), powers) <= e.error().max);

  title("What can't be");
  check_refused<MismatchError>("an array of integers under such parameters", [&] { encrypt({1, 2, 3}, public_key); });
  check_refused<RangeError>("a number beyond its bound", [&] { encrypt(Reals::vector({1.5}), public_key); });
}

}  // namespace

int main() { return run(real_numbers); }
