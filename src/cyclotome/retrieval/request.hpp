// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cyclotome/retrieval/lattice.hpp"

namespace cyclotome::retrieval {

/// What a client sends: encryptions of rows' weights, an integer below q for each row; keys for x -> x^5 and x -> x^-1,
/// 3 x 2048 integers below q each.
struct Request {
  Residues rows, turn, flip;
};

/// A client's secret for one request: masks are everybody's, so two encryptions under one secret would give away the
/// difference of their messages. It encrypts once; a second time throws ArgumentError.
class RequestKey {
 public:
  /// version: of the database, which the request's seeds are derived for.
  RequestKey(LatticePtr lattice, Seed&& master, const Digest& version);

  /// Of ones at `positions` and zeros elsewhere; a position that stands there twice counts twice. No branch and no
  /// address depends on a position. Throws ArgumentError for one that is no row.
  Request encrypt(const Masks& masks, std::span<const std::uint64_t> positions);

  /// Of any values, one for each row, times `scale`. Nothing but their number decides a branch or an address. Throws
  /// ArgumentError for another number of values, RangeError where a value times scale is not within -q/2 ... q/2.
  Request encrypt_values(const Masks& masks, std::span<const std::int64_t> values, std::uint64_t scale);

  /// The words that an output's answer decrypts to, 2048 of 16 bits: the sum of chosen rows' words, each less 2^15,
  /// modulo 2^16. mask: the output's; answer: 2048 integers below q.
  std::vector<std::uint16_t> decrypt(std::span<const std::uint64_t> mask, std::span<const std::uint64_t> answer) const;
  /// What an answer to encrypt_values decrypts to: the sums of rows' words less 2^15 times their values, as numbers
  /// around zero. scale: of the request, 1 ... 2^52.
  std::vector<std::int64_t> decrypt_values(std::span<const std::uint64_t> mask, std::span<const std::uint64_t> answer,
                                           std::uint64_t scale) const;
  /// The same before rounding, modulo q: for tests, which look at the noise.
  Residues phase(std::span<const std::uint64_t> mask, std::span<const std::uint64_t> answer) const;

 private:
  Request encrypted(const Masks& masks, std::span<const std::uint64_t> messages);
  PolyArray noisy(const PolyArray& masks, Stream stream, const Seed& seed) const;
  PolyArray packing_keys(ConstView masks, std::uint64_t element, std::uint32_t item) const;

  LatticePtr lattice_;
  Seed master_;
  Digest version_;
  PolyArray secret_;  // transform
  bool used_ = false;
};

/// value in [0, q) -> its `kept` highest of 53 bits after adding a number of 53 - kept bits drawn from `seed`: so the
/// error of what `undithered` gives back is uniform, whatever the value. kept: 1 ... 53.
Residues dithered(const Lattice& lattice, std::span<const std::uint64_t> values, const PublicSeed& seed, unsigned kept);
/// The way back, up to that error: of 2^(53 - kept) equally probable ones from -(2^(52 - kept) - 1) to 2^(52 - kept).
Residues undithered(const Lattice& lattice, std::span<const std::uint64_t> kept_values, const PublicSeed& seed,
                    unsigned kept);

/// Integers below 2^bits one after another, least significant bit first. bits: 1 ... 64.
std::vector<std::uint8_t> packed_bits(std::span<const std::uint64_t> values, unsigned bits);
/// Throws FormatError for another number of bytes than `count` values take, and for bits beside them.
Residues unpacked_bits(std::span<const std::uint8_t> bytes, unsigned bits, std::size_t count);

}  // namespace cyclotome::retrieval
