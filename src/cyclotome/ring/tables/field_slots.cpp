// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/tables/field_slots.hpp"

#include <map>
#include <mutex>
#include <numeric>

#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome {

namespace {

using Elements = ZeroisingVector<std::uint64_t>;
using Exponents = std::vector<std::uint64_t>;

unsigned order_of_two(std::uint64_t m) {
  unsigned order = 1;
  for (std::uint64_t power = 2 % m; power != 1; power = 2 * power % m) ++order;
  return order;
}

/// The least length for which generator^length is a power of 2 times powers of the generators before it: those move
/// nothing in the axes from this one on.
std::size_t length_of(const CyclotomicIndex& index, std::size_t axis, unsigned order) {
  const auto& axes = index.axes();
  const std::size_t whole = axes[axis].length();
  std::size_t least = whole;
  std::uint64_t power = 2;
  for (unsigned j = 1; j < order; ++j, power = 2 * power % index.index()) {
    bool later = false;
    for (std::size_t i = axis + 1; i < axes.size(); ++i) later = later || power % axes[i].prime != 1;
    if (!later) least = std::gcd(least, std::size_t{axes[axis].logs[power % axes[axis].prime]});
  }
  return least;
}

/// out[o] = sum over i of matrix[o][i] x[i], each an array of `lanes` elements; constants are public.
void combine(std::uint64_t* out, const std::uint64_t* x, std::span<const std::uint64_t> matrix, std::size_t columns,
             std::size_t lanes, const BinaryField& field) {
  for (std::size_t o = 0; o < matrix.size() / columns; ++o) {
    std::uint64_t* const sum = out + o * lanes;
    std::fill_n(sum, lanes, 0);
    for (std::size_t i = 0; i < columns; ++i) {
      const std::uint64_t factor = matrix[o * columns + i], *const from = x + i * lanes;
      for (unsigned bit = 0; bit < field.degree(); ++bit) {
        if ((factor >> bit & 1) == 0) continue;
        for (std::size_t l = 0; l < lanes; ++l) sum[l] ^= from[l] << bit;
      }
    }
    for (std::size_t l = 0; l < lanes; ++l) sum[l] = field.reduce(sum[l]);
  }
}

/// Along the axis before which there are `outer` arrays of `columns` times `lanes` elements.
Elements combined(const Elements& x, std::span<const std::uint64_t> matrix, std::size_t columns, std::size_t lanes,
                  const BinaryField& field) {
  const std::size_t rows = matrix.size() / columns, outer = x.size() / (columns * lanes);
  Elements out(outer * rows * lanes);
  for (std::size_t i = 0; i < outer; ++i) {
    combine(out.data() + i * rows * lanes, x.data() + i * columns * lanes, matrix, columns, lanes, field);
  }
  return out;
}

}  // namespace

FieldSlotsPtr FieldSlots::of(const RingShape& ring, std::uint64_t modulus) {
  if (ring.kind() != RingKind::cyclotomic || modulus != 2) return nullptr;
  static std::mutex mutex;
  static std::map<std::uint64_t, FieldSlotsPtr> made;
  const std::lock_guard lock(mutex);
  const auto found = made.find(ring.index());
  if (found != made.end()) return found->second;
  const unsigned order = order_of_two(ring.index());
  FieldSlotsPtr slots = order > BinaryField::max_degree ? nullptr : std::make_shared<const FieldSlots>(ring, order);
  return made.emplace(ring.index(), std::move(slots)).first->second;
}

FieldSlots::FieldSlots(const RingShape& ring, unsigned field_degree) : field_(field_degree), degree_(ring.degree()) {
  const CyclotomicIndex index(ring.index(), RingShape::max_degree);
  const std::uint64_t m = index.index(), root = field_.power(2, field_.order() / m);
  places_ = {0};
  numbers_ = {0};
  for (std::size_t i = 0; i < index.axes().size(); ++i) {
    const CyclotomicIndex::Axis& axis = index.axes()[i];
    const std::size_t whole = axis.length();
    Axis made{whole, length_of(index, i, field_degree), {}, {}};
    // A power of the generator that has this order, if there is one: its automorphism rolls the dimension.
    const bool cyclic = std::gcd(whole / made.slots, made.slots) == 1;
    const std::size_t step = cyclic ? whole / made.slots : 1;
    const std::uint64_t generator = ring.galois().power(axis.generator, static_cast<std::int64_t>(step));
    dimensions_.push_back({generator, made.slots, cyclic});
    count_ *= made.slots;
    const std::uint64_t omega = field_.power(root, axis.unit), inverse = field_.power(omega, axis.prime - 1);
    const auto exponent = [&](std::size_t x, std::size_t f) {  // g^(step x - f)
      return std::uint64_t{axis.powers[(step * x + whole - f) % whole]};
    };
    for (std::size_t x = 0; x < made.slots; ++x) {
      for (std::size_t f = 0; f < whole; ++f) made.to_slots.push_back(field_.power(omega, exponent(x, f)));
    }
    for (std::size_t f = 0; f < whole; ++f) {
      for (std::size_t x = 0; x < made.slots; ++x) {
        made.from_slots.push_back(field_.power(inverse, exponent(x, f)) ^ 1);
      }
    }
    // This axis is outside of those before it in our order; of slots it is the fastest so far.
    std::vector<std::uint32_t> places, numbers;
    for (std::size_t e = 0; e < whole; ++e) {
      for (const std::uint32_t place : places_) places.push_back(place + axis.offsets[e]);
    }
    for (std::size_t x = 0; x < made.slots; ++x) {
      for (const std::uint32_t number : numbers_) {
        numbers.push_back(static_cast<std::uint32_t>(number * made.slots + x));
      }
    }
    places_ = std::move(places);
    numbers_ = std::move(numbers);
    axes_.push_back(std::move(made));
  }
}

void FieldSlots::decode(std::span<std::uint64_t> slots, std::span<const std::uint64_t> coefficients) const {
  Elements values(degree_);
  for (std::size_t i = 0; i < degree_; ++i) values[i] = coefficients[places_[i]];
  std::size_t lanes = degree_;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    lanes /= axes_[i].length;
    values = combined(values, axes_[i].to_slots, axes_[i].length, lanes, field_);
  }
  for (std::size_t i = 0; i < count_; ++i) slots[numbers_[i]] = values[i];
}

/// A coefficient is the sum over all units of a value times a constant; values at u, 2u, 4u, ... are conjugates, and so
/// are these constants: it is the trace of the sum over representatives.
void FieldSlots::encode(std::span<std::uint64_t> coefficients, std::span<const std::uint64_t> slots) const {
  Elements values(count_);
  for (std::size_t i = 0; i < count_; ++i) values[i] = slots[numbers_[i]];
  std::size_t lanes = 1;
  for (const Axis& axis : axes_) {
    values = combined(values, axis.from_slots, axis.slots, lanes, field_);
    lanes *= axis.length;
  }
  for (std::size_t i = 0; i < degree_; ++i) coefficients[places_[i]] = field_.trace(values[i]);
}

}  // namespace cyclotome
