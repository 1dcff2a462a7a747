// SPDX-License-Identifier: Apache-2.0
// Polynomials multiplied by every transform there is by name; and by a discrete Galois transform modulo a prime that no
// other transform takes.

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

#include "cyclotome/engine/cpu/cpu.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/transform/polynomial_transform.hpp"
#include "cyclotome/study/transform/transform_engine.hpp"

namespace {

using namespace cyclotome;
using study::PolynomialTransform;

EnginePtr engine_of(TransformDesign design) { return study::make_transform_engine(design, make_cpu_engine()); }

}  // namespace

int main() try {
  std::vector<std::uint64_t> a(1024, 0), b(1024, 0);
  a[0] = 1;
  a[1] = 2;
  b[1023] = 3;
  const auto expected = PolynomialTransform(make_cpu_engine(), 1024, 12289).multiply(a, b);  // -6 + 3 x^1023
  bool right = expected[0] == 12289 - 6 && expected[1023] == 3;
  for (const DesignFacts& design : transform_designs) {
    const bool same = PolynomialTransform(engine_of(design.design), 1024, 12289).multiply(a, b) == expected;
    std::cout << design.name << " (" << design.source << "): " << (same ? "the same product" : "ANOTHER PRODUCT")
              << '\n';
    right = right && same;
  }

  const PolynomialTransform dgt(engine_of(TransformDesign::galois_stockham), 32, 31);
  std::vector<std::uint64_t> x(32, 0);
  x[31] = 5;
  const auto square = dgt.multiply(x, x);  // 25 x^62 = -25 x^30
  std::cout << "modulo 31 (5 x^31)^2 is " << square[30] << " x^30\n";
  right = right && square[30] == 31 - 25 && std::count(square.begin(), square.end(), 0) == 31;
  return right ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
