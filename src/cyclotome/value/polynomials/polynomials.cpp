// SPDX-License-Identifier: Apache-2.0
// Products of polynomials.
#include "cyclotome/value/polynomials/polynomials.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/layout/rows.hpp"
#include "cyclotome/value/polynomials/monomials.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

/// Whether x^n is -1, or there is room for all of a product.
enum class Reduction : bool { negacyclic, none };

/// Coefficients of a product of polynomials of a and b coefficients.
std::size_t product_length(const char* operation, std::size_t a, std::size_t b, std::size_t degree,
                           Reduction reduction) {
  for (const std::size_t length : {a, b}) {
    if (length > degree) {
      throw ArgumentError(message(operation, ": a polynomial of ", length, " coefficients, but ciphertexts hold n = ",
                                  degree, " of them; cut it into parts, or take parameters of a larger degree"));
    }
  }
  if (reduction == Reduction::negacyclic) return degree;
  if (a + b - 1 > degree) {
    throw ArgumentError(message(operation, ": polynomials of ", a, " and ", b, " coefficients have products of ",
                                a + b - 1, ", but ciphertexts hold n = ", degree,
                                ", beyond which they would wrap around; cut one into parts, take parameters of a "
                                "larger degree, or negacyclic_product if x^n is meant to be -1"));
  }
  return a + b - 1;
}

/// The layout of products of x's polynomials and others of this shape.
Layout product_layout(const char* operation, const Layout& x, const Shape& y, Reduction reduction) {
  if (y.empty()) {
    throw ArgumentError(message(operation, ": a scalar is no polynomial, which has an axis of coefficients; multiply ",
                                "by a number with *"));
  }
  count_of(y);
  Shape shape = broadcast_shape(operation, x.outer(), Shape(y.begin(), y.end() - 1));
  shape.push_back(product_length(operation, x.length(), y.back(), x.width(), reduction));
  return x.placed(std::move(shape), Placement::coefficients);
}

EncryptedArray product(const char* operation, Reduction reduction, const EncryptedArray& x, const EncryptedArray& y,
                       Relinearization relinearization, const Options& options) {
  if (options.refresh_operands) {
    return with_room(operation, x, y, options, Growth::product, [&](const auto& a, const auto& b, const Options& how) {
      return product(operation, reduction, a, b, relinearization, how);
    });
  }
  rlwe::require_same_context(operation, *x.context(), *y.context());
  rlwe::require_same_key(operation, x.key(), y.key());
  require_polynomials(operation, x);
  require_polynomials(operation, y);
  const Layout layout = product_layout(operation, x.layout(), y.shape(), reduction);
  const Bound bound = polynomial_product_bound(operation, x.bound(), y.bound(), layout.length());
  require_within(operation, bound, x.parameters());
  const Keyring keys = x.keys().joined(y.keys());
  const bool square = &x == &y;
  const Channels a = broadcast(x.placed(), layout), b = square ? Channels() : broadcast(y.placed(), layout);
  const Channels& second = square ? a : b;
  Channels made = relinearization == Relinearization::later
                      ? multiply(a, second, options)
                      : multiply_relinearized(a, second, keys.require_evaluation(operation), options);
  return finished(operation, {std::move(made), layout}, bound, keys, options);
}

EncryptedArray product(const char* operation, Reduction reduction, const EncryptedArray& x, const Integers& w,
                       const Options& options) {
  if (options.refresh_operands) {
    return with_room(operation, x, options,
                     [&](const auto& a, const Options& how) { return product(operation, reduction, a, w, how); });
  }
  require_polynomials(operation, x, MostParts::three);
  const Layout layout = product_layout(operation, x.layout(), w.shape(), reduction);
  const Bound bound = x.bound().wraps()
                          ? field_bound(operation, x.bound(), w, x.parameters())
                          : polynomial_product_bound(operation, x.bound(), bound_of(w, w.length()), layout.length());
  require_within(operation, bound, x.parameters());
  Shape factors = layout.outer();
  factors.push_back(w.length());
  const Rows rows(layout.with_shape(factors), w);
  return finished(operation, with_rows("multiplying", rlwe::multiply_plain, x.placed(), layout, rows, options), bound,
                  x.keys(), options);
}

}  // namespace

EncryptedArray negacyclic_product(const EncryptedArray& x, const EncryptedArray& y, Relinearization relinearization,
                                  const Options& options) {
  return product("negacyclic_product", Reduction::negacyclic, x, y, relinearization, options);
}

EncryptedArray negacyclic_product(const EncryptedArray& x, const Integers& w, const Options& options) {
  return product("negacyclic_product", Reduction::negacyclic, x, w, options);
}

EncryptedArray convolve(const EncryptedArray& x, const EncryptedArray& y, Relinearization relinearization,
                        const Options& options) {
  return product("convolve", Reduction::none, x, y, relinearization, options);
}

EncryptedArray convolve(const EncryptedArray& x, const Integers& w, const Options& options) {
  return product("convolve", Reduction::none, x, w, options);
}

EncryptedArray relinearized(const EncryptedArray& x, const Options& options) {
  if (x.waits() || x.channels().front().parts() == 2) return x.settled();
  Channels made = relinearize(x.channels(), x.keys().require_evaluation("relinearized"), options);
  return finished("relinearized", {std::move(made), x.layout()}, x.bound(), x.keys(), options);
}

}  // namespace cyclotome::value
