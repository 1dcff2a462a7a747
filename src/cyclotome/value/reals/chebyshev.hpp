// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

// Polynomials near functions, in the Chebyshev basis of an interval, with what they are off by at most.
namespace cyclotome::value {

/// Numbers from low to high, both within.
struct RealInterval {
  double low, high;                                              ///< the ends
  double centre() const noexcept { return low / 2 + high / 2; }  ///< between them
  double radius() const noexcept { return high / 2 - low / 2; }  ///< half its length
};

/// sum over k of coefficients[k] T_k((x - centre) / radius).
struct Fit {
  std::vector<double> coefficients;  ///< as above
  double error;                      ///< the largest |f - p| on the interval
};

/// A function that is analytic around an interval.
struct Analytic {
  std::string_view name;
  std::function<double(double)> value;  ///< f
  /// At most |f(z)| on the ellipse with foci at the ends of the interval whose semi-axes are radius (rho + 1/rho)/2
  /// and radius (rho - 1/rho)/2; infinity where f is not analytic within.
  std::function<double(const RealInterval& interval, double rho)> most;
};

/// Near low for x below 0 and near high above: (low + high)/2 + (high - low)/2 erf(steepness x), which is off by
/// |high - low|/2 erfc(steepness |x|).
Analytic step(double steepness, double low, double high);
/// Near max(x, 0): x (1 + erf(steepness x))/2, which is off by at most `relu_distance`.
Analytic ramp(double steepness);
/// Near |x|: x erf(steepness x), off by twice as much.
Analytic magnitude(double steepness);
/// The largest |max(x, 0) - ramp(x)| over all x.
double relu_distance(double steepness);

/// "exp", "log", "sqrt", "inverse", "sigmoid", "tanh". Throws ArgumentError for other names.
const Analytic& analytic(std::string_view name);

/// The interpolation in Chebyshev points of the least degree that is certified to be off by no more than `precision`:
/// |f - p| <= 4 M rho^-d / (rho - 1) with M as above (Trefethen, Approximation Theory and Approximation Practice,
/// Theorem 8.2), and what doubles leave. Throws ArgumentError for an interval that the function is not analytic around,
/// and where no degree up to 255 is enough.
Fit fit(const Analytic& function, const RealInterval& interval, double precision);

}  // namespace cyclotome::value
