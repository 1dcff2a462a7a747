// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/constants.hpp"

namespace cyclotome::circuit {

namespace {

/// The coefficients of 1 in the normal basis of Z[x]/(Phi_m), m squarefree: all are mu(m), since the primitive m-th
/// roots of unity add up to that.
int coefficient_of_one(std::uint64_t index) {
  int sign = 1;
  for (std::uint64_t p = 3; index > 1; p += 2) {
    if (index % p != 0) continue;
    sign = -sign;
    index /= p;
  }
  return sign;
}

}  // namespace

rlwe::Plaintext constant_polynomial(const rlwe::ContextPtr& context, std::int64_t value) {
  const rlwe::PlainIndex plain(0);
  const RingShape& shape = *context->parameters().ring();
  const Modulus<std::uint64_t> t(context->parameters().plain_moduli()[0]);
  std::vector<std::uint64_t> residues(context->degree());
  if (shape.power_basis()) {
    residues[0] = t.reduce_signed(value);
  } else {
    residues.assign(residues.size(), t.reduce_signed(coefficient_of_one(shape.index()) * value));
  }
  PolyArray polynomial = context->make(context->plain_ring(plain), 1, 1);
  polynomial.from_host(residues);
  return rlwe::Plaintext(context, plain, std::move(polynomial));
}

}  // namespace cyclotome::circuit
