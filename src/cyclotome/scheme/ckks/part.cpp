// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/ckks/part.hpp"

#include <bit>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/parameters/parameters.hpp"

namespace cyclotome::ckks {

namespace {

constexpr double largest_bound = 0x1p38;

}  // namespace

std::string power_of_two(double x) { return message("2^", std::round(100 * std::log2(x)) / 100); }

Part::Part(double scale, double bound) : scale_(scale), bound_(bound) {
  if (!(scale >= least_scale && scale <= carrier_limit)) {  // false for NaN
    throw ParameterError(message("the scale of the lowest level, ", scale, ", must lie in [2^20, 2^58]"));
  }
  if (!(bound > 0 && bound <= largest_bound)) {
    throw ParameterError(
        message("numbers up to ", bound, " in magnitude; the bound must be above 0, and 2^38 at most"));
  }
}

std::vector<std::uint64_t> Part::numbers() const {
  return {carrier, std::bit_cast<std::uint64_t>(scale_), std::bit_cast<std::uint64_t>(bound_)};
}

/// The bits of both, as no decimal is the same number for everybody.
std::string Part::describe() const {
  return message("carrier ", carrier, "\nscale ", std::bit_cast<std::uint64_t>(scale_), "\nbound ",
                 std::bit_cast<std::uint64_t>(bound_));
}

std::string Part::summary() const { return message("scale ", power_of_two(scale_), ", numbers up to ", bound_); }

const Part& Part::of(const rlwe::Parameters& parameters) {
  if (const auto* const part = dynamic_cast<const Part*>(&parameters.part())) return *part;
  throw MismatchError(message("parameters for real numbers were asked for, but these are ", parameters.summary()));
}

}  // namespace cyclotome::ckks
