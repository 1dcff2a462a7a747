// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "cyclotome/ring/conversion/base_conversion.hpp"
#include "cyclotome/study/fermat/limbs/wide_engine.hpp"
#include "cyclotome/study/fermat/products/ring_products.hpp"

namespace cyclotome::study::fermat {

/// A ciphertext's two or three polynomials, one after another.
using Parts = std::vector<std::uint64_t>;

/// What divides by q: decryption and products. All ways decrypt to the same messages.
class Scaling {
 public:
  virtual ~Scaling() = default;

  /// message (on the host) = round(t phase/q) mod t, n values. phase: in the engine's memory, as all rows here. The
  /// largest distance of t phase/q from an integer, in units of 2^-56; off by less than `peak_error()`.
  virtual std::uint64_t to_plain(std::uint64_t* message, const std::uint64_t* phase) const = 0;
  /// out = the three parts of round(t a b/q), a and b of two parts each, up to less than `rounding()` each.
  virtual void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b) const = 0;

  virtual double peak_error() const noexcept = 0;
  /// What decryption loses of its limit 1/2, as a fraction of q/t.
  virtual double slack() const noexcept = 0;
  /// Units that a part of a product may be off by, chosen by whoever computes; 0: it is rounded.
  virtual double rounding() const noexcept = 0;
  /// How much longer factors may be than q/2: a factor of 1 + excess().
  virtual double excess() const noexcept = 0;

  /// Pairs of a coefficient and a limb that FastBConv's first half was computed for, as paper 003 counts what it saves:
  /// n k in a decryption, 7 n k in a product.
  std::uint64_t conversions() const noexcept { return conversions_; }

 protected:
  void count(std::uint64_t conversions) const noexcept {
    conversions_.fetch_add(conversions, std::memory_order_relaxed);
  }

 private:
  mutable std::atomic<std::uint64_t> conversions_ = 0;
};

/// What all ways are made of.
struct ScalingSetup {
  EnginePtr engine;
  WideEnginePtr wide;
  std::shared_ptr<const WideRing> ring;
  std::shared_ptr<const LimbProducts> products;  ///< of two residues, sums of two
  std::uint64_t plain_modulus;
  std::shared_ptr<const RingProducts> ring_products = nullptr;  ///< instead of `products`, where another way is chosen
};

/// As paper 003 does it: BEHZ (specification 5.4 and 5.5), everything from q by FastBConv.
std::unique_ptr<Scaling> make_behz_scaling(const ScalingSetup& setup, std::shared_ptr<const Punctured> punctured);

/// Positional, for one limb of at least 64 bits: t X/(2^g - 1) is rounded by a shift and a small correction, products
/// are exact integers first. No FastBConv, no B_sk, no gamma.
std::unique_ptr<Scaling> make_positional_scaling(const ScalingSetup& setup);

/// out (3 parts) = the product of a and b, two parts each, as polynomials in the secret key; transforms.
void multiply_parts(Engine& engine, View out, ConstView a, ConstView b);

}  // namespace cyclotome::study::fermat
