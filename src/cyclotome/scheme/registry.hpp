// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/scheme.hpp"

// Which schemes there are. Those of the library stand in a table in registry.cpp, one line each.
namespace cyclotome::scheme {

/// All known schemes: the library's, then those that were added.
std::vector<const rlwe::Scheme*> known();
/// The scheme of that name, or of that number in files. Both throw ParameterError, and name what is known.
const rlwe::Scheme& named(std::string_view name);
/// The scheme of that number in files; ParameterError likewise.
const rlwe::Scheme& numbered(std::uint8_t id);

/// Makes a scheme from outside the library known to this process, for programs that bring one of their own, and tests.
/// To be called from main() or when a module is loaded, never while static objects are made; the scheme lives as long
/// as the process. Adding it again changes nothing. Throws ParameterError for number 0 and for a name or number that
/// another scheme has. Thread-safe.
void add_scheme(const rlwe::Scheme& scheme);

}  // namespace cyclotome::scheme
