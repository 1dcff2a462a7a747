// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/encoding.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cyclotome/engine/host_values.hpp"
#include "cyclotome/engine/known_plaintexts.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome {

namespace {

/// Residues on their way between host and engine at once.
constexpr std::size_t staging_words = std::size_t{1} << 20;

/// Where value i of a row stands in the polynomial that carries it, transformed for slots; empty where that is i.
std::span<const std::uint32_t> positions_of(const rlwe::Context& context, rlwe::PlainIndex plain, Encoding::Kind kind) {
  const std::size_t n = context.degree();
  if (kind != Encoding::Kind::slots || context.parameters().field_slots() != nullptr) return {};
  if (!context.parameters().has_slots(plain)) {
    throw ParameterError(message("plaintext modulus ", context.parameters().plain_modulus(plain),
                                 " has no slots at degree ", n, ": it must be a prime congruent to 1 modulo ",
                                 context.parameters().ring()->slot_condition(),
                                 "; use the coefficient encoding or another plaintext modulus"));
  }
  return context.slot_galois().slot_positions();
}

void require_kind(const rlwe::Context& context, Encoding::Kind kind) {
  const RingShape& ring = *context.parameters().ring();
  if (kind == Encoding::Kind::coefficients && !ring.power_basis()) {
    throw ParameterError(message("coefficients in Z[x]/(", ring.modulus(), ") are not those of powers of x, and ",
                                 "constants not polynomials of one coefficient; use the encoding in slots"));
  }
  if (kind > Encoding::Kind::constants) {
    throw ArgumentError(message("encoding number ", static_cast<unsigned>(kind),
                                " is unknown; there are 0 (slots), 1 (coefficients) and 2 (constants)"));
  }
}

/// Throws RangeError unless all values are elements. Looks at every value without a branch on any.
void require_elements(std::span<const std::int64_t> values, std::size_t width, const BinaryField& field) {
  std::uint64_t above = 0;
  for (const std::int64_t value : values) above |= static_cast<std::uint64_t>(value) >> field.degree();
  if (!declassify(above != 0)) return;
  std::size_t i = 0;
  while (static_cast<std::uint64_t>(values[i]) >> field.degree() == 0) ++i;
  throw RangeError(message("encode_residues: value ", values[i], " at row ", i / width, ", column ", i % width,
                           " is no element of GF(2^", field.degree(), "), which are 0 to ", field.order()));
}

/// One polynomial: elements of a row in slots, or a single one in all of them.
void encode_elements(std::span<std::uint64_t> residues, std::span<const std::int64_t> row, bool constant,
                     const FieldSlots& slots) {
  ZeroisingVector<std::uint64_t> elements(slots.count(), 0);
  for (std::size_t j = 0; j < row.size(); ++j) elements[j] = static_cast<std::uint64_t>(row[j]);
  if (constant && !row.empty()) std::ranges::fill(elements, elements[0]);
  slots.encode(residues, elements);
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

/// Of a value in [-t/2, t/2], modulo t; no branch on it.
std::uint64_t residue_of(std::int64_t value, std::uint64_t t) noexcept {
  return static_cast<std::uint64_t>(value) + (t & static_cast<std::uint64_t>(value >> 63));
}

/// What an engine has for values on their way; null for others.
HostValues* host_values(const rlwe::Context& context) { return dynamic_cast<HostValues*>(context.engine().get()); }

/// Polynomials in y as those in x that they are, y = x^(n/k), or the part in powers of y of polynomials in x.
PolyArray moved(PolyArray from, const RingPtr& ring) {
  if (from.ring()->degree() == ring->degree()) return from;
  const std::size_t k = from.ring()->degree(), n = ring->degree(), common = std::min(k, n);
  PolyArray to(from.engine(), ring, from.batch(), 1, Domain::coefficient, true);
  const std::size_t at_once = std::clamp<std::size_t>(staging_words / n, 1, from.batch());
  ZeroisingVector<std::uint64_t> source(from.size()), target(at_once * n, 0);
  from.to_host(source);
  for (std::size_t first = 0; first < from.batch(); first += at_once) {
    check_interrupt();
    const std::size_t rows = std::min(at_once, from.batch() - first);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < common; ++j) {
        target[i * n + j * (n / common)] = source[(first + i) * k + j * (k / common)];
      }
    }
    to.from_host(first, std::span(target).first(rows * n));
  }
  return to;
}

