// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/scheme/bgv/context.hpp"

namespace cyclotome::bgv {

/// What a product's program depends on, besides the context.
struct ProductShape {
  rlwe::PlainIndex plain;
  rlwe::Level level;             ///< that it is formed at
  rlwe::Level level_a, level_b;  ///< the operands' own, from which they are switched down
  bool square;                   ///< there is no second factor
  bool one_a, one_b;             ///< this factor is one ciphertext for all items
  bool relinearized;
};

/// out = a b, transforms. Operands: out (3 parts, 2 if relinearised), a, b (not of a square), key (if relinearised).
ExecutionPtr product(const Context& context, const ProductShape& shape);
/// Operands: out at level `to`, c of so many parts at level `from`.
ExecutionPtr level_switch(const Context& context, rlwe::PlainIndex plain, std::size_t parts, rlwe::Level from,
                          rlwe::Level to);
/// Operands: out (2 parts, lower), c (3 parts), key. A division by the special primes and those that go.
ExecutionPtr relinearization_to_level(const Context& context, rlwe::PlainIndex plain, rlwe::Level from, rlwe::Level to);
/// Operands: message (secret), peaks of the phase, ciphertext of so many parts at a level, s. factor: what takes the
/// phase to the message, modulo t.
ExecutionPtr decryption(const Context& context, rlwe::PlainIndex plain, rlwe::Level level, std::size_t parts,
                        std::uint64_t factor);
/// The last part of it. Operands: message (secret), peaks of the phase, phase.
ExecutionPtr reduction(const Context& context, rlwe::PlainIndex plain, rlwe::Level level, std::uint64_t factor);

}  // namespace cyclotome::bgv
