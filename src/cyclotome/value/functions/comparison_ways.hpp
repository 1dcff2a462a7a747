// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/functions/few_values.hpp"

// How differences are compared with 0: of the polynomials that do it over their range, the one with the fewest products
// that the noise of a channel carries. Each throws RangeError where there is none.
namespace cyclotome::value {

/// Whether d is 0; without a range, of anything modulo t.
ChannelFunction zero_function(const std::optional<Range>& range, const Ciphertext& channel);
/// Whether d is below 0.
ChannelFunction negative_function(const std::optional<Range>& range, const Ciphertext& channel);
/// Both: whether it is below 0, and whether it is 0.
ChannelFunction both_function(const std::optional<Range>& range, const Ciphertext& channel);

[[noreturn]] void refuse_range(const char* operation, const std::optional<Range>& range);

}  // namespace cyclotome::value
