// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/retrieval/request.hpp"

#include <bit>
#include <utility>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/randomness/sampling.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome::retrieval {

namespace {

constexpr unsigned modulus_bits = 53;

/// How often each row stands among the positions, times the scale: integers below q. Every row is compared with every
/// position.
ZeroisingVector<std::uint64_t> weights(const Lattice& lattice, std::size_t rows,
                                       std::span<const std::uint64_t> positions) {
  std::uint64_t outside = 0;
  for (const std::uint64_t position : positions) outside |= exceeds(position, rows - 1);
  if (declassify(outside != 0))
    throw ArgumentError(message("a row that is asked for is not among the ", rows, " of the database"));
  ZeroisingVector<std::uint64_t> out(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint64_t count = 0;
    for (const std::uint64_t position : positions) {
      const std::uint64_t difference = position ^ row;
      count += ((difference | (0 - difference)) >> 63) ^ 1;
    }
    out[row] = count * lattice.scale();
  }
  return out;
}

/// values times scale: integers below q. Every value takes the same steps.
ZeroisingVector<std::uint64_t> scaled(const Lattice& lattice, std::span<const std::int64_t> values,
                                      std::uint64_t scale) {
  if (scale == 0 || scale > lattice.modulus() / 2) {
    throw ArgumentError(message("values times ", scale, "; from 1 to half of the modulus"));
  }
  const std::uint64_t most = lattice.modulus() / 2 / scale;
  std::uint64_t outside = 0;
  ZeroisingVector<std::uint64_t> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t value = static_cast<std::uint64_t>(values[i]), negative = 0 - (value >> 63);
    const std::uint64_t magnitude = (value ^ negative) - negative;
    outside |= exceeds(magnitude, most);
    const std::uint64_t product = magnitude * scale;
    out[i] = ((product ^ negative) - negative) + (lattice.modulus() & negative);
  }
  if (declassify(outside != 0)) {
    throw RangeError(
        message("a value that times ", scale, " is more than half of the modulus; ", most, " is the most"));
  }
  return out;
}

}  // namespace

RequestKey::RequestKey(LatticePtr lattice, Seed&& master, const Digest& version)
    : lattice_(std::move(lattice)),
      master_(std::move(master)),
      version_(version),
      secret_(lattice_->make(1, 1, Domain::coefficient, true)) {
  const Seed seed = derived(master_, Purpose::secret, version_);
  lattice_->engine()->sample(secret_.view(), Law::ternary, seed, Stream::secret);
  secret_.to_transform();
}

/// masks s + error, as coefficients. masks: transforms.
PolyArray RequestKey::noisy(const PolyArray& masks, Stream stream, const Seed& seed) const {
  Engine& engine = *lattice_->engine();
  PolyArray error = lattice_->make(masks.batch(), masks.parts(), Domain::coefficient, true);
  engine.sample(error.view(), Law::error, seed, stream);
  PolyArray out = lattice_->make(masks.batch(), masks.parts(), Domain::transform, true);
  engine.multiply(out.view(), masks.view(), secret_.view());
  out.to_coefficient();
  engine.add(out.view(), out.view(), error.view());
  return out;
}

PolyArray RequestKey::packing_keys(ConstView masks, std::uint64_t element, std::uint32_t item) const {
  Engine& engine = *lattice_->engine();
  const Seed seed = derived(master_, Purpose::key_error, version_);
  PolyArray error = lattice_->make(1, gadget_digits, Domain::coefficient, true);
  engine.sample(error.view(), Law::error, seed, Stream::switching_key_error, item);
  PolyArray out = lattice_->make(1, gadget_digits, Domain::transform, true);
  PolyArray turned = lattice_->make(1, 1, Domain::transform, true),
            scaled = lattice_->make(1, 1, Domain::transform, true);
  engine.multiply(out.view(), masks, secret_.view());
  engine.automorphism(turned.view(), secret_.view(), element);
  for (std::size_t k = 0; k < gadget_digits; ++k) {
    engine.multiply_scalars(scaled.view(), turned.view(), lattice_->factors(std::uint64_t{1} << (gadget_bits * k)));
    engine.add(out.view().part(k), out.view().part(k), scaled.view());
  }
  out.to_coefficient();
  engine.add(out.view(), out.view(), error.view());
  return out;
}

