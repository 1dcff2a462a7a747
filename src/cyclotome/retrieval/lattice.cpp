// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/retrieval/lattice.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/hmac.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/ring/randomness/sampling.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/rlwe/parameters/security.hpp"

namespace cyclotome::retrieval {

namespace {

constexpr unsigned first_bits = 26, second_bits = 27, matrix_bits = 30, security = 128;

std::uint32_t largest_prime(const RingShapePtr& shape, unsigned bits) {
  return static_cast<std::uint32_t>(primes_congruent_to_one(bits, shape->transform_step(), 1).front());
}

}  // namespace

Lattice::Lattice(EnginePtr engine) : engine_(std::move(engine)) {
  const RingShapePtr shape = RingShape::negacyclic(degree);
  first_ = Modulus<std::uint32_t>(largest_prime(shape, first_bits));
  second_ = Modulus<std::uint32_t>(largest_prime(shape, second_bits));
  modulus_ = std::uint64_t{first_.value()} * second_.value();
  reduction_ = Modulus<std::uint64_t>(modulus_);
  if (rlwe::security_reached(degree, bit_length(modulus_), rlwe::default_security_table) < security) {
    throw SecurityError(message("a modulus of ", bit_length(modulus_), " bits at degree ", degree, " is below ",
                                rlwe::level_text(security, rlwe::default_security_table)));
  }
  ring_ = Ring::create(shape, Basis(Word::u32, {first_.value(), second_.value()}));
  matrix_ring_ = Ring::create(shape, Basis(Word::u32, {largest_prime(shape, matrix_bits)}));
  inverse_ = static_cast<std::uint32_t>(inverse_or_zero(first_.value() % second_.value(), second_.value()));
}

PolyArray Lattice::polynomials(std::span<const std::uint64_t> integers, std::size_t batch, std::size_t parts) const {
  PolyArray out = make(batch, parts, Domain::coefficient, true);
  ZeroisingVector<std::uint32_t> residues(2 * integers.size());
  for (std::size_t i = 0; i < integers.size(); i += degree) {
    for (std::size_t c = 0; c < degree; ++c) {
      residues[2 * i + c] = first_.reduce_wide(integers[i + c]);
      residues[2 * i + degree + c] = second_.reduce_wide(integers[i + c]);
    }
  }
  out.upload(residues.data());
  return out;
}

void Lattice::integers(std::span<std::uint64_t> out, const PolyArray& coefficients) const {
  ZeroisingVector<std::uint32_t> residues(coefficients.size());
  coefficients.download(residues.data());
  for (std::size_t i = 0; i < out.size(); i += degree) {
    for (std::size_t c = 0; c < degree; ++c) {
      const std::uint32_t low = residues[2 * i + c], high = residues[2 * i + degree + c];
      const std::uint32_t digit = second_.multiply(second_.subtract(high, second_.reduce(low)), inverse_);
      out[i + c] = low + std::uint64_t{digit} * first_.value();
    }
  }
}

Residues Lattice::integers(const PolyArray& coefficients) const {
  Residues out(coefficients.batch() * coefficients.parts() * degree);
  integers(out, coefficients);
  return out;
}

std::vector<std::uint64_t> Lattice::factors(std::uint64_t value) const {
  return {first_.reduce_wide(value), second_.reduce_wide(value)};
}

Seed derived(const Seed& master, Purpose purpose, const Digest& version) {
  constexpr std::string_view name = "cyclotome retrieval";
  std::array<std::uint8_t, name.size() + 4 + 32> label{};
  std::copy(name.begin(), name.end(), label.begin());
  for (std::size_t i = 0; i < 4; ++i) {
    label[name.size() + i] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(purpose) >> (8 * i));
  }
  std::copy(version.begin(), version.end(), label.begin() + name.size() + 4);
  Digest digest = hmac_sha256(master.bytes(), label);
  Seed seed(digest);
  secure_zero(digest.data(), digest.size());
  return seed;
}

namespace {

PolyArray uniform(const Lattice& lattice, const Seed& seed, Stream stream, std::uint32_t item, std::size_t batch,
                  std::size_t parts) {
  PolyArray out = lattice.make(batch, parts, Domain::transform);
  lattice.engine()->sample(out.view(), Law::uniform, seed, stream, item);
  return out;
}

}  // namespace

Masks::Masks(LatticePtr lattice, const PublicSeed& seed, std::size_t rows) : lattice_(std::move(lattice)) {
  if (rows == 0 || rows % degree != 0) {
    throw ArgumentError(message(rows, " rows of a database; they are a multiple of ", degree));
  }
  const Seed drawing = seed.to_draw_with();
  rows_ = uniform(*lattice_, drawing, Stream::symmetric_uniform, 0, rows / degree, 1);
  turn_ = uniform(*lattice_, drawing, Stream::switching_key_uniform, 0, 1, gadget_digits);
  flip_ = uniform(*lattice_, drawing, Stream::switching_key_uniform, 1, 1, gadget_digits);
}

}  // namespace cyclotome::retrieval
