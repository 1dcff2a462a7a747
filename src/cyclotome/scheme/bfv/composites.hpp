// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/program/builder.hpp"
#include "cyclotome/scheme/bfv/behz.hpp"
#include "cyclotome/scheme/bfv/hps.hpp"

// BFV's lifts and roundings: composites that engines may compute at once (program/lifts.hpp has what they are made of)
// with the constants that make them right.
namespace cyclotome::bfv {

/// The factors of a product by HPS over Q (specification 5.6) over q then p: first = x, second = round(p y / q), from x
/// and y over q, coefficients.
void hps_lift(program::Builder& b, const program::Slice& first, const program::Slice& second, const program::Slice& x,
              const program::Slice& y, const HpsProduct& step);
/// out (over B_sk) = x (over q) plus a multiple of q that is at most a few units: BEHZ S0 and S1 (specification 5.5).
void behz_lift(program::Builder& b, const program::Slice& out, const program::Slice& x, const BehzLift& step);
/// out (over q) = floor(t a / q) up to the small BEHZ error, a over q then B_sk: BEHZ S3 and S4 (specification 5.5).
void behz_scale(program::Builder& b, const program::Slice& out, const program::Slice& a, const BehzScale& step);
/// out (over t) = round(t a / q) mod t, a over q, coefficients, 1 part: BEHZ decryption (specification 5.4). numbers:
/// `peak_of` the largest distance of t a / q from an integer, as it shows modulo gamma: off by less than (k + 1)/gamma.
void scale_to_plain(program::Builder& b, const program::Slice& out, const program::Slice& numbers,
                    const program::Slice& a, const PlainScale& step);

}  // namespace cyclotome::bfv
