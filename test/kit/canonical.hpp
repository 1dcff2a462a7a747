// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cyclotome/program/program.hpp"
#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::kit {

struct NamedProgram {
  std::string name;
  program::ProgramPtr program;
};

/// The programs of all operations of a scheme with some parameters. New operations are to be added here: every engine
/// is held to them.
std::vector<NamedProgram> canonical_programs(const rlwe::ContextPtr& context);

/// Contexts of small degree: both schemes, words, with special primes, several digits and without any, one and two
/// plaintext moduli, and primes so small that what is divided by the special one shows. Their engine computes nothing.
struct NamedContext {
  std::string name;
  rlwe::ContextPtr context;
};
std::vector<NamedContext> small_contexts(std::size_t degree);

}  // namespace cyclotome::kit