Request RequestKey::encrypt(const Masks& masks, std::span<const std::uint64_t> positions) {
  return encrypted(masks, weights(*lattice_, masks.rows(), positions));
}

Request RequestKey::encrypt_values(const Masks& masks, std::span<const std::int64_t> values, std::uint64_t scale) {
  if (values.size() != masks.rows()) throw ArgumentError(message(values.size(), " values for ", masks.rows(), " rows"));
  return encrypted(masks, scaled(*lattice_, values, scale));
}

Request RequestKey::encrypted(const Masks& masks, std::span<const std::uint64_t> messages) {
  if (used_) {
    throw ArgumentError(
        "this secret has encrypted a request; a second one under it would give both away: make a new one");
  }
  used_ = true;
  Engine& engine = *lattice_->engine();
  const std::size_t blocks = masks.rows() / degree;
  PolyArray row_masks = lattice_->make(blocks, 1, Domain::transform);
  engine.copy(row_masks.view(), masks.row_masks());
  PolyArray rows = noisy(row_masks, Stream::symmetric_error, derived(master_, Purpose::request_error, version_));
  const PolyArray message_polynomials = lattice_->polynomials(messages, blocks, 1);
  engine.add(rows.view(), rows.view(), message_polynomials.view());
  return {lattice_->integers(rows), lattice_->integers(packing_keys(masks.turn_masks(), turn_element, 0)),
          lattice_->integers(packing_keys(masks.flip_masks(), flip_element(lattice_->ring()->galois()), 1))};
}

namespace {

void require_output(const Lattice& lattice, std::span<const std::uint64_t> values, const char* what) {
  if (values.size() != degree) throw ArgumentError(message(what, " of ", values.size(), " integers; it has ", degree));
  for (const std::uint64_t value : values) {
    if (value >= lattice.modulus()) throw RangeError(message(what, " with an integer that is not below the modulus"));
  }
}

/// answer - mask s modulo q, in secret memory.
ZeroisingVector<std::uint64_t> phase_of(const Lattice& lattice, const PolyArray& secret,
                                        std::span<const std::uint64_t> mask, std::span<const std::uint64_t> answer) {
  require_output(lattice, mask, "an output's mask");
  require_output(lattice, answer, "an output's answer");
  Engine& engine = *lattice.engine();
  PolyArray product = lattice.polynomials(mask, 1, 1);
  product.to_transform();
  engine.multiply(product.view(), product.view(), secret.view());
  product.to_coefficient();
  const PolyArray body = lattice.polynomials(answer, 1, 1);
  engine.subtract(product.view(), body.view(), product.view());
  ZeroisingVector<std::uint64_t> phase(degree);
  lattice.integers(phase, product);
  return phase;
}

}  // namespace

Residues RequestKey::phase(std::span<const std::uint64_t> mask, std::span<const std::uint64_t> answer) const {
  const ZeroisingVector<std::uint64_t> values = phase_of(*lattice_, secret_, mask, answer);
  return {values.begin(), values.end()};
}

std::vector<std::uint16_t> RequestKey::decrypt(std::span<const std::uint64_t> mask,
                                               std::span<const std::uint64_t> answer) const {
  const ZeroisingVector<std::uint64_t> values = phase_of(*lattice_, secret_, mask, answer);
  std::vector<std::uint16_t> words(degree);
  // round(2^16 v / q): by the reciprocal, since a division's time may depend on what it divides.
  const auto reciprocal = static_cast<std::uint64_t>((static_cast<u128>(1) << 116) / lattice_->modulus());  // 2^116 / q
  for (std::size_t i = 0; i < degree; ++i) {
    const std::uint64_t doubled = 2 * values[i] + lattice_->scale();  // v + q / 2^17, twice
    words[i] = static_cast<std::uint16_t>((static_cast<u128>(doubled) * reciprocal) >> 101);
  }
  return words;
}

