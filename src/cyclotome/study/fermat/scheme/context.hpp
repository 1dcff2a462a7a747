// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/fermat/products/special_modulus.hpp"
#include "cyclotome/study/fermat/scheme/parameters.hpp"
#include "cyclotome/study/fermat/scheme/scaling.hpp"

namespace cyclotome::study::fermat {

class Context;
using ContextPtr = std::shared_ptr<const Context>;

/// How q is divided by and decomposed: paper 003's four versions of conversion, or none at all. Versions of one basis
/// give the same bits but for `positional`, whose products are rounded instead of floored.
enum class Variant : std::uint8_t { none, multiplication, reduction, both, positional };
/// "none", "multiplication", "reduction", "both", "positional".
std::string name_of(Variant variant);
/// Throws ArgumentError for an unknown name.
Variant variant_of(const std::string& name);

/// Checked parameters with all that is computed from them, on an engine. Immutable and shared; the engine multiplies
/// polynomials and keeps B_sk, m~ and t, and beside it a WideEngine computes what is wide.
class Context : public std::enable_shared_from_this<Context> {
 public:
  /// variant: positional where there is one limb, else both. products: how ciphertexts are multiplied modulo limbs;
  /// by primes alone for positional. arithmetic: what replaces shifts. Throws as Parameters and
  /// make_positional_scaling do; MemoryLimitError where the relinearisation key would not fit in memory.
  static ContextPtr create(const Parameters& parameters, EnginePtr engine,
                           std::optional<Variant> variant = std::nullopt,
                           ProductMethod products = ProductMethod::fastest,
                           const GeneralArithmetic& arithmetic = GeneralArithmetic::best());

  const Parameters& parameters() const noexcept { return parameters_; }
  const EnginePtr& engine() const noexcept { return engine_; }
  /// Wide words beside that engine.
  const WideEngine& wide() const noexcept { return *wide_; }
  Variant variant() const noexcept { return variant_; }
  ProductMethod product_method() const noexcept { return product_method_; }
  std::size_t degree() const noexcept { return parameters_.degree(); }
  const WideRing& ring() const noexcept { return *ring_; }
  const Scaling& scaling() const noexcept { return *scaling_; }
  const MessageScale& message_scale() const noexcept { return message_scale_; }
  /// Z_t[x]/(x^n + 1); it has slots where it has a transform.
  const RingPtr& plain_ring() const noexcept { return plain_ring_; }
  /// Products with secrets, with plaintexts, and with digits of relinearisation.
  const LimbProducts& secret_products() const noexcept { return *secret_products_; }
  const LimbProducts& plain_products() const noexcept { return *plain_products_; }
  const LimbProducts& digit_products() const noexcept { return *digit_products_; }
  /// P of hybrid key switching, which `digit_products` divide by on their way back; null for none.
  const SpecialModulus* special() const noexcept { return special_.get(); }
  /// A row of integers drawn as the library draws them, and checked where keys are: n values.
  ZeroisingVector<std::int64_t> draw(Law law, const Seed& seed, Stream stream, std::uint32_t item) const;
  Law error_law() const noexcept { return parameters_.error() == ErrorLaw::standard ? Law::error : Law::ternary; }
  /// One polynomial modulo a prime of 30 bits, uninitialised: for the checks of keys.
  PolyArray empty_small(bool secret) const;
  /// The same as `draw` in such a polynomial.
  PolyArray draw_polynomial(Law law, const Seed& seed, Stream stream, std::uint32_t item) const;
  /// |c (q/q_i)^-1|_{q_i} in all limbs: D_RNS, in this variant, in the engine's memory. y is not c. Counted.
  void decompose(std::uint64_t* y, const std::uint64_t* c) const;
  /// Conversions of decryption, products and relinearisation so far, as paper 003 counts them.
  std::uint64_t conversions() const noexcept { return scaling_->conversions() + decompositions_; }

  /// Bound of a product's noise before relinearisation, what that adds, and the limit of decryption (log2).
  rlwe::NoiseBound product_noise(const rlwe::NoiseBound& a, const rlwe::NoiseBound& b) const;
  rlwe::NoiseBound relinearization_noise() const;
  double log2_noise_limit() const;
  /// Bits that a bound may grow until decryption refuses.
  double headroom(const rlwe::NoiseBound& noise) const;

 private:
  Context(const Parameters& parameters, EnginePtr engine, Variant variant, ProductMethod products,
          const GeneralArithmetic& arithmetic);

  Parameters parameters_;
  EnginePtr engine_;
  WideEnginePtr wide_;
  Variant variant_;
  ProductMethod product_method_;
  std::shared_ptr<const WideRing> ring_;
  std::shared_ptr<const Punctured> punctured_;
  MessageScale message_scale_;
  RingPtr plain_ring_, small_ring_;
  std::shared_ptr<const LimbProducts> secret_products_, plain_products_, digit_products_;
  std::unique_ptr<const SpecialModulus> special_;
  std::unique_ptr<Scaling> scaling_;
  WideStep decompose_;
  mutable std::atomic<std::uint64_t> decompositions_ = 0;
};

/// Residues modulo the first prime of a polynomial as small integers.
ZeroisingVector<std::int64_t> centred_residues(const PolyArray& polynomial);

/// Throws MismatchError unless both are one context.
void require_same_context(const char* operation, const Context& a, const Context& b);

}  // namespace cyclotome::study::fermat
