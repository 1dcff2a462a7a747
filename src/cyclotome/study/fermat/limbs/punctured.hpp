// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cyclotome/math/shoup.hpp"
#include "cyclotome/ring/basis.hpp"
#include "cyclotome/study/fermat/limbs/basis.hpp"
#include "cyclotome/study/fermat/limbs/general_arithmetic.hpp"
#include "cyclotome/study/fermat/limbs/limb_arithmetic.hpp"

namespace cyclotome::study::fermat {

/// How |x (q/q_i)^-1|_{q_i} is computed: paper 003's four versions.
enum class Method : std::uint8_t {
  none,            ///< product and remainder of integers
  multiplication,  ///< the product is a left shift (section 4.1, erratum 003-3), the remainder a division
  reduction,       ///< a product of integers; the remainder by Lemma 3's quotient (section 4.2)
  both             ///< LimbArithmetic::puncture
};
inline constexpr Method methods[] = {Method::none, Method::multiplication, Method::reduction, Method::both};
std::string name_of(Method method);

/// The first half of FastBConv, y_i = |x_i (q/q_i)^-1|_{q_i} for all limbs of one coefficient, whose words lie next to
/// each other: `from.words()` in, `words()` out. The only place where the versions differ.
class Punctured {
 public:
  virtual ~Punctured() = default;
  /// Words of one coefficient's y, as of its x.
  virtual std::size_t words() const noexcept = 0;
  /// k: how many multiplications and reductions the paper counts for a coefficient.
  virtual std::size_t limbs() const noexcept = 0;
  /// y of `count` coefficients, each words() words after the last.
  virtual void apply(std::uint64_t* y, const std::uint64_t* x, std::size_t count) const = 0;
  /// 2^(64 j) q/q_i mod m for each word: the word is word j of limb i. What the second half multiplies words of y by.
  virtual std::vector<std::uint64_t> weights(std::uint64_t m) const = 0;
  /// q mod m.
  virtual std::uint64_t modulus_mod(std::uint64_t m) const = 0;
};

/// Of Fermat limbs.
class FermatPunctured final : public Punctured {
 public:
  explicit FermatPunctured(FermatBasis basis, Method method = Method::both,
                           const GeneralArithmetic& arithmetic = GeneralArithmetic::best());

  std::size_t words() const noexcept override { return basis_.words(); }
  std::size_t limbs() const noexcept override { return basis_.limbs().size(); }
  void apply(std::uint64_t* y, const std::uint64_t* x, std::size_t count) const override;
  std::vector<std::uint64_t> weights(std::uint64_t m) const override;
  std::uint64_t modulus_mod(std::uint64_t m) const override { return basis_.modulus_mod(m); }
  const FermatBasis& basis() const noexcept { return basis_; }
  Method method() const noexcept { return method_; }

 private:
  struct Constants {
    LimbArithmetic limb;
    std::vector<std::uint64_t> modulus;  ///< for divisions, without zeros on top
    std::vector<std::uint64_t> inverse;  ///< 2^exponent, without zeros on top
  };
  /// x 2^exponent into `product`; words of it.
  std::size_t multiply(std::uint64_t* product, const std::uint64_t* x, const Constants& c) const;
  /// y = `product` mod q_i.
  void reduce(std::uint64_t* y, const std::uint64_t* x, std::span<std::uint64_t> product, const Constants& c,
              std::uint64_t* scratch) const;

  FermatBasis basis_;
  Method method_;
  const GeneralArithmetic* arithmetic_;
  std::vector<Constants> constants_;
};

/// Of ordinary limbs of a word each: what paper 003 never compares with.
class WordPunctured final : public Punctured {
 public:
  /// Moduli of 64-bit words.
  explicit WordPunctured(Basis basis);

  std::size_t words() const noexcept override { return basis_.size(); }
  std::size_t limbs() const noexcept override { return basis_.size(); }
  void apply(std::uint64_t* y, const std::uint64_t* x, std::size_t count) const override;
  std::vector<std::uint64_t> weights(std::uint64_t m) const override;
  std::uint64_t modulus_mod(std::uint64_t m) const override { return basis_.product_mod(m); }
  const Basis& basis() const noexcept { return basis_; }
  /// (q/q_i)^-1 mod q_i.
  std::vector<std::uint64_t> inverses() const {
    std::vector<std::uint64_t> all;
    for (const auto& inverse : inverses_) all.push_back(inverse.operand);
    return all;
  }

 private:
  Basis basis_;
  std::vector<ShoupFactor<std::uint64_t>> inverses_;
};

/// Integers of some words, taken as they are: y = x, weights 2^(64 j). For the way to primes whose transforms multiply
/// residues of one limb.
class WideIntegers final : public Punctured {
 public:
  explicit WideIntegers(std::size_t words) : words_(words) {}

  std::size_t words() const noexcept override { return words_; }
  std::size_t limbs() const noexcept override { return 0; }
  void apply(std::uint64_t* y, const std::uint64_t* x, std::size_t count) const override;
  std::vector<std::uint64_t> weights(std::uint64_t m) const override;
  /// They have no modulus.
  std::uint64_t modulus_mod(std::uint64_t) const override { return 0; }

 private:
  std::size_t words_;
};

}  // namespace cyclotome::study::fermat
