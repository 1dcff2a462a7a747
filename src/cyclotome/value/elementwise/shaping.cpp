// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/elementwise/shaping.hpp"

#include <algorithm>
#include <map>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

namespace {

constexpr const char* in_ciphertexts =
    "the last axis lies within ciphertexts, out of which `rearranged` takes values, by rotations; select along the "
    "other "
    "axes, multiply by a 0/1 mask, or decrypt";

/// How many whole rows of `old_last` values, those met more than once counted as often, new rows take at most:
/// for every new row the sum over old rows of how often it takes one value.
std::size_t rows_covered(const Indices& numbers, std::size_t old_last, std::size_t new_last) {
  std::size_t most = 0;
  for (std::size_t start = 0; start < numbers.size(); start += new_last) {
    std::map<std::size_t, std::size_t> times, rows;
    for (std::size_t i = start; i < start + new_last; ++i) {
      std::size_t& covered = rows[numbers[i] / old_last];
      covered = std::max(covered, ++times[numbers[i]]);
    }
    std::size_t covered = 0;
    for (const auto& [row, count] : rows) covered += count;
    most = std::max(most, covered);
  }
  return most;
}

/// Of values `numbers` of a replicated array in rows of `last`; of whole rows of a packed one.
Bound selected_bound(const EncryptedArray& x, const Indices& numbers, std::size_t last) {
  return x.layout().packed() ? x.bound() : rearranged_bound(x, numbers, last);
}

void require_joinable(const EncryptedArray& a, const EncryptedArray& b, std::size_t axis) {
  bool fits = a.ndim() == b.ndim();
  for (std::size_t i = 0; fits && i < a.ndim(); ++i) fits = i == axis || a.shape()[i] == b.shape()[i];
  if (!fits) {
    throw ArgumentError(message("concatenate: shapes ", to_string(a.shape()), " and ", to_string(b.shape()),
                                " differ in another axis than ", axis));
  }
  if (a.layout().placement() != b.layout().placement()) {
    throw ArgumentError(message("concatenate: layouts differ, ", to_string(a.layout().placement()), " and ",
                                to_string(b.layout().placement())));
  }
}

/// Whether arrays wait for one relinearisation when they are joined: all of them do, in the same primes.
bool wait_together(std::span<const EncryptedArray> arrays) {
  const auto alike = [&](const EncryptedArray& x) {
    return x.waits() && x.channel_levels() == arrays.front().channel_levels();
  };
  return std::ranges::all_of(arrays, alike);
}

}  // namespace

Bound rearranged_bound(const EncryptedArray& x, const Indices& numbers, std::size_t last) {
  if (x.bound().wraps()) return x.bound();
  return x.bound().regrouped(rows_covered(numbers, x.layout().last(), last), last);
}

EncryptedArray reshape(const EncryptedArray& x, const Shape& shape) {
  if (count_of(shape) != count_of(x.shape())) {
    throw ArgumentError(message("reshape: ", count_of(x.shape()), " values of shape ", to_string(x.shape()),
                                " have no shape ", to_string(shape)));
  }
  if (x.layout().packed() && (shape.empty() || shape.back() != x.shape().back())) {
    throw UnsupportedError(
        message("reshape: from ", to_string(x.shape()), " to ", to_string(shape),
                ", but the last axis lies within ciphertexts and stays as long as it is; `rearranged` "
                "moves values, by rotations, or shape them as needed before they are encrypted"));
  }
  const Layout layout = x.layout().with_shape(shape);
  return x.taken(iota(layout.batch()), layout,
                 selected_bound(x, iota(x.layout().packed() ? 1 : layout.batch()), layout.last()));
}

EncryptedArray select(const EncryptedArray& x, const Indices& numbers, const Shape& outer) {
  const std::size_t rows = count_of(x.layout().outer()), chunks = x.layout().chunks();
  if (numbers.empty() || count_of(outer) != numbers.size()) {
    throw ArgumentError(message("select: ", numbers.size(), " numbers in shape ", to_string(outer),
                                "; encrypted arrays are never empty"));
  }
  Indices ciphertexts;
  for (const std::size_t number : numbers) {
    if (number >= rows) throw ArgumentError(message("select: number ", number, " of ", rows));
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) ciphertexts.push_back(number * chunks + chunk);
  }
  Shape shape = outer;
  if (x.layout().packed()) shape.push_back(x.shape().back());
  const Layout layout = x.layout().with_shape(shape);
  // What is repeated would be relinearised as often.
  const EncryptedArray& from = ciphertexts.size() > x.layout().batch() ? x.settled() : x;
  return from.taken(ciphertexts, layout, selected_bound(x, numbers, layout.last()));
}

