// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/composites.hpp"

#include "cyclotome/program/lifts.hpp"

namespace cyclotome::bfv {

using program::Builder;
using program::Slice;

void hps_lift(Builder& b, const Slice& first, const Slice& second, const Slice& x, const Slice& y,
              const HpsProduct& step) {
  program::hps_lift(b, first, second, x, y, {step.auxiliary_ring, step.extend, step.exchange, step.restore});
}

void behz_lift(Builder& b, const Slice& out, const Slice& x, const BehzLift& step) {
  program::behz_lift(b, out, x, {step.extended, step.first, step.correction});
}

void behz_scale(Builder& b, const Slice& out, const Slice& a, const BehzScale& step) {
  program::behz_scale(b, out, a,
                      {step.auxiliary, step.restored, step.floor_term, step.floor_factors, step.restore, step.excess});
}

void scale_to_plain(Builder& b, const Slice& out, const Slice& numbers, const Slice& a, const PlainScale& step) {
  program::scale_to_plain(b, out, numbers, a, {step.extended, step.scale, step.correction});
}

}  // namespace cyclotome::bfv
