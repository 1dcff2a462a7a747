// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/reals/real_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

namespace {

using ckks::Approximate;

constexpr double largest_whole = 0x1p40;

std::shared_ptr<const ckks::Context> context_of(const RealArray& x) {
  return std::static_pointer_cast<const ckks::Context>(x.context());
}

/// x as it meets others in an array of this layout: its ciphertexts repeated, and packed where the layout is.
Approximate met(const char* operation, const RealArray& x, const Layout& layout) {
  const bool pack = layout.packed() && !x.layout().packed() && x.layout().last() > 1;
  const RealArray here = pack ? packed_reals(operation, x) : x;
  const Shape from = ciphertext_axes(here.layout()), to = ciphertext_axes(layout);
  if (count_of(from) == count_of(to)) return here.numbers();
  return ckks::take(here.numbers(), broadcast_indices(from, to));
}

/// Whether x, met so, has zeros beside the numbers of the layout.
bool is_clean_in(const RealArray& x, const Layout& layout) {
  return !has_padding(layout) || (x.layout().packed() ? x.layout().clean() : x.layout().last() > 1);
}

/// Replicated where an operand has its last axis so, and the other is not packed.
Layout joint_layout(const char* operation, const RealArray& x, const Shape& other, const Layout* of_other = nullptr) {
  const Shape shape = broadcast_shape(operation, x.shape(), other);
  const Layout usual = layout_of_reals(x.parameters(), shape);
  const bool packed = x.layout().packed() || (of_other != nullptr && of_other->packed());
  const auto spans = [&](const Layout& layout) { return usual.packed() && layout.last() == shape.back(); };
  const bool replicated = !packed && (spans(x.layout()) || (of_other != nullptr && spans(*of_other)));
  return replicated ? usual.placed(shape, Placement::replicated) : usual;
}

template <class Function>
RealArray together(const char* operation, const RealArray& x, const RealArray& y, const Function& function,
                   bool product) {
  rlwe::require_same_context(operation, *x.context(), *y.context());
  rlwe::require_same_key(operation, x.key(), y.key());
  const Layout layout = joint_layout(operation, x, y.shape(), &y.layout());
  const bool first = is_clean_in(x, layout), second = is_clean_in(y, layout);
  const Keyring keys = x.keys().joined(y.keys());
  const bool same = &x == &y;
  const Approximate a = met(operation, x, layout);
  const Approximate result = same ? function(a, a) : function(a, met(operation, y, layout));
  return finished_reals(operation, result, layout.with_clean(product ? first || second : first && second),
                        joined(x.field(), y.field()), keys);
}

/// Numbers as they meet an array of this layout, in plaintexts of a scale: one for all rows where they are one row.
rlwe::Plaintext encoded(const RealArray& x, const Reals& w, const Layout& layout, double scale) {
  const Shape one(1, layout.last());
  const bool row = layout.packed() && layout.chunks() == 1 && w.values.size() == w.last();
  const Layout target = row ? layout.with_shape(one) : layout;
  const Indices indices = broadcast_indices(row ? Shape(1, w.last()) : w.shape, target.shape());
  ckks::Numbers values;
  values.reserve(indices.size());
  for (const std::size_t index : indices) values.push_back(w.values[index]);
  return ckks::encode(context_of(x), spread({target.shape(), std::move(values), w.field}, target), scale);
}

bool is_whole(const std::complex<double>& value) {
  return value.imag() == 0 && std::abs(value.real()) <= largest_whole && value.real() == std::trunc(value.real());
}

}  // namespace

RealArray negate(const RealArray& x) { return {ckks::negate(x.numbers()), x.layout(), x.field(), x.keys()}; }

RealArray add(const RealArray& x, const RealArray& y) {
  return together("add", x, y, [](const auto& a, const auto& b) { return ckks::add(a, b); }, false);
}

