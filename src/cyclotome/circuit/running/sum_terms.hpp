// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>

#include "cyclotome/circuit/running/schedule.hpp"

namespace cyclotome::circuit {

/// Kinds of a sum's terms: those of a kind are gathered together.
enum Kind : std::size_t { earlier, two_parts, three_parts, fused, kinds };

/// The terms of a sum by kind.
using Terms = std::array<std::vector<Term>, kinds>;
/// How many there are of each, of earlier ones with three parts, and whether the sum is late. Sums of one signature
/// are computed together.
using Signature = std::array<std::size_t, kinds + 2>;

Terms terms_of(const Circuit& circuit, const Schedule& schedule, Wire sum);
/// Sums by their signature.
std::map<Signature, std::vector<Wire>> sums_alike(const Circuit& circuit, const Schedule& schedule,
                                                  std::span<const Wire> sums);

}  // namespace cyclotome::circuit
