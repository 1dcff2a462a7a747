// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cyclotome/value/reals/chebyshev.hpp"
#include "cyclotome/value/reals/real_arithmetic.hpp"

namespace cyclotome::value {

/// sum over k of coefficients[k] T_k((x - centre) / radius), T_k the Chebyshev polynomials, for real x within the
/// interval. That x lies there is stated by the caller unless its bound says so; the error holds as long as it does.
/// About log2 of the degree, and two, levels. Throws UnsupportedError for complex x, ArgumentError for no coefficients
/// or an interval that has no length.
RealArray chebyshev(const RealArray& x, std::span<const double> coefficients, const RealInterval& interval);
/// The same of powers of x: c[0] + c[1] x + ...
RealArray polynomial(const RealArray& x, std::span<const double> coefficients);
/// A function by name (chebyshev.hpp), of x within the interval: off by `precision` at most, and by what x and the
/// operations are off by. Where it is stated, error() of the result holds all of it.
RealArray apply(const RealArray& x, std::string_view name, const RealInterval& interval, double precision);

/// `low` for x from -bound to -gap, and `high` for x from gap to bound, where bound is x.bound(): off by `precision` at
/// most, by what x is off by times what the polynomial rises, and by what operations are. In between anything from low
/// to high, up to the precision, of which error() says nothing. One polynomial, or two one after the other where the
/// gap is small. Throws ArgumentError for a gap outside (0, bound), and for one that is too small.
RealArray step(const RealArray& x, double gap, double precision, double low, double high);
/// max(x, 0), off by `precision` at most, as error() says, for all x up to its bound. Throws ArgumentError where no
/// polynomial of degree up to 255 is as near.
RealArray relu(const RealArray& x, double precision);
/// |x| likewise.
RealArray absolute(const RealArray& x, double precision);

}  // namespace cyclotome::value
