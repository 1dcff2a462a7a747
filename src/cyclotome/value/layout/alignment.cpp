// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/layout/alignment.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/layout/rows.hpp"
#include "cyclotome/value/layout/slots.hpp"

namespace cyclotome::value {

namespace {

/// What an operand of a packed result becomes: a column in slots is spread over all of them, so that it is constant;
/// several replicated values are gathered in slots. Coefficients stay what they are.
Placement meets_as(const Layout& x, std::size_t last) {
  if (x.slots()) return x.length() == last ? Placement::slots : Placement::replicated;
  if (x.packed()) return x.placement();
  return x.last() == 1 ? Placement::replicated : Placement::slots;
}

/// Looks at what meets, not at what operands were before.
void require_meeting(const char* operation, Meeting meeting, const Layout& x, const Layout& y, std::size_t last) {
  const Placement p = meets_as(x, last), q = meets_as(y, last);
  const bool coefficients = p == Placement::coefficients || q == Placement::coefficients;
  if (!coefficients || (p == q && meeting == Meeting::sum)) return;
  if (meeting == Meeting::sum && p != Placement::replicated && q != Placement::replicated) {
    throw ArgumentError(message(operation, ": one operand is encoded in slots and the other in coefficients"));
  }
  const bool constant = p == Placement::replicated || q == Placement::replicated;
  if (meeting == Meeting::product && constant) return;
  require_slots(operation, p == Placement::coefficients ? x : y);
}

/// x so that it can meet a packed array in a result whose last axis is `last` long: the values of a column in all
/// slots, several replicated values in slots of their own.
Placed as_it_meets(const EncryptedArray& x, bool waits, std::size_t last, const Options& options) {
  if (x.layout().packed() && x.layout().length() != last) return spread(x.placed(), x.keys(), options);
  const Placed& own = waits ? x.as_it_is() : x.placed();
  return x.layout().packed() || x.layout().last() == 1 ? own : gathered(own, options);
}

/// Whether products go on waiting in a result of so many ciphertexts.
bool waits_in(const EncryptedArray& x, std::size_t batch) { return x.waits() && batch <= x.layout().batch(); }

/// Whether primes are dropped from x where it meets y.
bool is_lowered(const EncryptedArray& x, const EncryptedArray& y) {
  const std::vector<rlwe::Level> a = x.channel_levels(), b = y.channel_levels();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return true;
  }
  return false;
}

/// Of a sum of that shape.
bool waits_beside(const EncryptedArray& x, const EncryptedArray& y, const Shape& shape, bool packed) {
  const Layout& like = (x.layout().packed() ? x : y).layout();
  const Layout sum = like.placed(shape, packed ? like.placement() : Placement::replicated);
  const bool is_spread = x.layout().packed() && x.layout().length() != sum.length();
  return waits_in(x, sum.batch()) && !is_spread && !is_lowered(x, y);
}

/// The most primes that one of both takes: see rlwe::relinearization_level.
Waiting::Levels joint_levels(Waiting::Levels a, const Waiting::Levels& b) {
  if (a.empty()) return b;
  for (std::size_t i = 0; i < b.size(); ++i) a[i] = std::max(a[i], b[i]);
  return a;
}

}  // namespace

Met met(const char* operation, Meeting meeting, const EncryptedArray& x, const EncryptedArray& y,
        const Options& options) {
  rlwe::require_same_context(operation, *x.context(), *y.context());
  rlwe::require_same_key(operation, x.key(), y.key());
  const Shape shape = broadcast_shape(operation, x.shape(), y.shape());
  const std::size_t last = shape.empty() ? 1 : shape.back();
  const bool packed = x.layout().packed() || y.layout().packed();
  if (packed) require_meeting(operation, meeting, x.layout(), y.layout(), last);
  const bool x_waits = meeting == Meeting::sum && waits_beside(x, y, shape, packed);
  const bool y_waits = meeting == Meeting::sum && waits_beside(y, x, shape, packed);
  const auto meets = [&](const EncryptedArray& z, bool waits) {
    return packed ? as_it_meets(z, waits, last, options) : waits ? z.as_it_is() : z.placed();
  };
  const Placed a = meets(x, x_waits), b = meets(y, y_waits);
  const Layout &p = a.layout, &q = b.layout;
  // What stands beside the values: zeros where all terms have them, or one factor.
  const bool zeros = meeting == Meeting::sum ? p.packed() && q.packed() && p.clean() && q.clean()
                                             : (p.packed() && p.clean()) || (q.packed() && q.clean());
  const Layout layout = (p.packed() ? p : q).placed(shape, p.packed() ? p.placement() : q.placement(), zeros);
  return {a, b, layout,
          joint_levels(x_waits ? x.levels() : Waiting::Levels(), y_waits ? y.levels() : Waiting::Levels())};
}

bool waits_beside(const char* operation, const EncryptedArray& x, const EncryptedArray& y) {
  return waits_beside(x, y, broadcast_shape(operation, x.shape(), y.shape()),
                      x.layout().packed() || y.layout().packed());
}

Aligned aligned(const char* operation, Meeting meeting, const EncryptedArray& x, const EncryptedArray& y,
                const Options& options) {
  const Met both = met(operation, meeting, x, y, options);
  return {broadcast(both.x, both.layout), broadcast(both.y, both.layout), both.layout, both.levels};
}

bool waits_with(const char* operation, const EncryptedArray& x, const Shape& w) {
  const Shape shape = broadcast_shape(operation, x.shape(), w);
  const bool column = x.layout().last() == 1 && !w.empty() && w.back() > 1;
  return !column && waits_in(x, x.layout().with_shape(shape).batch());
}

Term term_of(const char* operation, const EncryptedArray& x, const Shape& w) {
  const bool waits = waits_with(operation, x, w);
  return {waits ? x.as_it_is() : x.placed(), waits ? x.levels() : Waiting::Levels()};
}

Expanded expanded(const char* operation, const Placed& x, const Keyring& keys, const Shape& w, const Options& options) {
  const Shape shape = broadcast_shape(operation, x.layout.shape(), w);
  const bool column = x.layout.last() == 1 && !w.empty() && w.back() > 1;
  if (!column) return {x, x.layout.with_shape(shape)};
  if (x.layout.placement() == Placement::coefficients) {
    throw UnsupportedError(message(operation, ": a column in coefficients can't be broadcast to shape ",
                                   to_string(shape), "; encrypt it in slots, or with layout='replicated'"));
  }
  if (!x.context()->parameters().has_slots()) return {x, x.layout.with_shape(shape)};
  const Placed constants = x.layout.packed() ? spread(x, keys, options) : x;
  return {constants, constants.layout.placed(shape, Placement::slots, false)};
}

}  // namespace cyclotome::value