EncryptedArray item(const EncryptedArray& x, std::int64_t index) {
  if (x.layout().outer().empty()) {
    throw UnsupportedError(x.ndim() == 0 ? "a scalar has no items" : in_ciphertexts);
  }
  const auto length = static_cast<std::int64_t>(x.shape()[0]);
  if (index < -length || index >= length) {
    throw ArgumentError(message("index ", index, " does not fit shape ", to_string(x.shape())));
  }
  const auto position = static_cast<std::size_t>(index < 0 ? index + length : index);
  const EncryptedArray row = slice(x, position, position + 1);
  return reshape(row, Shape(x.shape().begin() + 1, x.shape().end()));
}

EncryptedArray slice(const EncryptedArray& x, std::size_t start, std::size_t stop) {
  Shape outer = x.layout().outer();
  if (outer.empty()) throw UnsupportedError(x.ndim() == 0 ? "a scalar has no items" : in_ciphertexts);
  if (start >= stop || stop > outer[0]) {
    throw ArgumentError(message("slice: items ", start, " to ", stop, " of shape ", to_string(x.shape())));
  }
  const std::size_t inner = count_of(outer) / outer[0];
  Indices numbers;
  for (std::size_t i = start * inner; i < stop * inner; ++i) numbers.push_back(i);
  outer[0] = stop - start;
  return select(x, numbers, outer);
}

EncryptedArray concatenate(std::span<const EncryptedArray> arrays, std::int64_t axis, const Options& options) {
  if (arrays.empty()) throw ArgumentError("concatenate takes at least one encrypted array");
  const EncryptedArray& head = arrays.front();
  const std::size_t position = axis_of("concatenate", axis, head.shape());
  if (position >= head.layout().outer().size()) {
    throw UnsupportedError(message("concatenate: axis ", axis,
                                   " lies within ciphertexts, and joining along it would "
                                   "move values between slots; join along another axis (stack makes a new one), or "
                                   "encrypt the values together"));
  }
  if (arrays.size() == 1) return head;
  std::size_t length = head.layout().last();
  Keyring keys = head.keys();
  Bound bound = head.bound();
  const bool waits = wait_together(arrays);
  const auto form = [waits](const EncryptedArray& x) { return waits ? x.as_it_is() : x.placed(); };
  std::vector<Placed> parts{form(head)};
  Waiting::Levels levels = waits ? head.levels() : Waiting::Levels();
  for (const EncryptedArray& x : arrays.subspan(1)) {
    require_joinable(head, x, position);
    rlwe::require_same_context("concatenate", *head.context(), *x.context());
    rlwe::require_same_key("concatenate", head.key(), x.key());
    const bool last = position + 1 == head.ndim();
    if (last) length += x.layout().last();
    bound = (last ? appended_bound : joint_bound)("concatenate", bound, x.bound(), length);
    keys = keys.joined(x.keys());
    parts.push_back(form(x));
    for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = std::max(levels[i], x.levels()[i]);
  }
  EncryptedArray together(joined(parts, position), bound, keys, std::move(levels));
  require_decryptable("concatenate", together, options);  // BGV brings its operands to one level
  return together;
}

Placed joined(const std::vector<Placed>& parts, std::size_t axis) {
  Shape shape = parts.front().layout.shape();
  shape[axis] = 0;
  bool clean = true;
  std::vector<Channels> batches;
  for (const Placed& x : parts) {
    shape[axis] += x.layout.shape()[axis];
    clean = clean && x.layout.clean();
    batches.push_back(x.channels);
  }
  // The batches follow each other; the axes before the joined one number blocks that have to be interleaved.
  std::size_t blocks = 1;
  for (std::size_t i = 0; i < axis; ++i) blocks *= shape[i];
  Indices order;
  for (std::size_t block = 0; block < blocks; ++block) {
    std::size_t first = 0;
    for (const Placed& x : parts) {
      const std::size_t batch = x.layout.batch(), size = batch / blocks;
      for (std::size_t i = 0; i < size; ++i) order.push_back(first + block * size + i);
      first += batch;
    }
  }
  const Layout& head = parts.front().layout;
  return {take(concatenate(batches), order), head.placed(shape, head.placement(), clean)};
}

EncryptedArray stack(std::span<const EncryptedArray> arrays, std::int64_t axis, const Options& options) {
  if (arrays.empty()) throw ArgumentError("stack takes at least one encrypted array");
  const EncryptedArray& head = arrays.front();
  const auto axes = static_cast<std::int64_t>(head.ndim()) + 1;
  const std::int64_t position = axis < 0 ? axis + axes : axis;
  if (position < 0 || position > static_cast<std::int64_t>(head.layout().outer().size())) {
    throw ArgumentError(message("stack: axis ", axis, " for arrays of shape ", to_string(head.shape()), ", ",
                                to_string(head.layout().placement())));
  }
  std::vector<EncryptedArray> raised;
  for (const EncryptedArray& x : arrays) {
    if (x.shape() != head.shape()) {
      throw ArgumentError(message("stack: shapes ", to_string(head.shape()), " and ", to_string(x.shape()), " differ"));
    }
    Shape shape = x.shape();
    shape.insert(shape.begin() + position, 1);
    raised.push_back(reshape(x, shape));
  }
  return concatenate(raised, position, options);
}

}  // namespace cyclotome::value
