// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "cyclotome/rlwe/keys/keys.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "cyclotome/value/arrays/options.hpp"
#include "cyclotome/value/layout/layout.hpp"

// Integers wider than one plaintext modulus live modulo T = t_1 ... t_r: the same array of ciphertexts for each t_i, a
// *channel*. Every operation does the same in all of them; long ones go piece by piece along the batch.
namespace cyclotome::value {

using rlwe::Ciphertext;
using Channels = std::vector<Ciphertext>;

/// Ciphertexts of every plaintext modulus, and what stands where in them. What operations are made of; an
/// `EncryptedArray` adds how large the values are and which keys are at hand.
struct Placed {
  Channels channels;
  Layout layout;

  const rlwe::ContextPtr& context() const { return whole().channels.front().context(); }
  const rlwe::Parameters& parameters() const { return context()->parameters(); }
  /// This, unless it was moved from: there is a channel for each plaintext modulus.
  const Placed& whole() const {
    if (channels.empty()) [[unlikely]]
      refuse_moved_from();
    return *this;
  }
};

/// A part of a batch that is worked on at once.
struct Piece {
  std::size_t start, stop;
};
/// Parts that cover a batch of `total`, large enough for the engine to be busy with one and few enough to report.
std::vector<Piece> pieces(std::size_t total, const Engine& engine);
/// Those ciphertexts; a batch of one, which is broadcast, as it is.
Ciphertext part(const Ciphertext& a, const Piece& piece);

/// The ciphertext array of one channel for one piece of the batch.
using PieceOperation = std::function<Ciphertext(std::size_t channel, const Piece& piece)>;
/// `operation` of every channel and piece, joined. whole: all of the batch at once.
Channels in_pieces(const char* what, const rlwe::ContextPtr& context, std::size_t batch,
                   const PieceOperation& operation, const Options& options, bool whole = false);

/// The ciphertexts with these numbers, in this order; `a` itself if those are all of it.
Channels take(const Channels& a, const Indices& indices);
/// One batch after the other, channel by channel. Precondition: at least one.
Channels concatenate(const std::vector<Channels>& arrays);

/// The same ciphertexts transformed, which products with plaintexts then need not do for each of them.
Placed transformed(const Placed& x);

/// Products, of 3 parts, and relinearised ones; batches are equal or 1. `a` and `b` may be the same object: a square.
Channels multiply(const Channels& a, const Channels& b, const Options& options);
Channels multiply_relinearized(const Channels& a, const Channels& b, const rlwe::EvaluationKeys& keys,
                               const Options& options);
/// Products back to 2 parts, in as many primes as that takes, or in those given.
Channels relinearize(const Channels& a, const rlwe::EvaluationKeys& keys, const Options& options);
Channels relinearize(const Channels& a, const std::vector<rlwe::Level>& levels, const rlwe::EvaluationKeys& keys,
                     const Options& options);
/// The sum of all slots, in every slot.
Channels sum_slots(const Channels& a, const rlwe::EvaluationKeys& keys, const Options& options);
/// Groups of `count` neighbours of the batch, each added up.
Channels sum_groups(const Channels& a, std::size_t count);
/// The automorphisms x -> x^element, switched back to the secret key: one decomposition for all of them.
std::vector<Channels> apply_galois(const Channels& a, const std::vector<std::uint64_t>& elements,
                                   const rlwe::EvaluationKeys& keys, const Options& options);

}  // namespace cyclotome::value
