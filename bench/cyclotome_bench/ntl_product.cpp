// SPDX-License-Identifier: Apache-2.0
// Products in Z_q[x]/(x^N + 1) by NTL, for `cyclotome bench --paper 004`: compiled where NTL is installed, and asked
// over pipes. Reads q, N and the coefficients of both factors; then a number of products to make at each line, which it
// answers with the nanoseconds of the wall and of this thread, until 0, which it answers with the coefficients of the product.
#include <NTL/ZZ_pX.h>
#include <iostream>

#include "spent.hpp"

int main() {
  NTL::ZZ modulus;
  long degree = 0;
  std::cin >> modulus >> degree;
  NTL::ZZ_p::init(modulus);
  NTL::ZZ_pX factors[2], product, ring;
  for (auto& factor : factors) {
    for (long i = 0; i < degree; ++i) {
      NTL::ZZ coefficient;
      std::cin >> coefficient;
      NTL::SetCoeff(factor, i, NTL::conv<NTL::ZZ_p>(coefficient));
    }
  }
  NTL::SetCoeff(ring, degree);
  NTL::SetCoeff(ring, 0);
  for (long count = 0; std::cin >> count && count > 0;) {
    const Spent spent;
    for (long i = 0; i < count; ++i) {
      NTL::mul(product, factors[0], factors[1]);
      // x^N = -1, by moving the upper half; NTL's reduction by a general polynomial would take longer.
      NTL::ZZ_pX upper;
      NTL::RightShift(upper, product, degree);
      NTL::trunc(product, product, degree);
      product -= upper;
    }
    spent.tell();
  }
  for (long i = 0; i < degree; ++i) std::cout << NTL::coeff(product, i) << '\n';
  return std::cout.flush() ? 0 : 1;
}