std::vector<std::int64_t> RequestKey::decrypt_values(std::span<const std::uint64_t> mask,
                                                     std::span<const std::uint64_t> answer, std::uint64_t scale) const {
  if (scale == 0 || scale > lattice_->modulus() / 2) {
    throw ArgumentError(message("values times ", scale, "; from 1 to half of the modulus"));
  }
  const ZeroisingVector<std::uint64_t> values = phase_of(*lattice_, secret_, mask, answer);
  // Phases around zero are moved to be positive by `moved` scales. The quotient by the reciprocal, rounded up: with
  // 2^shift above every dividend times the scale it is exact (Granlund and Montgomery, 1994, theorem 4.2).
  const std::uint64_t q = lattice_->modulus(), moved = q / 2 / scale + 2;
  const auto shift = static_cast<unsigned>(modulus_bits + 2 + std::bit_width(scale));
  const auto reciprocal = static_cast<std::uint64_t>((static_cast<u128>(1) << shift) / scale + 1);
  std::vector<std::int64_t> out(degree);
  for (std::size_t i = 0; i < degree; ++i) {
    const std::uint64_t upper = 0 - exceeds(values[i], q / 2);
    const std::uint64_t dividend = values[i] - (q & upper) + moved * scale + scale / 2;
    out[i] = static_cast<std::int64_t>((static_cast<u128>(dividend) * reciprocal) >> shift) -
             static_cast<std::int64_t>(moved);
  }
  return out;
}

namespace {

/// Numbers of so many bits, one for each value.
Residues dither(const Lattice& lattice, const PublicSeed& seed, std::size_t count, unsigned bits) {
  if (bits == 0) return Residues(count);
  const std::size_t polynomials = (count + degree - 1) / degree;
  const RingPtr ring = Ring::create(lattice.ring()->shape(), Basis(Word::u64, {std::uint64_t{1} << bits}));
  PolyArray out(lattice.engine(), ring, polynomials, 1);
  lattice.engine()->sample(out.view(), Law::uniform, seed.to_draw_with(), Stream::symmetric_uniform);
  Residues numbers = out.to_host();
  numbers.resize(count);
  return numbers;
}

void require_kept(unsigned kept) {
  if (kept == 0 || kept > modulus_bits) {
    throw ArgumentError(message(kept, " bits of a request's integers are kept; there are 1 to ", modulus_bits));
  }
}

}  // namespace

Residues dithered(const Lattice& lattice, std::span<const std::uint64_t> values, const PublicSeed& seed,
                  unsigned kept) {
  require_kept(kept);
  Residues out = dither(lattice, seed, values.size(), modulus_bits - kept);
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = (values[i] + out[i]) >> (modulus_bits - kept);
  return out;
}

Residues undithered(const Lattice& lattice, std::span<const std::uint64_t> kept_values, const PublicSeed& seed,
                    unsigned kept) {
  require_kept(kept);
  const unsigned dropped = modulus_bits - kept;
  const std::uint64_t half = dropped == 0 ? 0 : std::uint64_t{1} << (dropped - 1);
  Residues out = dither(lattice, seed, kept_values.size(), dropped);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t value = (kept_values[i] << dropped) + half - out[i];  // may be a little below 0 or above q
    out[i] = lattice.reduction().reduce_signed(static_cast<std::int64_t>(value));
  }
  return out;
}

std::vector<std::uint8_t> packed_bits(std::span<const std::uint64_t> values, unsigned bits) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve((values.size() * bits + 7) / 8);
  u128 pending = 0;
  unsigned held = 0;
  for (const std::uint64_t value : values) {
    pending |= static_cast<u128>(value) << held;
    for (held += bits; held >= 8; held -= 8, pending >>= 8) bytes.push_back(static_cast<std::uint8_t>(pending));
  }
  if (held != 0) bytes.push_back(static_cast<std::uint8_t>(pending));
  return bytes;
}

Residues unpacked_bits(std::span<const std::uint8_t> bytes, unsigned bits, std::size_t count) {
  if (bits == 0 || bits > 64) throw ArgumentError(message("integers of ", bits, " bits; they have 1 to 64"));
  if (count > bytes.size() * 8 / bits || bytes.size() != (count * bits + 7) / 8) {
    throw FormatError(message(bytes.size(), " bytes for ", count, " integers of ", bits, " bits"));
  }
  Residues values(count);
  u128 pending = 0;
  unsigned held = 0;
  std::size_t at = 0;
  for (std::uint64_t& value : values) {
    for (; held < bits; held += 8) pending |= static_cast<u128>(bytes[at++]) << held;
    value = static_cast<std::uint64_t>(pending & ((static_cast<u128>(1) << bits) - 1));
    pending >>= bits;
    held -= bits;
  }
  if (pending != 0) throw FormatError("bits that belong to no integer are not zero");
  return values;
}

}  // namespace cyclotome::retrieval
