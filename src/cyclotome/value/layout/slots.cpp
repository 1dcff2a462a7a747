// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/layout/slots.hpp"

#include <algorithm>
#include <map>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/switching/linear_transform.hpp"
#include "cyclotome/value/layout/rows.hpp"
#include "cyclotome/value/matrices/field_rolls.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

const rlwe::EvaluationKeys& rotation_keys(const char* operation, const EncryptedArray& x) {
  if (const FieldSlotsPtr& slots = x.parameters().field_slots(); slots != nullptr) {
    throw UnsupportedError(message(operation, ": the slots of ", x.parameters().summary(), " are a box of ",
                                   slots->dimensions().size(), " dimensions, not rows and columns; x.roll(steps, ",
                                   "dimension) rolls one"));
  }
  if (!x.layout().slots() || !x.layout().full()) {
    throw ArgumentError(message(operation,
                                " takes a packed array in slots whose last axis fills its ciphertexts, a "
                                "multiple of ",
                                x.layout().width(), " values; this one has shape ", to_string(x.shape()), ", ",
                                to_string(x.layout().placement()), ". x.padded() fills it up"));
  }
  return x.keys().require_evaluation(operation);
}

/// `a` rotated by each of `steps`, on ways that share what they can: all that starts from one array takes one
/// decomposition.
std::map<std::uint64_t, Channels> rotated(const Channels& a, const std::vector<std::uint64_t>& steps,
                                          const rlwe::EvaluationKeys& keys, const Options& options) {
  const GaloisGroup& group = keys.context()->slot_galois();
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> ways;  // from, to, by how much at once
  for (const std::uint64_t step : steps) {
    std::uint64_t reached = 0;
    for (const std::uint64_t turn : rlwe::rotation_steps("rotate_rows", step, keys)) {
      ways[reached][reached + turn] = turn;
      reached += turn;
    }
  }
  std::map<std::uint64_t, Channels> made{{0, a}};
  for (const auto& [start, targets] : ways) {  // turns are positive: what is started from was made before
    std::vector<std::uint64_t> elements;
    for (const auto& [target, turn] : targets) {
      elements.push_back(rlwe::row_rotation_element(group, static_cast<std::int64_t>(turn)));
    }
    std::vector<Channels> turned = apply_galois(made.at(start), elements, keys, options);
    std::size_t i = 0;
    for (const auto& [target, turn] : targets) made.insert_or_assign(target, std::move(turned[i++]));
  }
  return made;
}

/// Of a row of slots.
std::uint64_t reduced(std::int64_t steps, const rlwe::EvaluationKeys& keys) {
  const auto row = static_cast<std::int64_t>(keys.context()->slot_galois().generators().front().order);
  return static_cast<std::uint64_t>((steps % row + row) % row);
}

}  // namespace

EncryptedArray packed(const EncryptedArray& x, const Options& options) {
  if (options.refresh_operands) {
    return with_room("packed", x, options, [&](const auto& a, const Options& how) { return packed(a, how); });
  }
  if (x.layout().packed()) return x;
  if (x.ndim() == 0 || !x.context()->parameters().has_slots()) {
    throw ArgumentError("packed: takes an array with at least one axis, and plaintext moduli with slots");
  }
  return finished("packed", gathered(x.placed(), options), x.bound(), x.keys(), options);
}

EncryptedArray padded(const EncryptedArray& x, const Options& options) {
  if (options.refresh_operands) {
    return with_room("padded", x, options, [&](const auto& a, const Options& how) { return padded(a, how); });
  }
  const Layout& layout = x.layout();
  if (!layout.packed()) throw ArgumentError("padded: every value of a replicated array fills its ciphertext already");
  Shape shape = x.shape();
  shape.back() = layout.chunks() * layout.width();
  Placed clean = cleaned(x.placed(), options);
  // Zeros are values now, whatever the others are.
  const Bound bound =
      x.bound().wraps() ? x.bound() : joint_bound("padded", x.bound(), Bound(0, shape.back()), shape.back());
  return finished("padded", {std::move(clean.channels), layout.placed(shape, layout.placement())}, bound, x.keys(),
                  options);
}