RealArray subtract(const RealArray& x, const RealArray& y) {
  return together("subtract", x, y, [](const auto& a, const auto& b) { return ckks::subtract(a, b); }, false);
}

RealArray multiply(const RealArray& x, const RealArray& y) {
  const Keyring ring = x.keys().joined(y.keys());
  const rlwe::EvaluationKeys& keys = ring.require_evaluation("multiply");
  return together("multiply", x, y, [&](const auto& a, const auto& b) { return ckks::multiply(a, b, keys); }, true);
}

RealArray add(const RealArray& x, const Reals& w) {
  const Layout layout = joint_layout("add", x, w.shape);
  const Approximate a = met("add", x, layout);
  const rlwe::Plaintext plaintext = encoded(x, w, layout, a.scale());
  return finished_reals("add", ckks::add_plain(a, plaintext, ckks::largest(w.values)),
                        layout.with_clean(is_clean_in(x, layout)), joined(x.field(), w.field), x.keys());
}

RealArray subtract(const RealArray& x, const Reals& w) {
  ckks::Numbers negated(w.values.size());
  std::ranges::transform(w.values, negated.begin(), [](const std::complex<double>& value) { return -value; });
  return add(x, {w.shape, std::move(negated), w.field});
}

RealArray multiply(const RealArray& x, const Reals& w) {
  const Layout layout = joint_layout("multiply", x, w.shape);
  const Field field = joined(x.field(), w.field);
  if (w.values.size() == 1 && w.values[0].imag() == 0) {
    const double factor = w.values[0].real();
    const Approximate a = met("multiply", x, layout);
    const Approximate result = is_whole(w.values[0]) ? ckks::multiply_whole(a, static_cast<std::int64_t>(factor))
                                                     : ckks::multiply_constant(a, factor);
    return finished_reals("multiply", result, layout.with_clean(is_clean_in(x, layout)), field, x.keys());
  }
  const Approximate a = met("multiply", x, layout);
  if (a.level().primes < 2) static_cast<void>(ckks::multiply_constant(a, 0.5));  // refuses, in its words
  const rlwe::Plaintext plaintext = encoded(x, w, layout, a.context().factor_scale(a.level()));
  return finished_reals("multiply", ckks::multiply_plain(a, plaintext, ckks::largest(w.values)),
                        layout.with_clean(true), field, x.keys());
}

RealArray power(const RealArray& x, std::int64_t exponent) {
  if (exponent < 1) {
    throw ArgumentError(message("power: an exponent of ", exponent, "; exponents are whole numbers from 1 on"));
  }
  std::map<std::int64_t, RealArray> powers{{1, x}};
  const auto made = [&powers](const auto& self, std::int64_t k) -> const RealArray& {
    if (const auto found = powers.find(k); found != powers.end()) return found->second;
    const RealArray& high = self(self, k - k / 2);
    const RealArray& low = self(self, k / 2);
    return powers.emplace(k, multiply(high, low)).first->second;
  };
  return made(made, exponent);
}

RealArray conjugate(const RealArray& x) {
  if (x.field() == Field::real) return x;
  return {ckks::conjugate(x.numbers(), x.keys().require_evaluation("conjugate")), x.layout(), x.field(), x.keys()};
}

RealArray cleaned(const char* operation, const RealArray& x) {
  if (!has_padding(x.layout()) || x.layout().clean()) return x;
  static_cast<void>(operation);
  const ckks::Numbers ones(x.layout().last(), 1);
  return multiply(x, Reals({x.layout().last()}, ones, Field::real));
}

