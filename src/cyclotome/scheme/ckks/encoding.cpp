// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/ckks/encoding.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/scheme/ckks/noise.hpp"
#include "cyclotome/scheme/ckks/scheme.hpp"

namespace cyclotome::ckks {

namespace {

void require_encodable(std::span<const std::complex<double>> values, double scale) {
  for (const std::complex<double>& value : values) {
    const double size = std::abs(value);
    if (!std::isfinite(size)) throw RangeError("encode: a value is no finite number");
    if (size * scale > carrier_limit) {
      throw RangeError(message("encode: a value of magnitude ", size, " is more than these parameters hold, ",
                               carrier_limit / scale, "; take parameters with a larger bound"));
    }
  }
}

}  // namespace

double largest(std::span<const std::complex<double>> values) {
  double most = 0;
  for (const std::complex<double>& value : values) most = std::max(most, std::abs(value));
  return most;
}

rlwe::Plaintext encode(const std::shared_ptr<const Context>& context, std::span<const std::complex<double>> values,
                       double scale, Secrecy secrecy) {
  require_encodable(values, scale);
  const std::size_t n = context->degree(), slots = n / 2, batch = (values.size() + slots - 1) / slots;
  if (values.size() % slots != 0 || batch == 0) {
    throw ArgumentError(message("encode: ", values.size(), " numbers, but a plaintext holds ", slots));
  }
  PolyArray out =
      context->make(context->plain_ring(PlainIndex(0)), batch, 1, Domain::coefficient, secrecy == Secrecy::secret);
  ZeroisingVector<double> coefficients(n);
  ZeroisingVector<std::uint64_t> residues(n);
  for (std::size_t i = 0; i < batch; ++i) {
    check_interrupt();
    context->transform().to_coefficients(values.subspan(i * slots, slots), scale, coefficients);
    for (std::size_t j = 0; j < n; ++j) {
      const auto whole = static_cast<std::int64_t>(std::round(coefficients[j]));
      residues[j] = static_cast<std::uint64_t>(whole) + (whole < 0 ? carrier : 0);
    }
    out.upload_part(i, 0, residues.data());
  }
  return rlwe::Plaintext(context, PlainIndex(0), std::move(out));
}

Numbers decode(const rlwe::Plaintext& plaintext, double scale) {
  const Context& context = ckks_context(plaintext.context());
  const std::size_t n = context.degree(), slots = n / 2;
  Numbers values(plaintext.batch() * slots);
  ZeroisingVector<double> coefficients(n);
  ZeroisingVector<std::uint64_t> residues(n);
  for (std::size_t i = 0; i < plaintext.batch(); ++i) {
    check_interrupt();
    plaintext.polynomials().download_part(i, 0, residues.data());
    for (std::size_t j = 0; j < n; ++j) {
      coefficients[j] =
          static_cast<double>(static_cast<std::int64_t>(residues[j] - (residues[j] > carrier / 2 ? carrier : 0)));
    }
    context.transform().to_slots(coefficients, scale, std::span(values).subspan(i * slots, slots));
  }
  return values;
}

}  // namespace cyclotome::ckks