EncryptedArray rotate_rows(const EncryptedArray& x, std::int64_t steps, const Options& options) {
  if (options.refresh_operands) {
    return with_room("rotate_rows", x, options,
                     [&](const auto& a, const Options& how) { return rotate_rows(a, steps, how); });
  }
  const rlwe::EvaluationKeys& keys = rotation_keys("rotate_rows", x);
  const std::uint64_t step = reduced(steps, keys);
  Channels turned = rotated(x.channels(), {step}, keys, options).at(step);
  return switched("rotate_rows", {std::move(turned), x.layout()}, x.bound(), x.keys(), options);
}

EncryptedArray rotate_rows(const EncryptedArray& x, std::span<const std::int64_t> steps, const Options& options) {
  if (options.refresh_operands) {
    return with_room("rotate_rows", x, options,
                     [&](const auto& a, const Options& how) { return rotate_rows(a, steps, how); });
  }
  const rlwe::EvaluationKeys& keys = rotation_keys("rotate_rows", x);
  if (steps.empty()) throw ArgumentError("rotate_rows: no steps were given; take at least one");
  std::vector<std::uint64_t> wanted;
  for (const std::int64_t step : steps) wanted.push_back(reduced(step, keys));
  const std::map<std::uint64_t, Channels> made = rotated(x.channels(), wanted, keys, options);
  std::vector<Channels> parts;
  for (const std::uint64_t step : wanted) parts.push_back(made.at(step));
  Shape shape = x.shape();
  shape.insert(shape.begin(), wanted.size());
  return switched("rotate_rows", {concatenate(parts), x.layout().with_shape(shape)}, x.bound(), x.keys(), options);
}

EncryptedArray rotate_columns(const EncryptedArray& x, const Options& options) {
  if (options.refresh_operands) {
    return with_room("rotate_columns", x, options,
                     [&](const auto& a, const Options& how) { return rotate_columns(a, how); });
  }
  const rlwe::EvaluationKeys& keys = rotation_keys("rotate_columns", x);
  const std::uint64_t element = rlwe::column_rotation_element(keys.context()->slot_galois());
  return switched("rotate_columns", {apply_galois(x.channels(), {element}, keys, options).front(), x.layout()},
                  x.bound(), x.keys(), options);
}

void require_slots(const char* operation, const Layout& layout) {
  if (layout.placement() != Placement::coefficients) return;
  throw UnsupportedError(
      message(operation, ": the array lies in coefficients, which know sums, and products with scalars only. For ",
              "operations value by value take plaintext moduli with slots (Parameters.suggest chooses such), or ",
              "encrypt(..., layout='replicated'), one ciphertext for each value"));
}

Placed cleaned(const Placed& x, const Options& options) {
  if (x.layout.clean()) return x;
  require_slots("masking", x.layout);
  const Integers one(1);
  const Layout layout = x.layout.with_clean(true);
  return with_rows("masking", rlwe::multiply_plain, x, layout, Rows(layout, one), options);
}

Placed spread(const Placed& x, const Keyring& keys, const Options& options) {
  require_slots("broadcasting a packed column", x.layout);
  const rlwe::EvaluationKeys& evaluation = keys.require_evaluation("broadcasting a packed column");
  return {sum_of_slots(cleaned(x, options).channels, evaluation, options),
          x.layout.placed(x.layout.shape(), Placement::replicated)};
}

Placed gathered(const Placed& x, const Options& options) {
  const Layout layout = x.layout.placed(x.layout.shape(), Placement::slots);
  const std::size_t length = layout.length(), width = layout.width(), rows = x.layout.batch() / length;
  std::vector<Channels> chunks;
  for (std::size_t start = 0; start < length; start += width) {
    const std::size_t count = std::min(width, length - start);
    Indices numbers;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < count; ++i) numbers.push_back(row * length + start + i);
    }
    const Placed column{take(x.channels, numbers), x.layout.with_shape({rows, count, 1})};
    std::vector<std::int64_t> unit(count * width, 0);
    for (std::size_t i = 0; i < count; ++i) unit[i * width + i] = 1;
    const Integers units({count, width}, unit);
    const Layout full = layout.placed({rows, count, width}, Placement::slots);
    const Placed placed = with_rows("packing", rlwe::multiply_plain, column, full, Rows(full, units), options);
    chunks.push_back(sum_groups(placed.channels, count));
  }
  // They are numbered by chunk, then row; the layout numbers them the other way round.
  const std::size_t axes[] = {1, 0};
  return {take(concatenate(chunks), transposed_indices({layout.chunks(), rows}, axes)), layout};
}

}  // namespace cyclotome::value
