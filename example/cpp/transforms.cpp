// SPDX-License-Identifier: Apache-2.0
// Polynomials multiplied by every transform there is by name; and by a discrete Galois transform modulo a prime that no
// other transform takes.
#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

EnginePtr engine_of(TransformDesign design) { return make_transform_engine(design, make_cpu_engine()); }

void transforms() {
  std::vector<std::uint64_t> a(1024, 0), b(1024, 0);
  a[0] = 1;
  a[1] = 2;
  b[1023] = 3;
  const auto expected = PolynomialTransform(make_cpu_engine(), 1024, 12289).multiply(a, b);
  check("(1 + 2x) 3x^1023 is -6 + 3x^1023", expected[0] == 12289 - 6 && expected[1023] == 3);
  for (const DesignFacts& design : transform_designs) {
    const bool same = PolynomialTransform(engine_of(design.design), 1024, 12289).multiply(a, b) == expected;
    check(std::string(design.name) + " (" + std::string(design.source) + "): the same product", same);
  }

  const PolynomialTransform dgt(engine_of(TransformDesign::galois_stockham), 32, 31);
  std::vector<std::uint64_t> x(32, 0), minus_25(32, 0);
  x[31] = 5;
  minus_25[30] = 31 - 25;
  check("modulo 31 (5x^31)^2 is -25x^30", dgt.multiply(x, x) == minus_25);
}

}  // namespace

int main() { return run(transforms); }
