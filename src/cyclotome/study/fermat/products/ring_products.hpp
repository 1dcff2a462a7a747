// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/fermat/products/limb_products.hpp"

namespace cyclotome::study::fermat {

/// How two polynomials modulo a wide limb are multiplied. All give the same residues.
enum class ProductMethod : std::uint8_t {
  primes,      ///< modulo many primes, each word times its weight: the square of the limb's words for the way and back
  tree,        ///< the same primes by trees of remainders and products: general arithmetic on halves
  kronecker,   ///< as two integers, coefficients as their digits
  schoenhage,  ///< transforms modulo 2^N + 1 with powers of two for roots (Schoenhage and Strassen, 1971)
  fastest      ///< by what was measured (doc/fermat.md): schoenhage for limbs of at least 8n bits, else primes
};
inline constexpr ProductMethod product_methods[] = {ProductMethod::primes, ProductMethod::tree,
                                                    ProductMethod::kronecker, ProductMethod::schoenhage,
                                                    ProductMethod::fastest};
std::string name_of(ProductMethod method);
/// Throws ArgumentError for an unknown name.
ProductMethod product_method_of(const std::string& name);

/// Negacyclic products of residues modulo each limb of one ring, in one way. Immutable. Not constant-time where general
/// arithmetic is used: for ciphertexts.
class RingProducts {
 public:
  virtual ~RingProducts() = default;
  /// Whether products of ciphertexts modulo this limb are made here, and not with the transforms of LimbProducts, which
  /// serve several products at once.
  virtual bool takes(std::size_t) const noexcept { return true; }
  /// out = a b modulo x^n + 1 and a limb's modulus: rows of that limb. out is neither.
  virtual void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t limb) const = 0;
};

/// out (3 parts) = the product of a and b, two parts each, modulo one limb, by three products (Karatsuba).
void multiply_parts(const WideRing& ring, const RingProducts& products, std::size_t limb, std::uint64_t* out,
                    const std::uint64_t* a, const std::uint64_t* b);

/// products: of two residues, whose primes "primes" and "tree" use. arithmetic: for all but "primes".
std::unique_ptr<RingProducts> make_ring_products(ProductMethod method, std::shared_ptr<const WideRing> ring,
                                                 std::shared_ptr<const LimbProducts> products, EnginePtr engine,
                                                 const GeneralArithmetic& arithmetic = GeneralArithmetic::best());

/// 64-bit words that hold a sum of n products of two residues and a sign: a digit of Kronecker's substitution.
std::size_t digit_words(const WideRing& ring, std::size_t limb) noexcept;

std::unique_ptr<RingProducts> make_schoenhage_products(std::shared_ptr<const WideRing> ring,
                                                       const GeneralArithmetic& arithmetic);
std::unique_ptr<RingProducts> make_tree_products(std::shared_ptr<const WideRing> ring,
                                                 std::shared_ptr<const LimbProducts> products, EnginePtr engine,
                                                 const GeneralArithmetic& arithmetic);

}  // namespace cyclotome::study::fermat
