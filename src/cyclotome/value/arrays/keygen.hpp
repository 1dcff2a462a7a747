// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "cyclotome/rlwe/keys/keys.hpp"

namespace cyclotome::value {

/// Rows and columns of a public matrix, as `matrix @ x` meets it; transposed for `x @ matrix`.
struct MatrixShape {
  std::size_t rows = 0;     ///< at least 1
  std::size_t columns = 0;  ///< at least 1
};

/// Which evaluation keys `keygen` makes: what the evaluating side will be able to do.
struct KeyOptions {
  /// Whether encrypted values can be multiplied with each other.
  bool relinearization = true;
  /// Steps by which the slots of a row can be rotated by one key switch, to the right if negative. None: those that
  /// sums over slots take, which serve every other rotation by several key switches; of bits also those of `roll`,
  /// `frobenius` and `trace`.
  std::optional<std::vector<std::int64_t>> rotations = std::nullopt;
  /// Whether the two rows of slots can be swapped, which sums over slots take too. None: if `rotations` is none.
  std::optional<bool> columns = std::nullopt;
  /// Further automorphisms x -> x^g: those of `trace_elements` for traces, `expand` and packing.
  std::vector<std::uint64_t> galois_elements = {};
  /// Public matrices whose products with packed arrays shall be as fast as they can be. Those of sums will do for every
  /// shape, with more key switches.
  std::vector<MatrixShape> matrices = {};
  /// Whether arrays can be refreshed (refreshing.hpp): rotations for it, and keys that lead through a sparse secret.
  /// Parameters have to be made for it, such as bootstrappable_parameters.
  bool bootstrap = false;
};

/// What belongs to one secret key.
struct Keys {
  rlwe::SecretKey secret;           ///< decrypts; stays with its owner
  rlwe::PublicKey public_key;       ///< encrypts; for everybody
  rlwe::EvaluationKeys evaluation;  ///< multiplies, rotates and sums; for whoever computes, who can't decrypt with it
};

/// The Galois elements of the automorphisms that these options ask for, ascending. Throws ArgumentError for a rotation
/// that moves nothing (0 modulo the slots in a row), rotations of bits, whose slots are no rows, a matrix without
/// values or parameters without two rows of slots of integers for it, and an element that is no automorphism of the
/// ring; UnsupportedError for parameters that can't be refreshed.
std::vector<std::uint64_t> galois_elements(const rlwe::Parameters& parameters, const KeyOptions& options);

/// A secret key and everything that belongs to it, with randomness from the operating system:
///
///     const auto [secret, public_key, evaluation] = keygen(context, {.rotations = {{1, -1}}});
///
/// Throws what `galois_elements` does; MemoryLimitError for keys that don't fit into memory, before any is made; and
/// EngineError if there is no randomness; SecurityError to refresh where no sparse secret is known to be secure.
Keys keygen(const rlwe::ContextPtr& context, const KeyOptions& options = {});

}  // namespace cyclotome::value
