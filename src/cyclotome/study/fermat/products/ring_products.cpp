// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/products/ring_products.hpp"

#include <algorithm>
#include <bit>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::study::fermat {

namespace {

class PrimeProducts final : public RingProducts {
 public:
  PrimeProducts(std::shared_ptr<const LimbProducts> products, EnginePtr engine)
      : products_(std::move(products)), engine_(std::move(engine)) {}

  void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t limb) const override {
    PolyArray x = products_->forward(a, limb, false);
    const PolyArray y = products_->forward(b, limb, false);
    engine_->multiply(x.view(), x.view(), y.view());
    products_->backward(out, x, limb);
  }

 private:
  std::shared_ptr<const LimbProducts> products_;
  EnginePtr engine_;
};

/// a(2^c) b(2^c), c a multiple of 64: digits i and i + n of the product are coefficient i and what x^n = -1 takes off.
class KroneckerProducts final : public RingProducts {
 public:
  KroneckerProducts(std::shared_ptr<const WideRing> ring, const GeneralArithmetic& arithmetic)
      : ring_(std::move(ring)), arithmetic_(&arithmetic) {}

  void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t limb) const override {
    const LimbArithmetic& arithmetic = ring_->limb(limb);
    const std::size_t n = ring_->degree(), words = arithmetic.limb().words, digit = digit_words(*ring_, limb);
    const auto x = packed(a, words, digit), y = packed(b, words, digit);
    std::vector<std::uint64_t> product(x.size() + y.size()), low(words), high(words);
    arithmetic_->multiply(product.data(), x, y);
    for (std::size_t c = 0; c < n; ++c) {
      arithmetic.reduce(low, std::span(product).subspan(c * digit, digit));
      arithmetic.reduce(high, std::span(product).subspan((n + c) * digit, digit));
      arithmetic.subtract(low.data(), low.data(), high.data());
      scatter(out, low.data(), words, n, c, 1);
    }
  }

 private:
  std::vector<std::uint64_t> packed(const std::uint64_t* rows, std::size_t words, std::size_t digit) const {
    const std::size_t n = ring_->degree();
    std::vector<std::uint64_t> integer(n * digit);
    for (std::size_t w = 0; w < words; ++w) {
      for (std::size_t c = 0; c < n; ++c) integer[c * digit + w] = rows[w * n + c];
    }
    return integer;
  }

  std::shared_ptr<const WideRing> ring_;
  const GeneralArithmetic* arithmetic_;
};

/// Schoenhage's transforms pay where limbs are long beside the degree, if GMP multiplies the points.
class FastestProducts final : public RingProducts {
 public:
  FastestProducts(std::shared_ptr<const WideRing> ring, std::shared_ptr<const LimbProducts> products, EnginePtr engine,
                  const GeneralArithmetic& arithmetic)
      : ring_(ring),
        has_gmp_(&arithmetic != &GeneralArithmetic::own()),
        primes_(std::move(products), std::move(engine)),
        powers_(make_schoenhage_products(std::move(ring), arithmetic)) {}

  bool takes(std::size_t limb) const noexcept override {
    return has_gmp_ && ring_->basis().limbs()[limb].bits >= bits_a_coefficient * ring_->degree();
  }
  void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t limb) const override {
    if (takes(limb)) return powers_->multiply(out, a, b, limb);
    primes_.multiply(out, a, b, limb);
  }

 private:
  static constexpr std::size_t bits_a_coefficient = 8;
  std::shared_ptr<const WideRing> ring_;
  bool has_gmp_;
  PrimeProducts primes_;
  std::unique_ptr<RingProducts> powers_;
};

}  // namespace

std::string name_of(ProductMethod method) {
  switch (method) {
    case ProductMethod::primes:
      return "primes";
    case ProductMethod::tree:
      return "tree";
    case ProductMethod::kronecker:
      return "kronecker";
    case ProductMethod::schoenhage:
      return "schoenhage";
    case ProductMethod::fastest:
      return "fastest";
  }
  return "";
}

ProductMethod product_method_of(const std::string& name) {
  std::string known;
  for (const ProductMethod method : product_methods) {
    if (name_of(method) == name) return method;
    known += (known.empty() ? "" : ", ") + name_of(method);
  }
  throw ArgumentError(message("there is no way \"", name, "\" to multiply polynomials; there are ", known));
}

std::size_t digit_words(const WideRing& ring, std::size_t limb) noexcept {
  // Residues are at most 2^G, so sums of n products at most n 2^(2G).
  const std::size_t bits = 2 * ring.basis().limbs()[limb].bits + std::bit_width(ring.degree()) + 1;
  return bits / 64 + 1;
}

void multiply_parts(const WideRing& ring, const RingProducts& products, std::size_t limb, std::uint64_t* out,
                    const std::uint64_t* a, const std::uint64_t* b) {
  const std::size_t at = ring.offset(limb), size = ring.limb(limb).limb().words * ring.degree();
  std::uint64_t *const first = out + at, *const middle = first + ring.size(), *const last = middle + ring.size();
  std::vector<std::uint64_t> x(a + at, a + at + size), y(b + at, b + at + size);
  products.multiply(first, x.data(), y.data(), limb);
  products.multiply(last, a + ring.size() + at, b + ring.size() + at, limb);
  ring.add_limb(x.data(), a + ring.size() + at, limb);
  ring.add_limb(y.data(), b + ring.size() + at, limb);
  products.multiply(middle, x.data(), y.data(), limb);
  ring.subtract_limb(middle, first, limb);
  ring.subtract_limb(middle, last, limb);
}

std::unique_ptr<RingProducts> make_ring_products(ProductMethod method, std::shared_ptr<const WideRing> ring,
                                                 std::shared_ptr<const LimbProducts> products, EnginePtr engine,
                                                 const GeneralArithmetic& arithmetic) {
  switch (method) {
    case ProductMethod::primes:
      return std::make_unique<PrimeProducts>(std::move(products), std::move(engine));
    case ProductMethod::tree:
      return make_tree_products(std::move(ring), std::move(products), std::move(engine), arithmetic);
    case ProductMethod::kronecker:
      return std::make_unique<KroneckerProducts>(std::move(ring), arithmetic);
    case ProductMethod::schoenhage:
      return make_schoenhage_products(std::move(ring), arithmetic);
    case ProductMethod::fastest:
      return std::make_unique<FastestProducts>(std::move(ring), std::move(products), std::move(engine), arithmetic);
  }
  throw ArgumentError("no such way to multiply polynomials");
}

}  // namespace cyclotome::study::fermat
