// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/encoding.hpp"

#include <algorithm>
#include <numeric>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/secure_memory.hpp"

namespace cyclotome {

namespace {

/// Where value i of a row stands in the polynomial that carries it, transformed for slots.
std::vector<std::uint32_t> positions_of(const rlwe::Context& context, rlwe::PlainIndex plain, Encoding::Kind kind) {
  const std::size_t n = context.degree();
  if (kind == Encoding::Kind::coefficients) {
    if (const RingShape& ring = *context.parameters().ring(); !ring.power_basis()) {
      throw ParameterError(message("coefficients in Z[x]/(", ring.modulus(), ") are not those of powers of x, and ",
                                   "constants not polynomials of one coefficient; use the encoding in slots"));
    }
    std::vector<std::uint32_t> positions(n);
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
  }
  if (kind != Encoding::Kind::slots) {
    throw ArgumentError(message("encoding number ", static_cast<unsigned>(kind),
                                " is unknown; there are 0 (slots) and ", "1 (coefficients)"));
  }
  if (!context.parameters().has_slots(plain)) {
    throw ParameterError(message("plaintext modulus ", context.parameters().plain_modulus(plain),
                                 " has no slots at degree ", n, ": it must be a prime congruent to 1 modulo ",
                                 context.parameters().ring()->transform_step(),
                                 "; use the coefficient encoding or another plaintext modulus"));
  }
  return context.galois().slot_positions();
}

/// Throws RangeError unless all values lie in [-t/2, t/2]. Looks at every value without a branch on any; that one of
/// them does not fit is public, and only then is it looked for.
void require_in_range(std::span<const std::int64_t> values, std::size_t width, std::uint64_t t) {
  const std::uint64_t half = t / 2;
  const auto outside = [half](std::int64_t value) {
    return exceeds(static_cast<std::uint64_t>(value) + half, 2 * half);
  };
  std::uint64_t any = 0;
  for (const std::int64_t value : values) any |= outside(value);
  if (!declassify(any != 0)) return;
  const auto found = std::ranges::find_if(values, [&](std::int64_t value) { return outside(value) != 0; });
  const auto i = static_cast<std::size_t>(found - values.begin());
  throw RangeError(message("encode_residues: value ", values[i], " at row ", i / width, ", column ", i % width,
                           " is outside [-", half, ", ", half, "], what plaintext modulus ", t,
                           " holds; use a larger one or several"));
}

}  // namespace

rlwe::Plaintext encode_residues(const rlwe::ContextPtr& context, rlwe::PlainIndex plain, Encoding::Kind kind,
                                std::span<const std::int64_t> values, std::size_t items, std::size_t width,
                                bool reduce) {
  const std::size_t n = context->degree();
  if (width > n || items == 0 || values.size() != items * width) {
    throw ArgumentError(message("encode_residues: ", values.size(), " values as ", items, " rows of ", width,
                                "; rows hold at most n = ", n, " values and there must be at least one"));
  }
  const std::vector<std::uint32_t> positions = positions_of(*context, plain, kind);
  const RingPtr& ring = context->plain_ring(plain);
  const Modulus<std::uint64_t> t(ring->basis()[0]);
  if (!reduce) require_in_range(values, width, t.value());
  const bool slots = kind == Encoding::Kind::slots;
  PolyArray polynomials = context->make(ring, items, 1, slots ? Domain::transform : Domain::coefficient, true);
  constexpr std::size_t staging_words = std::size_t{1} << 20;
  const std::size_t at_once = std::clamp<std::size_t>(staging_words / n, 1, items);
  ZeroisingVector<std::uint64_t> residues(at_once * n, 0);  // of some rows; what lies beside the values stays zero
  for (std::size_t i = 0; i < items; ++i) {
    check_interrupt();
    for (std::size_t j = 0; j < width; ++j) {
      residues[i % at_once * n + positions[j]] = t.reduce_signed(values[i * width + j]);
    }
    if (const std::size_t rows = i % at_once + 1; rows == at_once || i + 1 == items) {
      polynomials.from_host(i + 1 - rows, std::span(residues).first(rows * n));
    }
  }
  polynomials.to_coefficient();
  return rlwe::Plaintext(context, plain, std::move(polynomials));
}

std::vector<std::int64_t> decode_residues(const rlwe::Plaintext& plaintext, Encoding::Kind kind) {
  const rlwe::Context& context = *plaintext.context();
  const std::vector<std::uint32_t> positions = positions_of(context, plaintext.plain(), kind);
  require_main_memory("decode", plaintext.batch() * context.degree() * (sizeof(std::uint64_t) + sizeof(std::int64_t)));
  PolyArray polynomials = plaintext.polynomials().clone();
  if (kind == Encoding::Kind::slots) polynomials.to_transform();
  ZeroisingVector<std::uint64_t> residues(polynomials.size());
  polynomials.to_host(residues);
  const std::size_t n = context.degree();
  const auto t = static_cast<std::int64_t>(plaintext.plain_modulus().value);
  std::vector<std::int64_t> values(residues.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % n == 0) check_interrupt();
    const auto residue = static_cast<std::int64_t>(residues[i / n * n + positions[i % n]]);
    values[i] = residue - (t & -static_cast<std::int64_t>(residue >= t - residue));  // no branch on the value
  }
  return values;
}

}  // namespace cyclotome
