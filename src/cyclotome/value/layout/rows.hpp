// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/value/arrays/channels.hpp"
#include "cyclotome/value/layout/residues.hpp"

// Plaintext integers as polynomials beside ciphertexts: what is encrypted, and public operands.
namespace cyclotome::value {

/// How a layout's values stand in plaintexts.
Encoding::Kind encoding_of(const Layout& layout);

/// Public or secret integers as rows to encode, one for each ciphertext of a layout or a few for all. They are encoded
/// a piece at a time, so that padding never takes more memory than a piece. What is encoded is decided by shapes alone.
class Rows {
 public:
  /// `w`, which must outlive the rows, broadcast to the layout's shape; values stand where the layout's do. One value
  /// for all is one row for all, or two where the last chunk has room left; one that fills slots is a constant
  /// polynomial, which is the same and takes no transform.
  Rows(const Layout& layout, const Integers& w);
  /// One constant polynomial for each row of a packed layout, or one for all: w has a last axis of 1, or none.
  static Rows constants(const Layout& layout, const Integers& w);

  std::size_t count() const noexcept { return count_; }
  /// Which rows the ciphertexts of a piece meet, where these are not the rows with their own numbers; else none.
  Indices numbers(const Piece& piece) const;
  /// Rows start to stop modulo plaintext modulus number `channel`.
  rlwe::Plaintext encoded(const rlwe::ContextPtr& context, std::size_t channel, const Piece& piece) const;

 private:
  Rows(const Integers& w, Indices starts, std::size_t chunks, std::size_t width, std::size_t length,
       Encoding::Kind kind);
  /// The piece's values, where its rows lie one after another in w, all whole but perhaps the last.
  std::optional<std::span<const std::int64_t>> neighbours(const Piece& piece) const;
  /// Of w's only value.
  static Rows repeated(const Layout& layout, const Integers& w);

  const Integers* w_;
  Indices starts_;      // number of the first value of w, by row of the layout; each row has chunks
  std::size_t chunks_;  // ciphertexts for each row
  std::size_t width_;   // values that a ciphertext takes at most
  std::size_t length_;  // values in a row
  std::size_t step_;    // from one value of w to the next: 0 for one that repeats
  std::size_t count_;
  Encoding::Kind kind_;
  std::size_t period_ = 0;  // every so many ciphertexts the last row is met, by others the first; 0: each meets its own
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
