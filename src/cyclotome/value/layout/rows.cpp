// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/layout/rows.hpp"

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
    : Rows(w.size() == 1 ? repeated(layout, w)
           : layout.slots() && layout.full() && w.length() == 1
               ? constants(layout, w)
               : Rows(w,
                      !layout.packed()        ? broadcast_indices(w.shape(), layout.shape())
                      : single_row(layout, w) ? Indices{0}
                                              : row_starts(w, layout.outer()),
                      layout.chunks(), layout.width(), layout.length(), encoding_of(layout))) {}

Rows Rows::repeated(const Layout& layout, const Integers& w) {
  if (!layout.packed() || (layout.slots() && layout.full())) return constants(layout, w);
  const std::size_t chunks = layout.chunks(), width = layout.width(), rest = layout.length() - (chunks - 1) * width;
  if (chunks == 1 || rest == width) return {w, {0}, 1, width, rest, encoding_of(layout)};
  Rows two(w, {0}, 2, width, width + rest, encoding_of(layout));
  two.period_ = chunks;
  return two;
}

Rows Rows::constants(const Layout& layout, const Integers& w) {
  if (w.size() == 1) return {w, Indices{0}, 1, 1, 1, Encoding::Kind::constants};  // for all rows
  const Indices starts = row_starts(w, layout.outer());
  Indices repeated;
  for (const std::size_t start : starts) repeated.insert(repeated.end(), layout.chunks(), start);
  return {w, std::move(repeated), 1, 1, 1, Encoding::Kind::constants};
}

Indices Rows::numbers(const Piece& piece) const {
  Indices met;
  for (std::size_t i = piece.start; period_ != 0 && i < piece.stop; ++i) met.push_back((i + 1) % period_ == 0 ? 1 : 0);
  return met;
}

std::optional<std::span<const std::int64_t>> Rows::neighbours(const Piece& piece) const {
  if (step_ == 0 || period_ != 0 || piece.start == piece.stop) return std::nullopt;
  const auto first = [&](std::size_t row) { return starts_[row / chunks_] + row % chunks_ * width_; };
  const auto count = [&](std::size_t row) { return std::min(width_, length_ - row % chunks_ * width_); };
  for (std::size_t row = piece.start; row + 1 < piece.stop; ++row) {
    if (count(row) != width_ || first(row + 1) != first(row) + width_) return std::nullopt;
  }
  const std::size_t last = piece.stop - 1, from = first(piece.start);
  return std::span(reinterpret_cast<const std::int64_t*>(w_->data().data()), w_->size())
      .subspan(from, first(last) + count(last) - from);
}

rlwe::Plaintext Rows::encoded(const rlwe::ContextPtr& context, std::size_t channel, const Piece& piece) const {
  const Modulus<std::uint64_t> t(context->parameters().plain_modulus(rlwe::PlainIndex(channel)).value);
  const bool elements = context->parameters().field_slots() != nullptr, word = w_->words() == 1;
  const std::size_t items = piece.stop - piece.start;
  const auto encoded = [&](std::span<const std::int64_t> values) {
    // Words are taken modulo t on their way.
    return encode_residues(context, rlwe::PlainIndex(channel), kind_, values, items, width_, word && !elements);
  };
  if (const auto whole = word ? neighbours(piece) : std::nullopt) return encoded(*whole);
  Residues residues(items * width_, 0);
  for (std::size_t row = piece.start; row < piece.stop; ++row) {
    const std::size_t first = row % chunks_ * width_, start = starts_[row / chunks_];
    const auto out = std::span(residues).subspan((row - piece.start) * width_, std::min(width_, length_ - first));
    const auto fill = [&](const auto& residue_of) {
      if (step_ == 0) {
        std::ranges::fill(out, residue_of(start));
        return;
      }
      for (std::size_t j = 0; j < out.size(); ++j) out[j] = residue_of(start + first + j);
    };
    if (elements) {
      fill([&](std::size_t i) { return static_cast<std::int64_t>(w_->value_words(i)[0]); });
    } else if (word) {
      fill([&](std::size_t i) { return w_->word(i); });
    } else {
      fill([&](std::size_t i) { return centred_residue(*w_, i, t); });
    }
  }
  return encoded(residues);
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
  const bool one = rows.count() == 1 && x.layout.batch() == 1;  // both: what comes out is repeated here
  const Channels channels = one ? take(x.channels, Indices(layout.batch(), 0)) : broadcast(x, layout);
  const rlwe::ContextPtr& context = x.context();
  const bool repeat = rows.count() == 1 || !rows.numbers({0, 1}).empty();
  std::vector<rlwe::Plaintext> few;  // by channel
  for (std::size_t i = 0; repeat && i < channels.size(); ++i) {
    few.push_back(rows.encoded(context, i, {0, rows.count()}));
  }
  const auto operand = [&](std::size_t channel, const Piece& piece) {
    if (!repeat) return rows.encoded(context, channel, piece);
    return rows.count() == 1 ? few[channel] : few[channel].taken(rows.numbers(piece));
  };
  const auto combined = [&](std::size_t channel, const Piece& piece) {
    return operation(part(channels[channel], piece), operand(channel, piece));
  };
  return {in_pieces(what, context, layout.batch(), combined, options), layout};
}

}  // namespace cyclotome::value
