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

}  // namespace cyclotome::value
