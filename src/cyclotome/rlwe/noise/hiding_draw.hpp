// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/context.hpp"

// Uniform residues that hide a secret by their law, not by a lattice problem: flooding, and the polynomials of Shamir's
// sharing. One draw of Law::uniform is floor(r q / 2^128), whose law is up to q 2^-130 from the uniform one: 2^-50 for
// all residues of a polynomial, where flooding promises 2^-64 and more.
namespace cyclotome::rlwe {

/// How many draws are summed. Their distances d from the uniform law multiply: that of the sum of k independent ones is
/// at most 2^(k-1) d^k, since what is uniform stays so whatever is added to it.
inline constexpr std::uint32_t hiding_draws = 3;

/// Fills `out` with such sums modulo each modulus: up to 4 (2^-69)^3 < 2^-204 from uniform a residue, below 2^-178 for
/// as many as 2^26 of them. The stream's items from 0 to 3 out.batch - 1 are spent. Alike on every engine, constant
/// time. Streams count as uniform here: that ChaCha20's are is assumed.
void draw_to_hide(const Context& context, View out, const Seed& seed, Stream stream);

}  // namespace cyclotome::rlwe
