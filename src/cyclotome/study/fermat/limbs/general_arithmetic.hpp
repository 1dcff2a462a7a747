// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cyclotome::study::fermat {

/// Products and remainders of integers of any shape: what paper 003 replaces by shifts. GMP's low-level functions where
/// the system has them, else the schoolbook's. Not constant-time: a baseline to measure against.
class GeneralArithmetic {
 public:
  /// The schoolbook's, of this library.
  static const GeneralArithmetic& own() noexcept;
  /// GMP's, or null where there is no libgmp of 64-bit words.
  static const GeneralArithmetic* gmp() noexcept;
  /// GMP's where there is one.
  static const GeneralArithmetic& best() noexcept { return gmp() != nullptr ? *gmp() : own(); }

  /// "GMP 6.3.0", "schoolbook".
  const char* name() const noexcept { return name_; }

  /// out (a.size() + b.size() words) = a b; out is neither. Neither is empty.
  void multiply(std::uint64_t* out, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) const;
  /// out (divisor.size() words) = value mod divisor, whose last word is not 0. scratch holds
  /// scratch_words(value.size()) words.
  void remainder(std::uint64_t* out, std::span<const std::uint64_t> value, std::span<const std::uint64_t> divisor,
                 std::uint64_t* scratch) const;
  static std::size_t scratch_words(std::size_t value_words) noexcept { return 3 * value_words + 4; }

 private:
  using Multiply = std::uint64_t(std::uint64_t*, const std::uint64_t*, std::ptrdiff_t, const std::uint64_t*,
                                 std::ptrdiff_t);
  using Divide = void(std::uint64_t*, std::uint64_t*, std::ptrdiff_t, const std::uint64_t*, std::ptrdiff_t,
                      const std::uint64_t*, std::ptrdiff_t);
  GeneralArithmetic(const char* name, Multiply* product, Divide* division) noexcept
      : name_(name), multiply_(product), divide_(division) {}

  const char* name_;
  Multiply* multiply_;
  Divide* divide_;
};

/// GMP's functions as its manual declares them, for machines whose limbs have 64 bits: looked up in libgmp when they
/// are first asked for, so that nothing is linked. Where gmp.h is installed, test/cpp/study/test_fermat_limbs.cpp
/// compares the types.
namespace gmp_functions {
using MpnMul = std::uint64_t(std::uint64_t* rp, const std::uint64_t* s1p, std::ptrdiff_t s1n, const std::uint64_t* s2p,
                             std::ptrdiff_t s2n);
using MpnTdivQr = void(std::uint64_t* qp, std::uint64_t* rp, std::ptrdiff_t qxn, const std::uint64_t* np,
                       std::ptrdiff_t nn, const std::uint64_t* dp, std::ptrdiff_t dn);
}  // namespace gmp_functions

}  // namespace cyclotome::study::fermat
