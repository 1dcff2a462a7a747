// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/rows.hpp"

#include <algorithm>
namespace cyclotome::value {

namespace {

/// For every index of `outer`, the number of the first value of its row in `w`, whose last axis is `last` long.
Indices row_starts(const Integers& w, const Shape& outer) {
  const Shape rows(w.shape().begin(), w.shape().end() - (w.ndim() == 0 ? 0 : 1));
  Indices starts = broadcast_indices(rows, outer);
  for (std::size_t& start : starts) start *= w.length();
  return starts;
}

bool single_row(const Layout& layout, const Integers& w) { return layout.chunks() == 1 && w.size() == w.length(); }

}  // namespace

Encoding::Kind encoding_of(const Layout& layout) {
  if (!layout.packed()) return Encoding::Kind::constants;
  return layout.slots() ? Encoding::Kind::slots : Encoding::Kind::coefficients;
}

Rows::Rows(const Integers& w, Indices starts, std::size_t chunks, std::size_t width, std::size_t length,
           Encoding::Kind kind)
    : w_(&w),
      starts_(std::move(starts)),
      chunks_(chunks),
      width_(std::min(width, length)),
      length_(length),
      step_(w.length() == 1 ? 0 : 1),
      count_(starts_.size() * chunks),
      kind_(kind) {}

Rows::Rows(const Layout& layout, const Integers& w)
    : Rows(w,
           !layout.packed()        ? broadcast_indices(w.shape(), layout.shape())
           : single_row(layout, w) ? Indices{0}
                                   : row_starts(w, layout.outer()),
           layout.chunks(), layout.width(), layout.length(), encoding_of(layout)) {}

Rows Rows::constants(const Layout& layout, const Integers& w) {
  if (w.size() == 1) return {w, Indices{0}, 1, 1, 1, Encoding::Kind::constants};  // for all rows
  const Indices starts = row_starts(w, layout.outer());
  Indices repeated;
  for (const std::size_t start : starts) repeated.insert(repeated.end(), layout.chunks(), start);
  return {w, std::move(repeated), 1, 1, 1, Encoding::Kind::constants};
}

rlwe::Plaintext Rows::encoded(const rlwe::ContextPtr& context, std::size_t channel, const Piece& piece) const {
  const Modulus<std::uint64_t> t(context->parameters().plain_modulus(rlwe::PlainIndex(channel)).value);
  const bool elements = context->parameters().field_slots() != nullptr, word = w_->words() == 1;
  Residues residues((piece.stop - piece.start) * width_, 0);
  for (std::size_t row = piece.start; row < piece.stop; ++row) {
    const std::size_t first = row % chunks_ * width_, start = starts_[row / chunks_] + first * step_;
    const std::size_t count = std::min(width_, length_ - first);
    const auto out = std::span(residues).subspan((row - piece.start) * width_, count);
    if (elements) {
      for (std::size_t j = 0; j < count; ++j) out[j] = static_cast<std::int64_t>(w_->value_words(start + j * step_)[0]);
    } else if (word) {
      for (std::size_t j = 0; j < count; ++j) out[j] = centred_residue(w_->word(start + j * step_), t);
    } else {
      for (std::size_t j = 0; j < count; ++j) out[j] = centred_residue(*w_, start + j * step_, t);
    }
  }
  return encode_residues(context, rlwe::PlainIndex(channel), kind_, residues, piece.stop - piece.start, width_);
}

Indices order_of(const Layout& x, const Layout& out) {
  Shape axes = x.ciphertext_axes();
  // A replicated array's last axis, of length 1 or missing, stands where the slots of a packed result are.
  if (out.packed() && !x.packed()) {
    axes.pop_back();
    if (!axes.empty()) axes.pop_back();
    axes.push_back(1);
  }
  return broadcast_indices(axes, out.ciphertext_axes());
}

Channels broadcast(const Placed& x, const Layout& out) {
  return x.layout.batch() == 1 ? x.channels : take(x.channels, order_of(x.layout, out));
}

Placed with_rows(const char* what, PlainOperation operation, const Placed& x, const Layout& layout, const Rows& rows,
                 const Options& options) {
  const Channels channels = broadcast(x, layout);
  const rlwe::ContextPtr& context = x.context();
  std::vector<rlwe::Plaintext> single;
  for (std::size_t i = 0; rows.count() == 1 && i < channels.size(); ++i) {
    single.push_back(rows.encoded(context, i, {0, 1}));
  }
  const auto combined = [&](std::size_t channel, const Piece& piece) {
    const Ciphertext ciphertexts = part(channels[channel], piece);
    return operation(ciphertexts, single.empty() ? rows.encoded(context, channel, piece) : single[channel]);
  };
  return {in_pieces(what, context, layout.batch(), combined, options), layout};
}

}  // namespace cyclotome::value
