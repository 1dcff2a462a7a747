// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/polynomials/monomials.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/layout/rows.hpp"

namespace cyclotome::value {

void require_two_parts(const char* operation, const EncryptedArray& x) {
  if (x.channels().front().parts() == 2) return;
  throw ArgumentError(message(operation, ": takes ciphertexts of 2 parts, and this is a product that was not ",
                              "relinearised; x.relinearized() does it"));
}

void require_polynomials(const char* operation, const EncryptedArray& x, MostParts parts) {
  const Layout& layout = x.layout();
  if (layout.placement() != Placement::coefficients) {
    throw UnsupportedError(message(operation, ": takes polynomials, arrays in coefficients, and this one is ",
                                   to_string(layout.placement()),
                                   "; encrypt(values, key, encoding='coefficients') makes one"));
  }
  if (layout.chunks() > 1) {
    throw ArgumentError(message(operation, ": rows of ", layout.length(), " coefficients are several polynomials of ",
                                "n = ", layout.width(), "; encrypt them as rows of at most n, shape (..., k, n)"));
  }
  if (parts == MostParts::two) require_two_parts(operation, x);
  if (!layout.clean()) throw ArgumentError(message(operation, ": there may be more behind the coefficients"));
}

Channels times_power(const Channels& a, std::int64_t exponent, const Options& options) {
  const rlwe::ContextPtr& context = a.front().context();
  const auto n = static_cast<std::int64_t>(context->degree());
  // x^-e = -x^(n - e)
  std::vector<std::int64_t> power(context->degree(), 0);
  power[static_cast<std::size_t>(exponent < 0 ? exponent + n : exponent)] = exponent < 0 ? -1 : 1;
  const Integers w({context->degree()}, power);
  const Layout row({context->degree()}, context->degree(), Placement::coefficients);
  const Layout batch({a.front().batch(), context->degree()}, context->degree(), Placement::coefficients);
  return with_rows("multiplying", rlwe::multiply_plain, {a, batch}, batch, Rows(row, w), options).channels;
}

Channels subtracted(const Channels& a, const Channels& b) {
  Channels results;
  for (std::size_t i = 0; i < a.size(); ++i) results.push_back(scheme::subtract(a[i], b[i]));
  return results;
}

Channels batch_slice(const Channels& a, std::size_t start, std::size_t stop) {
  Indices numbers;
  for (std::size_t i = start; i < stop; ++i) numbers.push_back(i);
  return take(a, numbers);
}

}  // namespace cyclotome::value