RealArray packed_reals(const char* operation, const RealArray& x) {
  const Layout layout = layout_of_reals(x.parameters(), x.shape());
  if (x.layout().packed() || !layout.packed()) return x;
  const std::size_t length = layout.last(), rows = count_of(layout.outer());
  if (layout.chunks() > 1) {
    throw ArgumentError(message(operation, ": ", length, " numbers that are computed one by one don't fit into the ",
                                layout.width(), " slots of a ciphertext; reshape, or take larger parameters"));
  }
  std::optional<RealArray> total;
  for (std::size_t i = 0; i < length; ++i) {
    Indices column(rows);
    for (std::size_t row = 0; row < rows; ++row) column[row] = row * length + i;
    Shape shape = layout.outer();
    shape.push_back(1);
    ckks::Numbers unit(length, 0);
    unit[i] = 1;
    const RealArray one(ckks::take(x.numbers(), column), layout_of_reals(x.parameters(), shape), x.field(), x.keys());
    const RealArray moved = multiply(one, Reals({length}, std::move(unit), Field::real));
    total = total ? add(*total, moved) : moved;
  }
  ckks::Approximate numbers = total->numbers();
  numbers.about.bound = x.bound();  // one of them in each slot
  return {std::move(numbers), layout, x.field(), x.keys()};
}

namespace {

/// The last axis of a packed array summed, in every slot; replicated, of the shape of its other axes.
RealArray row_sums(const RealArray& given) {
  const RealArray x = cleaned("sum", given);
  const rlwe::EvaluationKeys& keys = x.keys().require_evaluation("sum");
  Approximate total = x.numbers();
  if (x.layout().chunks() > 1) total = ckks::sum_groups(total, x.layout().chunks());
  for (std::size_t step = 1; step < period(x.layout()); step *= 2) {
    total = ckks::add(total, ckks::rotate(total, static_cast<std::int64_t>(step), keys));
  }
  // So many numbers, and zeros beside them.
  total.about.bound = std::min(total.about.bound, x.bound() * static_cast<double>(x.layout().length()));
  return {std::move(total), x.layout().placed(x.layout().outer(), Placement::replicated), x.field(), x.keys()};
}

/// Axes that number ciphertexts, summed; shape: of the result.
RealArray outer_sums(const RealArray& x, std::span<const std::size_t> axes, const Shape& shape) {
  const Shape all = ciphertext_axes(x.layout());
  std::vector<std::size_t> order;
  std::size_t group = 1;
  for (std::size_t axis = 0; axis < all.size(); ++axis) {
    if (std::ranges::find(axes, axis) == axes.end()) order.push_back(axis);
  }
  for (const std::size_t axis : axes) {
    order.push_back(axis);
    group *= all[axis];
  }
  const Approximate turned = ckks::take(x.numbers(), transposed_indices(all, order));
  return {ckks::sum_groups(turned, group), x.layout().with_shape(shape), x.field(), x.keys()};
}

}  // namespace

RealArray sum(const RealArray& x, std::span<const std::int64_t> axes, bool keepdims) {
  std::vector<std::size_t> wanted = axes_of("sum", axes, x.shape());
  const Shape shape = x.shape();
  Shape kept = shape;
  for (const std::size_t axis : wanted) kept[axis] = 1;
  RealArray result = x;
  const bool last = x.layout().packed() && !wanted.empty() && wanted.back() + 1 == shape.size();
  if (last) {
    result = row_sums(result);
    wanted.pop_back();
  }
  if (!wanted.empty()) result = outer_sums(result, wanted, without(result.shape(), wanted));
  const Shape final_shape = keepdims ? kept : without(shape, axes_of("sum", axes, shape));
  if (result.shape() == final_shape) return result;
  return {result.numbers(), result.layout().with_shape(final_shape), result.field(), result.keys()};
}

RealArray select(const RealArray& x, const Indices& numbers, const Shape& outer) {
  const std::size_t chunks = x.layout().chunks();
  Indices ciphertexts;
  for (const std::size_t number : numbers) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) ciphertexts.push_back(number * chunks + chunk);
  }
  Shape shape = outer;
  if (x.layout().packed()) shape.push_back(x.layout().length());
  return {ckks::take(x.numbers(), ciphertexts), x.layout().with_shape(shape), x.field(), x.keys()};
}

}  // namespace cyclotome::value
