// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/plain_array.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/elementwise/elementwise.hpp"
#include "cyclotome/value/layout/alignment.hpp"
#include "cyclotome/value/layout/rows.hpp"

namespace cyclotome::value {

namespace {

Layout layout_of(const PlainArray& w, const rlwe::Context& context) {
  return {w.shape(), Widths(context.parameters()), Placement::slots};
}

}  // namespace

bool takes_plain_arrays(const rlwe::Parameters& parameters) {
  return parameters.has_slots() && parameters.field_slots() == nullptr;
}

void require_plain(const char* operation, const rlwe::Parameters& parameters, const Integers& values) {
  if (values.size() == 0) throw ArgumentError(message(operation, ": there are no values"));
  if (takes_plain_arrays(parameters)) return;
  throw UnsupportedError(message(operation, ": ", parameters.summary(),
                                 " have no slots of integers; products by constants ",
                                 "and of polynomials take integers as they are"));
}

PlainArray::PlainArray(const rlwe::ContextPtr& context, Integers values, const Options& options)
    : context_(present(context)), values_(std::move(values)), bound_(Bound::wrapping()) {
  const rlwe::Parameters& parameters = context->parameters();
  require_plain("plain", parameters, values_);
  bound_ = bound_of(values_, values_.length());
  if (values_.length() == 1) return;  // constants, which need no encoding
  const Rows rows(layout_of(*this, *context), values_);
  Task task(options, "encoding", parameters.plain_moduli().size());
  for (std::size_t channel = 0; channel < parameters.plain_moduli().size(); ++channel) {
    rows_.push_back(rlwe::prepared(rows.encoded(context, channel, {0, rows.count()})));
    task.advance();
  }
}

std::size_t PlainArray::bytes() const {
  std::size_t sum = 0;
  for (const rlwe::Plaintext& row : rows_) sum += row.polynomials().bytes() + row.transforms()->bytes();
  return sum;
}

bool PlainArray::meets(const EncryptedArray& x) const {
  rlwe::require_same_context("plain", *x.context(), *context_);
  return !rows_.empty() && x.layout().slots() && x.layout().last() == values_.length();
}

Placed PlainArray::combined(const char* what, Operation operation, const Placed& x, const Keyring& keys, bool clean,
                            const Options& options) const {
  const Expanded e = expanded(what, x, keys, values_.shape(), options);
  const Layout layout = clean ? e.layout.with_clean(true) : e.layout;
  const bool repeats = operation == rlwe::multiply_plain && layout.batch() > e.x.layout.batch();
  const Channels channels = broadcast(repeats ? transformed(e.x) : e.x, layout);
  const Indices numbers = order_of(layout_of(*this, *context_), layout);
  const bool whole = rows_.front().batch() == 1 || numbers == iota(rows_.front().batch());
  const auto of_piece = [&](std::size_t channel, const Piece& piece) {
    const Indices of(numbers.begin() + static_cast<std::ptrdiff_t>(piece.start),
                     numbers.begin() + static_cast<std::ptrdiff_t>(piece.stop));
    return operation(part(channels[channel], piece), whole ? rows_[channel] : rows_[channel].taken(of));
  };
  const bool at_once = whole && rows_.front().batch() > 1;
  return {in_pieces(what, context_, layout.batch(), of_piece, options, at_once), layout};
}

EncryptedArray multiply(const EncryptedArray& x, const PlainArray& w, const Options& options) {
  if (!w.meets(x)) return multiply(x, w.values(), options);
  const Bound bound = bound_with("multiply", product_bound, x, w.values(), w.bound_);
  const Term term = term_of("multiply", x, w.values().shape());
  return finished("multiply", w.combined("multiplying", rlwe::multiply_plain, term.placed, x.keys(), true, options),
                  bound, x.keys(), options, term.levels);
}

EncryptedArray add(const EncryptedArray& x, const PlainArray& w, const Options& options) {
  if (!w.meets(x)) return add(x, w.values(), options);
  const Bound bound = bound_with("add", sum_bound, x, w.values(), w.bound_);
  const Term term = term_of("add", x, w.values().shape());
  return finished("add", w.combined("adding", scheme::add_plain, term.placed, x.keys(), false, options), bound,
                  x.keys(), options, term.levels);
}

EncryptedArray subtract(const EncryptedArray& x, const PlainArray& w, const Options& options) {
  if (!w.meets(x)) return subtract(x, w.values(), options);
  const Bound bound = bound_with("subtract", difference_bound, x, w.values(), w.bound_);
  const Term term = term_of("subtract", x, w.values().shape());
  return finished("subtract", w.combined("subtracting", scheme::subtract_plain, term.placed, x.keys(), false, options),
                  bound, x.keys(), options, term.levels);
}

}  // namespace cyclotome::value
