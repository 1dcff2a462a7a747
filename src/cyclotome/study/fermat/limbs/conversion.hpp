// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/study/fermat/limbs/narrow_conversion.hpp"

// Conversions from and to wide limbs. Wide residues are words[part][word][coefficient], the order of
// Engine::reconstruct; residues modulo word-sized moduli are residues[part][limb][coefficient] in 64-bit words. Both
// lie in host memory here.
namespace cyclotome::study::fermat {

/// FastBConv(x; q -> b) from a wide basis: out_j = g_j (sum over i of y_i q/q_i) mod b_j = g_j (x + a q) mod b_j,
/// 0 <= a < k. Every word of y is multiplied by its own weight and the sum reduced once; where all targets are short,
/// NarrowConversion does without y.
class FromWide {
 public:
  /// target: any moduli of 64-bit words. factors: g_j, or none for 1. Throws ParameterError for moduli of 32-bit words.
  FromWide(std::shared_ptr<const Punctured> source, Basis target, const std::vector<std::uint64_t>& factors = {});

  const Punctured& source() const noexcept { return *source_; }
  const std::shared_ptr<const Punctured>& source_pointer() const noexcept { return source_; }
  const Basis& target() const noexcept { return target_; }
  /// 2^(64 w) q/q_i g_j mod b_j: for each target, one of each word.
  const std::vector<std::uint64_t>& weights() const noexcept { return weights_; }
  /// One part: `in` of source().words() rows, `out` of a row for each modulus, `degree` words a row.
  void run(std::uint64_t* out, const std::uint64_t* in, std::size_t degree) const { run(out, in, degree, 0, degree); }
  /// The same of `count` coefficients from `first` on.
  void run(std::uint64_t* out, const std::uint64_t* in, std::size_t degree, std::size_t first, std::size_t count) const;

 private:
  std::shared_ptr<const Punctured> source_;
  Basis target_;
  std::vector<std::uint64_t> weights_;              ///< [target][word]
  std::shared_ptr<const NarrowConversion> narrow_;  ///< where it serves
};

/// The way back: sum over j of y_j B/b_j - a B modulo one limb's modulus, B the product of a word-sized basis. With
/// y_j = |x (B/b_j)^-1|_{b_j} that is x, given how often the sum wraps around B.
class ToLimb {
 public:
  /// source: pairwise coprime moduli of 64-bit words. factor: what x is multiplied by, modulo the limb's modulus.
  ToLimb(const Basis& source, const Limb& target, const BigUnsigned& factor = 1);

  /// (B/b_j)^-1 mod b_j: what makes y_j of x.
  static std::vector<std::uint64_t> inverses(const Basis& source);
  /// a for each coefficient, so that x is in [-B/2, B/2): round(sum of y_j/b_j) in 64-bit fixed point, exact unless
  /// x/B is within 2^-50 of 1/2.
  static ZeroisingVector<std::int64_t> centred_wraps(const Basis& source, const std::uint64_t* y, std::size_t degree);
  /// The same of `count` coefficients from `first` on.
  static void centred_wraps(std::int64_t* wraps, const Basis& source, const std::uint64_t* y, std::size_t degree,
                            std::size_t first, std::size_t count);

  /// out: rows of the limb's words alone. wraps: |a| < 2^62.
  void run(std::uint64_t* out, const std::uint64_t* y, const std::int64_t* wraps, std::size_t degree) const {
    run(out, y, wraps, degree, 0, degree);
  }
  /// The same of `count` coefficients from `first` on.
  void run(std::uint64_t* out, const std::uint64_t* y, const std::int64_t* wraps, std::size_t degree, std::size_t first,
           std::size_t count) const;

  const Limb& limb() const noexcept { return limb_.limb(); }
  std::size_t primes() const noexcept { return primes_; }
  /// Words of B/b_j for each j, then of B; and of what sums start from, so that wraps, moved up, are positive.
  const std::vector<std::uint64_t>& weights() const noexcept { return weights_; }
  const std::vector<std::uint64_t>& start() const noexcept { return start_; }
  static constexpr std::int64_t wrap_offset = std::int64_t{1} << 62;

 private:
  LimbArithmetic limb_;
  std::size_t primes_;
  std::vector<std::uint64_t> weights_;  ///< [word of the limb] of B/b_j for each j, then of B
  std::vector<std::uint64_t> start_;    ///< -2^62 B modulo the limb's modulus: what `wraps` are moved up by
};

/// Rows of a wide polynomial to words next to each other, and back: coefficients first ... first + count - 1.
void gather(std::uint64_t* out, const std::uint64_t* rows, std::size_t words, std::size_t degree, std::size_t first,
            std::size_t count);
void scatter(std::uint64_t* rows, const std::uint64_t* in, std::size_t words, std::size_t degree, std::size_t first,
             std::size_t count);
/// How many coefficients are worked on at a time: their words stay in the first cache.
std::size_t tile_of(std::size_t words) noexcept;

/// sum of a_w b_w modulo m, exactly: a of any words, `stride` words apart, b below 2^61; at most 2^32 of them. Eight
/// products fit two words.
inline std::uint64_t dot(const std::uint64_t* a, std::size_t stride, const std::uint64_t* b, std::size_t count,
                         const Modulus<std::uint64_t>& m) noexcept {
  u128 low = 0, high = 0;
  const auto take = [&](std::size_t first, std::size_t terms) {
    u128 sum = 0;
    for (std::size_t i = 0; i < terms; ++i) sum += static_cast<u128>(a[(first + i) * stride]) * b[first + i];
    low += static_cast<std::uint64_t>(sum);
    high += static_cast<std::uint64_t>(sum >> 64);
  };
  std::size_t first = 0;
  for (; first + 8 <= count; first += 8) take(first, 8);
  take(first, count - first);
  return m.add(m.reduce_wide(low), m.reduce_wide(static_cast<u128>(m.reduce_wide(high)) << 64));
}

}  // namespace cyclotome::study::fermat
