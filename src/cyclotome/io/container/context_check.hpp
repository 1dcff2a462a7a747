// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/container.hpp"
#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::io {

/// Throws MismatchError unless the context has the container's parameters, and FormatError if the object would expand
/// beyond the container's limits. To be called before anything is allocated for it.
void require_loadable(const Container& container, const rlwe::Context& context);

}  // namespace cyclotome::io
