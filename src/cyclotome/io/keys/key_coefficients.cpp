// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/keys/key_coefficients.hpp"

#include "cyclotome/io/container/bit_packing.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

namespace {

constexpr unsigned coefficient_bits = 2;

using Codes = ZeroisingVector<std::uint32_t>;

}  // namespace

std::size_t packed_key_bytes(const rlwe::Parameters& parameters) {
  return packed_bytes(parameters.degree(), coefficient_bits);
}

void pack_key(std::span<std::uint8_t> packed, const rlwe::SecretKey& key) {
  const ZeroisingVector<std::int8_t> coefficients = key.coefficients();
  Codes codes(coefficients.size(), Residence::locked);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint32_t>(coefficients[i]) & 3;
  pack_bits<std::uint32_t>(packed, codes, coefficient_bits);
}

rlwe::SecretKey unpack_key(std::span<const std::uint8_t> packed, const rlwe::ContextPtr& context, const rlwe::KeyId& id,
                           rlwe::KeyCheck check) {
  const std::size_t n = context->degree();
  Codes codes(n, Residence::locked);
  if (!unpack_bits<std::uint32_t>(codes, packed, coefficient_bits, 4)) {  // every code is below 4
    throw FormatError("unused bits are set behind the coefficients of a secret key: the data is damaged");
  }
  ZeroisingVector<std::int8_t> coefficients(n, Residence::locked);
  // Code 10 becomes -2, which from_coefficients refuses.
  for (std::size_t i = 0; i < n; ++i) {
    coefficients[i] = static_cast<std::int8_t>(static_cast<int>(codes[i] & 1) - static_cast<int>(codes[i] & 2));
  }
  return rlwe::SecretKey::from_coefficients(context, coefficients, id, check);
}

}  // namespace cyclotome::io
