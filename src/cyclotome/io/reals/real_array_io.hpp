// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/container.hpp"
#include "cyclotome/value/reals/real_array.hpp"

namespace cyclotome::io {

/// The array whole. Keys that it carries are not written. Throws ArgumentError for metadata that is too long.
Bytes serialize(const value::RealArray& array, std::span<const std::uint8_t> metadata = {});
/// Throws FormatError for a container of another kind or with bad contents, MismatchError if the context has other
/// parameters.
value::RealArray read_real_array(const Container& container, const rlwe::ContextPtr& context);

}  // namespace cyclotome::io