/// Of values, and of whatever else residues of plaintexts depend on.
KnownPlaintexts::Name name_of(std::span<const std::int64_t> values, const std::array<std::uint64_t, 6>& how) {
  KnownPlaintexts::Name name{values.size(), how.size()};
  const auto add = [&](std::uint64_t number) {
    name[0] = (name[0] ^ number) * 0x9e3779b97f4a7c15 + (name[0] >> 29);
    name[1] = (name[1] + number) * 0xd1342543de82ef95 ^ name[1] >> 31;
  };
  for (const std::uint64_t number : how) add(number);
  for (const std::int64_t value : values) add(static_cast<std::uint64_t>(value));
  return name;
}

/// How encode_residues goes about it.
struct Way {
  rlwe::ContextPtr context;
  rlwe::PlainIndex plain;
  RingPtr ring;  ///< in which values stand
  Domain domain;
  std::size_t items;

  PolyArray make() const { return context->make(ring, items, 1, domain, true); }
  rlwe::Plaintext finished(PolyArray polynomials) const {
    polynomials.to_coefficient();
    return {context, plain, moved(std::move(polynomials), context->plain_ring(plain))};
  }
};

/// The plaintext itself. Throws RangeError.
rlwe::Plaintext encoded(const Way& way, Encoding::Kind kind, std::span<const std::int64_t> values, std::size_t width,
                        bool reduce) {
  const rlwe::Context& context = *way.context;
  const FieldSlotsPtr& field = context.parameters().field_slots();
  const std::span<const std::uint32_t> positions = positions_of(context, way.plain, kind);
  const std::size_t n = way.ring->degree(), items = way.items;
  const Modulus<std::uint64_t> t(way.ring->basis()[0]);
  const bool constant = kind == Encoding::Kind::constants;
  const bool fills = constant && !way.ring->shape()->power_basis();  // one value stands in more places
  PolyArray polynomials = way.make();
  HostValues* const host = field != nullptr || fills ? nullptr : host_values(context);
  if (host != nullptr && host->place(polynomials.view(), values, width, positions, reduce)) {
    return way.finished(std::move(polynomials));
  }
  if (field != nullptr) {
    require_elements(values, width, field->field());
  } else if (!reduce) {
    require_in_range(values, width, t.value());
  }
  const auto place = [positions](std::size_t j) { return positions.empty() ? j : positions[j]; };
  const std::size_t at_once = std::clamp<std::size_t>(staging_words / n, 1, items);
  ZeroisingVector<std::uint64_t> residues(at_once * n, 0);  // of some rows; what lies beside the values stays zero
  for (std::size_t i = 0; i < items; ++i) {
    check_interrupt();
    const std::size_t before = std::min(i * width, values.size());
    const auto row = values.subspan(before, std::min(width, values.size() - before));
    const auto out = std::span(residues).subspan(i % at_once * n, n);
    if (field != nullptr) {
      encode_elements(out, row, constant, *field);
    } else if (fills) {
      const std::uint64_t one = t.reduce_signed(way.ring->shape()->one());
      std::ranges::fill(out, row.empty() ? 0 : t.multiply(t.reduce_signed(row[0]), one));
    } else if (reduce) {
      for (std::size_t j = 0; j < row.size(); ++j) out[place(j)] = t.reduce_signed(row[j]);
    } else {
      for (std::size_t j = 0; j < row.size(); ++j) out[place(j)] = residue_of(row[j], t.value());
    }
    if (const std::size_t rows = i % at_once + 1; rows == at_once || i + 1 == items) {
      polynomials.from_host(i + 1 - rows, std::span(residues).first(rows * n));
    }
  }
  return way.finished(std::move(polynomials));
}

/// A plaintext that stands for values which the engine knows; nothing if it does not. Counted as if it were encoded.
std::optional<rlwe::Plaintext> known_plaintext(const Way& way, KnownPlaintexts& known,
                                               const KnownPlaintexts::Name& name) {
  PolyArray polynomials = way.make();
  if (!known.stand_in(name, polynomials.view())) return std::nullopt;
  polynomials.to_coefficient();
  if (const RingPtr& ring = way.context->plain_ring(way.plain); polynomials.ring()->degree() != ring->degree()) {
    PolyArray lifted(polynomials.engine(), ring, way.items, 1, Domain::coefficient, true);
    if (!known.stand_in(name, lifted.view())) return std::nullopt;
    polynomials = std::move(lifted);
  }
  if (!known.noted(std::as_const(polynomials).view())) return std::nullopt;
  return rlwe::Plaintext(way.context, way.plain, std::move(polynomials));
}

}  // namespace

