// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "bindings/bindings.hpp"
#include "cyclotome/ring/conversion/big_unsigned.hpp"

// Python integers of any size, exactly.
namespace cyclotome::python {

/// Words of 8 bytes, least significant first. Throws ArgumentError for other lengths.
std::vector<std::uint64_t> words_of(const nb::bytes& bytes);
nb::bytes bytes_of_words(std::span<const std::uint64_t> words);

/// Throws ArgumentError for a negative integer, or one of more than max_bits bits.
BigUnsigned big_of(const nb::int_& value, std::size_t max_bits);
nb::int_ int_of(const BigUnsigned& value);

}  // namespace cyclotome::python
