// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/program/builder.hpp"

// Lifts and roundings between bases that BFV's products and decryption are made of (specification 5.4 to 5.6), as
// composites: by their conversions alone, so that no scheme's tables are needed to write one or to read one back.
// Writers and readers as in composites.hpp. scheme/bfv/composites.hpp says which constants make them right.
namespace cyclotome::program {

/// first (over q p) = x, second (over q p) = round(p y / q), from x and y over q; outs: first, second; ins: x, y.
struct HpsLift {
  RingPtr auxiliary;                                  ///< p
  const BaseConversion &extend, &exchange, &restore;  ///< q -> p; q -> p, times p/q; p -> q
};
void hps_lift(Builder& b, const Slice& first, const Slice& second, const Slice& x, const Slice& y, const HpsLift& lift);
std::optional<HpsLift> read_hps_lift(const Program& program, const Composite& composite);

/// out (over B) = x (over q) plus a small multiple of q, by way of B and one modulus more; outs: out; ins: x.
struct BehzExtension {
  RingPtr extended;                          ///< B, then m~
  const BaseConversion &first, &correction;  ///< q -> B and m~; m~ -> B
};
void behz_lift(Builder& b, const Slice& out, const Slice& x, const BehzExtension& lift);
std::optional<BehzExtension> read_behz_lift(const Program& program, const Composite& composite);

/// out (over q) = floor(t a / q) up to a small error, a over q, then B and m_sk; outs: out; ins: a.
struct BehzDivision {
  RingPtr auxiliary, restored;       ///< B and m_sk; q and m_sk
  const BaseConversion& floor_term;  ///< q -> B, m_sk
  const std::vector<std::uint64_t>& floor_factors;
  const BaseConversion &restore, &excess;  ///< B -> q, m_sk; m_sk -> q
};
void behz_scale(Builder& b, const Slice& out, const Slice& a, const BehzDivision& division);
std::optional<BehzDivision> read_behz_scale(const Program& program, const Composite& composite);

/// out (over t) = round(t a / q) mod t, numbers = peaks of a modulo gamma; outs: out, numbers; ins: a.
struct PlainRounding {
  RingPtr extended;                          ///< t, then gamma
  const BaseConversion &scale, &correction;  ///< q -> t, gamma; gamma -> t
};
void scale_to_plain(Builder& b, const Slice& out, const Slice& numbers, const Slice& a, const PlainRounding& rounding);
std::optional<PlainRounding> read_scale_to_plain(const Program& program, const Composite& composite);

}  // namespace cyclotome::program
