// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/rlwe/keys/keys.hpp"

// What keys are made of, whoever chooses the seeds: the key's owner (key_generation.cpp), or the parties of a joint key
// (threshold_keys.cpp), whose uniform halves are common. Seeds are derived ones.
namespace cyclotome::rlwe {

/// Whether errors must pass the check of public keys' errors (key_check.hpp).
enum class ErrorCheck : bool { none, required };

/// The first secret of a seed that is fit. use: is given each that was drawn before it is known whether it is, and
/// keeps the last; what it asks of the engine meanwhile is for nothing where it is not fit.
void until_fit_secret(const ContextPtr& context, const Seed& seed, const std::function<void(PolyArray)>& use);
/// The same, transformed over PQ.
PolyArray fit_secret(const ContextPtr& context, const Seed& seed);

/// Errors (sigma 3.24) times what keys' errors are multiples of: `batch` items of 1 part over PQ, transformed. Not
/// checked.
PolyArray key_errors(const Context& context, std::size_t batch, const Seed& seed);

/// Fills `pair` (any batch, 2 parts, transform domain) with (-(a s + e), a), a from `uniform_seed`.
void fill_zero_encryptions(const SecretKey& secret, PolyArray& pair, const PublicSeed& uniform_seed,
                           const Seed& error_seed, ErrorCheck check);

/// Adds P g_j w to part 0 of item j, for every digit j. target: w over PQ, transformed, 1 part.
void add_gadget_multiples(const Context& context, View pairs, ConstView target);

}  // namespace cyclotome::rlwe
