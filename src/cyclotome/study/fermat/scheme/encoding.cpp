// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/fermat/scheme/operations.hpp"

namespace cyclotome::study::fermat {

namespace {

/// Where value i of a row stands in the polynomial that carries it, transformed for slots.
std::vector<std::uint32_t> positions_of(const Context& context, bool slots) {
  const std::size_t n = context.degree();
  const RingShape& ring = *context.parameters().ring();
  if (!slots) {
    std::vector<std::uint32_t> positions(n);
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
  }
  if (!context.plain_ring()->has_transform(0)) {
    throw ParameterError(message("plaintext modulus ", context.parameters().plain_modulus(), " has no slots at degree ",
                                 n, ": it must be a prime congruent to 1 modulo ", ring.transform_step(),
                                 " that divides no 2^(2^x) - 1, such as 163841, 557057 or 786433; use coefficients or ",
                                 "another plaintext modulus"));
  }
  return ring.galois().slot_positions();
}

/// Looks at every value without a branch on any; that one of them does not fit is public.
void require_in_range(std::span<const std::int64_t> values, std::uint64_t t) {
  const std::uint64_t half = t / 2;
  const auto outside = [half](std::int64_t value) {
    return mask_if<std::uint64_t>(static_cast<std::uint64_t>(value) + half > 2 * half);
  };
  std::uint64_t any = 0;
  for (const std::int64_t value : values) any |= outside(value);
  if (!declassify(any != 0)) return;
  const auto found = std::ranges::find_if(values, [&](std::int64_t value) { return outside(value) != 0; });
  throw RangeError(message("encode: value ", *found, " at position ", found - values.begin(), " is outside [-", half,
                           ", ", half, "], what plaintext modulus ", t, " holds; use a larger one"));
}

}  // namespace

Plaintext encode(const ContextPtr& context, std::span<const std::int64_t> values, std::size_t items, bool slots) {
  const std::size_t n = context->degree(), width = items == 0 ? 0 : values.size() / items;
  if (items == 0 || width > n || values.size() != items * width) {
    throw ArgumentError(message("encode: ", values.size(), " values as ", items,
                                " rows; rows are equally long and hold ", "at most n = ", n,
                                " values, and there must be at least one"));
  }
  const auto positions = positions_of(*context, slots);
  const Modulus<std::uint64_t> t(context->parameters().plain_modulus());
  require_in_range(values, t.value());
  Plaintext plaintext{context, ZeroisingVector<std::uint64_t>(items * n, 0)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    plaintext.coefficients[i / width * n + positions[i % width]] = t.reduce_signed(values[i]);
  }
  if (slots) {
    PolyArray polynomials(context->engine(), context->plain_ring(), items, 1, Domain::transform, true);
    polynomials.upload(plaintext.coefficients.data());
    polynomials.to_coefficient();
    polynomials.download(plaintext.coefficients.data());
  }
  return plaintext;
}

std::vector<std::int64_t> decode(const Plaintext& plaintext, bool slots) {
  const Context& context = *plaintext.context;
  const std::size_t n = context.degree();
  const auto positions = positions_of(context, slots);
  const auto t = static_cast<std::int64_t>(context.parameters().plain_modulus());
  ZeroisingVector<std::uint64_t> residues = plaintext.coefficients;
  if (slots) {
    PolyArray polynomials(context.engine(), context.plain_ring(), plaintext.items(), 1, Domain::coefficient, true);
    polynomials.upload(residues.data());
    polynomials.to_transform();
    polynomials.download(residues.data());
  }
  std::vector<std::int64_t> values(residues.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto residue = static_cast<std::int64_t>(residues[i / n * n + positions[i % n]]);
    values[i] = residue - (t & -static_cast<std::int64_t>(residue >= t - residue));  // no branch on the value
  }
  return values;
}

}  // namespace cyclotome::study::fermat
