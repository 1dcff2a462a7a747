// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cyclotome/rlwe/context.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

// The polynomials of a dealer, and the linear functionals by which receivers hold a share to them: what
// verified_dealing.hpp computes, without who says it to whom. This header is not installed.
namespace cyclotome::rlwe {

/// Rows for these primes: as many as make q^rows at least 2^row_bits for each of them.
std::size_t dealing_rows(std::span<const std::uint64_t> primes);
inline constexpr unsigned row_bits = 192;

/// A dealer's polynomials: f over R_Q and masks G_r over each prime, degree t - 1, with randomness of the operating
/// system.
class DealingPolynomials {
 public:
  /// constant: f(0), 1 item of 1 part over Q, transformed; none: zero, and G_r(0) = 0 then, so that everybody sees it.
  DealingPolynomials(ContextPtr context, std::size_t threshold, const std::optional<ConstView>& constant);

  /// f(x) and all G_r(x) as bytes: residues as they lie in memory, then u64 by prime and row.
  ZeroisingVector<std::uint8_t> packed_at(std::uint32_t point) const;
  /// <r, f> + G_r for the rows of a challenge: prime, then row, then coefficient.
  std::vector<std::uint64_t> functionals(const PublicSeed& challenge) const;

 private:
  std::uint64_t mask(std::size_t limb, std::size_t row, std::size_t coefficient) const;

  ContextPtr context_;
  std::size_t threshold_, rows_;
  PolyArray f_;
  ZeroisingVector<std::uint64_t> masks_;
};

/// The share in such bytes, if it fits the functionals; none for bytes of another length, residues beyond their primes,
/// and a share that is off.
std::optional<PolyArray> checked_share(const ContextPtr& context, std::size_t threshold,
                                       std::span<const std::uint8_t> packed, std::uint32_t point,
                                       const PublicSeed& challenge, std::span<const std::uint64_t> functionals);

/// What a dealer must show of f(0).
enum class Constant : bool { any, zero };
/// What is wrong with functionals by themselves: their number, residues beyond primes, or a constant that should be 0.
std::string functionals_fault(const Context& context, std::size_t threshold, Constant constant,
                              std::span<const std::uint64_t> functionals);

}  // namespace cyclotome::rlwe
