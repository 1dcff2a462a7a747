// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cyclotome/rlwe/scheme.hpp"

// Which schemes there are, and whether they compute exactly. Those of the library stand in a table in registry.cpp, one
// line each.
namespace cyclotome::scheme {

/// What the values of a scheme are, which decides which arrays there are under its parameters.
enum class Values : std::uint8_t {
  exact,        ///< integers, bits or elements of fields: exact or refused
  approximate,  ///< real and complex numbers, each with an error
};

/// All known schemes: the library's, then those that were added.
std::vector<const rlwe::Scheme*> known();
/// The scheme of that name, or of that number in files. Both throw ParameterError, and name what is known.
const rlwe::Scheme& named(std::string_view name);
/// The scheme of that number in files; ParameterError likewise.
const rlwe::Scheme& numbered(std::uint8_t id);

/// What the values of a scheme are; exact for one that nobody added.
Values values_of(const rlwe::Scheme& scheme);
/// Whether these parameters are for real numbers, so that arrays of integers have no meaning under them.
bool holds_reals(const rlwe::Parameters& parameters);

/// Makes a scheme from outside the library known to this process, for programs that bring one of their own, and tests.
/// To be called from main() or when a module is loaded, never while static objects are made; the scheme lives as long
/// as the process. Adding it again changes nothing. Throws ParameterError for number 0 and for a name or number that
/// another scheme has. Thread-safe.
void add_scheme(const rlwe::Scheme& scheme, Values values = Values::exact);

}  // namespace cyclotome::scheme
