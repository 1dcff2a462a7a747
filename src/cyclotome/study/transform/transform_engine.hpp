// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/engine.hpp"
#include "cyclotome/study/transform/design.hpp"

namespace cyclotome::study {

/// An engine that computes as `host` does, whose memory this processor addresses, but transforms by `design`: the same
/// steps as on a GPU, one thread of it after another, limbs on the host's threads. Every scheme runs on it, with the
/// same bits; it is for studying designs, and slow. It is a DesignTransforms too. Its name is the host's with the
/// design's: "cpu/d5". No branch or address depends on residues. Of rings it takes x^n + 1, without gaps between limbs,
/// of degrees that the design supports (EngineError for a ring of another kind, ArgumentError for another degree).
EnginePtr make_transform_engine(TransformDesign design, EnginePtr host);

}  // namespace cyclotome::study