std::size_t values_of(const rlwe::Context& context, Encoding::Kind kind) {
  if (kind == Encoding::Kind::constants) return 1;
  return kind == Encoding::Kind::slots ? context.parameters().slots() : context.degree();
}

rlwe::Plaintext encode_residues(const rlwe::ContextPtr& context, rlwe::PlainIndex plain, Encoding::Kind kind,
                                std::span<const std::int64_t> values, std::size_t items, std::size_t width,
                                bool reduce) {
  require_kind(*context, kind);
  if (const std::size_t most = values_of(*context, kind);
      width > most || items == 0 || values.size() > items * width || values.size() + width < items * width) {
    throw ArgumentError(message("encode_residues: ", values.size(), " values as ", items, " rows of ", width,
                                ", of which the last may have fewer; rows hold at most ",
                                most == context->degree() ? "n = " : "", most,
                                " values and there must be at least one"));
  }
  static_cast<void>(positions_of(*context, plain, kind));  // throws where there are no slots
  const bool transformed = kind == Encoding::Kind::slots && context->parameters().field_slots() == nullptr;
  const RingPtr& ring = transformed ? context->slot_ring(plain) : context->plain_ring(plain);
  const Way way{context, plain, ring, transformed ? Domain::transform : Domain::coefficient, items};
  auto* const known = dynamic_cast<KnownPlaintexts*>(context->engine().get());
  if (known == nullptr) return encoded(way, kind, values, width, reduce);
  const RingShape& shape = *context->parameters().ring();
  const KnownPlaintexts::Name name =
      name_of(values, {ring->basis()[0], ring->degree(), static_cast<std::uint64_t>(shape.kind()), shape.index(),
                       static_cast<std::uint64_t>(ring->word()),
                       width * 8 + static_cast<std::uint64_t>(kind) * 2 + (reduce ? 1 : 0)});
  if (auto found = known_plaintext(way, *known, name)) return *std::move(found);
  rlwe::Plaintext made = encoded(way, kind, values, width, reduce);
  static_cast<void>(made.norms());  // which what stands in for it takes over
  known->learn(name, made.polynomials().view());
  return made;
}

std::vector<std::int64_t> decode_residues(const rlwe::Plaintext& plaintext, Encoding::Kind kind) {
  const rlwe::Context& context = *plaintext.context();
  require_kind(context, kind);
  const FieldSlotsPtr& field = context.parameters().field_slots();
  const std::span<const std::uint32_t> positions = positions_of(context, plaintext.plain(), kind);
  require_main_memory("decode", plaintext.batch() * context.degree() * (sizeof(std::uint64_t) + sizeof(std::int64_t)));
  const bool transformed = kind == Encoding::Kind::slots && field == nullptr;
  PolyArray polynomials = moved(plaintext.polynomials().clone(), transformed ? context.slot_ring(plaintext.plain())
                                                                             : context.plain_ring(plaintext.plain()));
  if (transformed) polynomials.to_transform();
  const std::size_t n = polynomials.degree(), width = values_of(context, kind);
  const bool negated = kind == Encoding::Kind::constants && context.parameters().ring()->one() < 0;
  std::vector<std::int64_t> values(plaintext.batch() * width);
  if (HostValues* const host = field != nullptr || negated ? nullptr : host_values(context)) {
    host->collect(values, std::as_const(polynomials).view(), width, positions);
    return values;
  }
  ZeroisingVector<std::uint64_t> residues(polynomials.size());
  polynomials.to_host(residues);
  const auto place = [positions](std::size_t j) { return positions.empty() ? j : positions[j]; };
  const auto t = static_cast<std::int64_t>(plaintext.plain_modulus().value);
  ZeroisingVector<std::uint64_t> elements(field == nullptr ? 0 : field->count());
  for (std::size_t i = 0; i < plaintext.batch(); ++i) {
    check_interrupt();
    const auto row = std::span(residues).subspan(i * n, n);
    if (field != nullptr) {
      field->decode(elements, row);
      for (std::size_t j = 0; j < width; ++j) values[i * width + j] = static_cast<std::int64_t>(elements[j]);
      continue;
    }
    for (std::size_t j = 0; j < width; ++j) {
      const auto residue = static_cast<std::int64_t>(row[place(j)]);
      const std::int64_t value = residue - (t & -static_cast<std::int64_t>(residue >= t - residue));  // no branch on it
      values[i * width + j] = negated ? -value : value;
    }
  }
  return values;
}

}  // namespace cyclotome
