// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/program/program.hpp"

// Composites of schemes that engines compute at once: their constants, read out of a program. What a scheme means by
// them is on its own pages; what engines take them for is written in readers.cpp, and a composite that differs in any
// operation is not read.
namespace cyclotome {

/// first (over q p) = x, second (over q p) = round(p y / q), from x and y over q; outs: first, second; ins: x, y.
struct HpsLift {
  const BaseConversion &extend, &exchange, &restore;  ///< q -> p; q -> p, times p/q; p -> q
};
std::optional<HpsLift> read_hps_lift(const program::Program& program, const program::Composite& composite);

/// out (over B) = x (over q) plus a small multiple of q, by way of B and one modulus more; outs: out; ins: x.
struct BehzExtension {
  const BaseConversion &first, &correction;  ///< q -> B and m~; m~ -> B
};
std::optional<BehzExtension> read_behz_lift(const program::Program& program, const program::Composite& composite);

/// out (over q) = floor(t a / q) up to a small error, a over q, then B and m_sk; outs: out; ins: a.
struct BehzDivision {
  const BaseConversion& floor_term;  ///< q -> B, m_sk
  const std::vector<std::uint64_t>& floor_factors;
  const BaseConversion &restore, &excess;  ///< B -> q, m_sk; m_sk -> q
};
std::optional<BehzDivision> read_behz_scale(const program::Program& program, const program::Composite& composite);

/// out (over t) = round(t a / q) mod t, numbers = peaks of a modulo gamma; outs: out, numbers; ins: a.
struct PlainRounding {
  const BaseConversion &scale, &correction;  ///< q -> t, gamma; gamma -> t
};
std::optional<PlainRounding> read_scale_to_plain(const program::Program& program, const program::Composite& composite);

}  // namespace cyclotome
