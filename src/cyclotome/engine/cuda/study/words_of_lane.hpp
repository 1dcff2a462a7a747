// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cyclotome {

/// How kernels spread wide numbers: so many words a lane, 2, 4 or 8, and 16 where 32 lanes hold no fewer. For tests and
/// measurements; by default what was fastest (doc/fermat.md).
void set_words_of_lane(unsigned words);
unsigned words_of_lane() noexcept;

}  // namespace cyclotome
