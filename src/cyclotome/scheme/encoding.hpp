// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"

namespace cyclotome {

/// Plaintexts from residues, for every scheme whose plaintext space is its ring modulo t. Values are signed integers
/// that stand for their residues modulo one t, and so does whatever is computed with them: results wrap around, and
/// nothing notices. Exact integers are `value::EncryptedArray`. Decoding gives representatives in [-t/2, t/2). A batch
/// item holds up to values_of values.
///
/// Encoding takes |value| <= t/2 (RangeError names the value otherwise), unless `reduce` asks for reduction modulo t,
/// which is how a wide value is spread over several plaintext moduli. For even t the two ends are one residue: t/2 is
/// decoded as -t/2, and the bit 1 modulo 2 as -1.
///
/// Modulo 2 over Phi_m slots and constants are elements of GF(2^r) instead (ring/tables/field_slots.hpp): the numbers 0
/// to 2^r
/// - 1, bit i the coefficient of y^i, of which 0 and 1 are bits. Others are a RangeError, and nothing is reduced.
struct Encoding {
  /// Where values stand.
  enum class Kind : std::uint8_t {
    slots,         ///< value i in slot i: sums and products act value by value. Needs a transform modulo t, of the
                   ///< ring or of the subring in y = x^(n/k) that parameters().slot_ring() names: then the values are
                   ///< constants in k slots of degree n/k, and all coefficients but those of powers of y are 0.
    coefficients,  ///< value i in the coefficient of x^i: products are those of polynomials.
    constants      ///< rows of one value, a constant polynomial: in every slot.
  };
};

/// How many values of a kind a polynomial holds: parameters().slots(), n, or 1.
std::size_t values_of(const rlwe::Context& context, Encoding::Kind kind);

/// values: items rows of `width` <= values_of values (shorter rows are padded with zeros).
rlwe::Plaintext encode_residues(const rlwe::ContextPtr& context, rlwe::PlainIndex plain, Encoding::Kind kind,
                                std::span<const std::int64_t> values, std::size_t items, std::size_t width,
                                bool reduce = false);

/// values_of values for each batch item, row after row, in [-t/2, t/2).
std::vector<std::int64_t> decode_residues(const rlwe::Plaintext& plaintext, Encoding::Kind kind);

}  // namespace cyclotome
