// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cyclotome/ring/view.hpp"
#include "cyclotome/rlwe/switching/level.hpp"

// What a scheme is to everything that serves several: parameters, contexts, planning and files ask these objects, and
// nothing asks which scheme it is.
namespace cyclotome {

class Engine;

namespace rlwe {

class Context;
class NoiseModel;
class Parameters;
class Scheme;
struct LatticeParameters;

/// What the parameters of a scheme have beside the lattice. Immutable.
class SchemePart {
 public:
  virtual ~SchemePart() = default;
  /// As numbers: what files hold, and what Scheme::make_part makes an equal part of.
  virtual std::vector<std::uint64_t> numbers() const = 0;
  /// Moduli of the rings that plaintexts are polynomials over; at least one.
  virtual const std::vector<std::uint64_t>& plain_moduli() const noexcept = 0;
  /// A line of the canonical text that the fingerprint is a hash of, such as "plain 65537,114689".
  virtual std::string describe() const = 0;
  /// For people, such as "t=65537,114689".
  virtual std::string summary() const = 0;
};

/// Shared, since parameters are copied.
using SchemePartPtr = std::shared_ptr<const SchemePart>;

/// How many parts a ciphertext can have: in memory and in files.
struct PartRange {
  /// Both count.
  std::size_t least, most;
};

/// The work of one product, for planning: transforms of a ciphertext prime, and terms of base conversions for each
/// pair of them. Both 0 where the scheme has no product.
struct ProductCost {
  /// As said above.
  double transforms, terms;
};

/// What a ciphertext means. One object for each scheme, without state, that lives as long as the process: schemes are
/// told apart by their addresses. scheme/registry.hpp finds them by name and number.
class Scheme {
 public:
  Scheme(const Scheme&) = delete;
  Scheme& operator=(const Scheme&) = delete;
  virtual ~Scheme() = default;

  /// As users write it, in lower case; part of the fingerprint.
  virtual std::string_view name() const noexcept = 0;
  /// The name in capitals, for sentences.
  std::string title() const;
  /// In files: 1 to 255, never given twice. 1 is bfv, 2 is bgv.
  virtual std::uint8_t id() const noexcept = 0;

  // --- parameters ----------------------------------------------------------------------------------------------------
  /// Throws ParameterError for numbers that make no part of this scheme.
  virtual SchemePartPtr make_part(std::vector<std::uint64_t> numbers) const = 0;
  /// Throws ParameterError unless a part that this scheme made fits the lattice.
  virtual void check(const LatticeParameters& lattice, const SchemePart& part) const = 0;
  /// What every error is a multiple of: the plaintext modulus where messages stand in the low digits of the phase, so
  /// that divisions must keep residues modulo it; 1 where they stand in the high ones.
  virtual std::uint64_t error_multiple(const SchemePart& part, PlainIndex plain) const = 0;

  // --- ciphertexts ---------------------------------------------------------------------------------------------------
  /// The domain that ciphertexts are kept in, in memory and in files: where products need them.
  virtual Domain native_domain() const noexcept = 0;
  /// Whether ciphertexts have fewer primes than the parameters as computations go on.
  virtual bool has_levels() const noexcept { return false; }
  /// Whether ciphertexts can be switched to fewer primes when they are told to, in memory and in files.
  virtual bool drops_primes() const noexcept { return has_levels(); }
  /// Whether they can come back to all primes, multiplied by those that were dropped: then key switches are computed in
  /// as few as the noise allows.
  virtual bool raises_levels() const noexcept { return false; }
  /// Whether two ciphertexts can be multiplied.
  virtual bool has_products() const noexcept { return true; }
  /// Parameters on an engine, and the operations. Throws ParameterError for parameters of another scheme.
  virtual std::shared_ptr<const Context> make_context(const Parameters& parameters,
                                                      const std::shared_ptr<Engine>& engine) const = 0;

  // --- planning ------------------------------------------------------------------------------------------------------
  /// How noise grows before there are keys or ciphertexts. The parameters must outlive it.
  virtual std::unique_ptr<const NoiseModel> noise_model(const Parameters& parameters, PlainIndex plain) const = 0;
  virtual ProductCost product_cost() const noexcept = 0;

  // --- files ---------------------------------------------------------------------------------------------------------
  /// How many parts its ciphertexts can have.
  virtual PartRange ciphertext_parts() const noexcept { return {2, 3}; }
  /// Why a file's ciphertext can't have this correction factor, a unit modulo t: "not 1, as in BFV". Empty if it can.
  virtual std::string refuse_correction(const Parameters& parameters, PlainIndex plain, std::uint64_t correction) const;
  /// Why public and evaluation keys of an older format version can't be computed with; empty if they can.
  virtual std::string refuse_keys(const Parameters& parameters, std::uint16_t version) const;

 protected:
  Scheme() = default;
};

}  // namespace rlwe

}  // namespace cyclotome
