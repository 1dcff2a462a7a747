// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/value/layout/layout.hpp"

// Memory is announced before it is taken (require_memory): how much, how much of it is padding, and how to do with
// less. All throw MemoryLimitError.
namespace cyclotome::value {

/// Fresh ciphertexts of a layout. spare: what working memory takes, in arrays of one channel.
void announce_fresh(const char* operation, const rlwe::Context& context, const Layout& layout, double spare);

/// `rest` more ciphertexts like those that were `made` first.
void announce_rest(const char* what, const rlwe::Ciphertext& made, std::size_t rest);

}  // namespace cyclotome::value
