// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/plain_array.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/plain_sums.hpp"
#include "cyclotome/value/elementwise/elementwise.hpp"
#include "cyclotome/value/elementwise/reductions.hpp"
#include "cyclotome/value/layout/alignment.hpp"
#include "cyclotome/value/layout/rows.hpp"
#include "cyclotome/value/renewal/room.hpp"

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
  if (rows_.empty() || x.layout().placement() == Placement::coefficients) return false;
  // A column becomes constants, which stand in every slot: times and plus a row of slots they are what they should be.
  return x.layout().last() == 1 || (x.layout().slots() && x.layout().last() == values_.length());
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

/// The products' sums over axes that number ciphertexts, without the products.
Placed PlainArray::summed(const EncryptedArray& x, const std::vector<std::size_t>& axes, const Options& options) const {
  const Expanded e = expanded("multiplying", x.placed(), x.keys(), values_.shape(), options);
  const Layout layout = e.layout.with_clean(true), own = layout_of(*this, *context_);
  const Shape numbered = layout.ciphertext_axes();
  std::vector<std::size_t> order;  // summed axes innermost
  std::size_t group = 1;
  for (std::size_t i = 0; i < numbered.size(); ++i) {
    if (std::ranges::find(axes, i) == axes.end()) order.push_back(i);
  }
  for (const std::size_t axis : axes) order.push_back(axis), group *= numbered[axis];
  const auto in_order = [&](const Layout& from) {
    const Indices numbers = from.batch() == 1 ? Indices(layout.batch(), 0) : order_of(from, layout);
    Indices sorted;
    for (const std::size_t i : transposed_indices(numbered, order)) sorted.push_back(numbers[i]);
    return sorted;
  };
  const Indices ciphertexts = in_order(e.x.layout), rows = in_order(own);
  Task task(options, "multiplying", e.x.channels.size());
  Placed sums{{}, layout.with_shape(without(layout.shape(), axes))};
  for (std::size_t channel = 0; channel < e.x.channels.size(); ++channel) {
    sums.channels.push_back(rlwe::sum_plain_products(e.x.channels[channel], ciphertexts, rows_[channel], rows, group));
    task.advance();
  }
  return sums;
}

EncryptedArray sum_of_products(const EncryptedArray& x, const PlainArray& w, std::span<const std::int64_t> axes,
                               const Options& options) {
  if (options.refresh_operands) {
    return with_room("sum of products", x, options,
                     [&](const auto& a, const Options& how) { return sum_of_products(a, w, axes, how); });
  }
  // Of products that wait in three parts the sum waits as well.
  const bool waits = x.as_it_is().channels.front().parts() > 2;
  if (waits || !w.meets(x)) return sum(multiply(x, w, options), axes, false, options);
  constexpr auto operation = "sum of products";
  const Shape shape = broadcast_shape(operation, x.shape(), w.shape());
  const std::vector<std::size_t> chosen = axes_of(operation, axes, shape);
  const Bound bound = total_bound(bound_with("multiply", product_bound, x, w.values(), w.bound_), shape, chosen);
  require_within(operation, bound, x.parameters());
  const bool last = !chosen.empty() && chosen.back() + 1 == shape.size();
  const std::vector<std::size_t> outer(chosen.begin(), chosen.end() - (last ? 1 : 0));
  return finished(operation, sum_rest(w.summed(x, outer, options), x.keys(), last, options), bound, x.keys(), options);
}

EncryptedArray multiply(const EncryptedArray& x, const PlainArray& w, const Options& options) {
  if (options.refresh_operands) {
    return with_room("multiply", x, options, [&](const auto& a, const Options& how) { return multiply(a, w, how); });
  }
  if (!w.meets(x)) return multiply(x, w.values(), options);
  const Bound bound = bound_with("multiply", product_bound, x, w.values(), w.bound_);
  const Term term = term_of("multiply", x, w.values().shape());
  return finished("multiply", w.combined("multiplying", rlwe::multiply_plain, term.placed, x.keys(), true, options),
                  bound, x.keys(), options, term.levels);
}

EncryptedArray add(const EncryptedArray& x, const PlainArray& w, const Options& options) {
  if (options.refresh_operands) {
    return with_room("add", x, options, [&](const auto& a, const Options& how) { return add(a, w, how); });
  }
  if (!w.meets(x)) return add(x, w.values(), options);
  const Bound bound = bound_with("add", sum_bound, x, w.values(), w.bound_);
  const Term term = term_of("add", x, w.values().shape());
  return finished("add", w.combined("adding", scheme::add_plain, term.placed, x.keys(), false, options), bound,
                  x.keys(), options, term.levels);
}

EncryptedArray subtract(const EncryptedArray& x, const PlainArray& w, const Options& options) {
  if (options.refresh_operands) {
    return with_room("subtract", x, options, [&](const auto& a, const Options& how) { return subtract(a, w, how); });
  }
  if (!w.meets(x)) return subtract(x, w.values(), options);
  const Bound bound = bound_with("subtract", difference_bound, x, w.values(), w.bound_);
  const Term term = term_of("subtract", x, w.values().shape());
  return finished("subtract", w.combined("subtracting", scheme::subtract_plain, term.placed, x.keys(), false, options),
                  bound, x.keys(), options, term.levels);
}

}  // namespace cyclotome::value
