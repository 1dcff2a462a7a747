// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/value/channels.hpp"
#include "cyclotome/value/residues.hpp"

// Plaintext integers as polynomials beside ciphertexts: what is encrypted, and public operands.
namespace cyclotome::value {

/// How a layout's values stand in plaintexts.
Encoding::Kind encoding_of(const Layout& layout);

/// Public or secret integers as rows to encode, one for each ciphertext of a layout or one for all. They are encoded a
/// piece at a time, so that padding never takes more memory than a piece.
class Rows {
 public:
  /// `w`, which must outlive the rows, broadcast to the layout's shape; values stand where the layout's do.
  Rows(const Layout& layout, const Integers& w);
  /// One constant polynomial for each row of a packed layout, or one for all: w has a last axis of 1, or none.
  static Rows constants(const Layout& layout, const Integers& w);

  std::size_t count() const noexcept { return count_; }
  /// Rows start to stop modulo plaintext modulus number `channel`.
  rlwe::Plaintext encoded(const rlwe::ContextPtr& context, std::size_t channel, const Piece& piece) const;

 private:
  Rows(const Integers& w, Indices starts, std::size_t chunks, std::size_t width, std::size_t length,
       Encoding::Kind kind);

  const Integers* w_;
  Indices starts_;      // number of the first value of w, by row of the layout; each row has chunks
  std::size_t chunks_;  // ciphertexts for each row
  std::size_t width_;   // values that a ciphertext takes at most
  std::size_t length_;  // values in a row
  std::size_t step_;    // from one value of w to the next: 0 for one that repeats
  std::size_t count_;
  Encoding::Kind kind_;
};

/// Number of the ciphertext of `x` behind every ciphertext of `out`, to whose shape x broadcasts.
Indices order_of(const Layout& x, const Layout& out);
/// The ciphertexts of x in the order of a result; a single one stays single, which operations broadcast.
Channels broadcast(const Placed& x, const Layout& out);

using PlainOperation = Ciphertext (*)(const Ciphertext&, const rlwe::Plaintext&);
/// `operation` of every ciphertext of x, in the order of `layout`, and its row.
Placed with_rows(const char* what, PlainOperation operation, const Placed& x, const Layout& layout, const Rows& rows,
                 const Options& options);

}  // namespace cyclotome::value
