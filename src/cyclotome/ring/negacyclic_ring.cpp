// SPDX-License-Identifier: Apache-2.0
// x^n + 1, n a power of two: its roots are the primitive 2n-th roots of unity, and slot k of a transform is the value
// at psi^(2 br(k) + 1). This file and transform_tables.cpp are where the library knows that.
#include <algorithm>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/ring_shape.hpp"
#include "cyclotome/ring/tables/change_of_basis.hpp"
#include "cyclotome/ring/tables/transform_tables.hpp"

namespace cyclotome {

namespace {

constexpr std::uint64_t index_of(std::size_t degree) noexcept { return 2 * std::uint64_t{degree}; }

/// Units modulo 2n: 3 has order n/2, and -1 is none of its powers. SEAL numbers slots by the same two.
class NegacyclicGroup final : public GaloisGroup {
 public:
  explicit NegacyclicGroup(std::size_t degree)
      : GaloisGroup(index_of(degree), {{degree > 2 ? 3U : 1U, degree / 2}, {index_of(degree) - 1, 2}}),
        degree_(degree),
        bits_(bit_length(degree) - 1) {}

  std::string requirement() const override { return message("odd and below 2n = ", index()); }

  std::uint32_t slot(std::uint64_t element) const override {
    require(element);
    return static_cast<std::uint32_t>(reverse_bits(element / 2, bits_));
  }

  std::vector<std::uint32_t> slots(std::uint64_t element) const override {
    require(element);
    std::vector<std::uint32_t> reversed(degree_), result(degree_);
    for (std::size_t k = 1; k < degree_; ++k) {
      reversed[k] = reversed[k / 2] / 2 + static_cast<std::uint32_t>((k & 1) * (degree_ / 2));
    }
    const std::uint64_t mask = index() - 1;
    for (std::size_t i = 0; i < degree_; ++i) {
      result[reversed[i]] = reversed[((2 * i + 1) * element & mask) / 2];
    }
    return result;
  }

  std::vector<Signed> coefficients(std::uint64_t element) const override {
    require(element);
    const auto g = static_cast<std::uint32_t>(element);
    std::uint32_t step = g;  // 1/g, right modulo 8; every iteration doubles the bits
    for (int i = 0; i < 4; ++i) step *= 2 - g * step;
    // Coefficient i comes from i/g modulo 2n, and x^(n + j) = -x^j. Exponents wrap modulo 2^32, a multiple of 2n, so
    // that compilers see a plain progression.
    const auto low = static_cast<std::uint32_t>(degree_ - 1);
    std::vector<Signed> result(degree_);
    std::uint32_t exponent = 0;
    for (Signed& entry : result) {
      entry = Signed(exponent & low, (exponent >> bits_ & 1) != 0);
      exponent += step;
    }
    return result;
  }

 private:
  std::size_t degree_;
  unsigned bits_;
};

template <LimbWord W>
std::shared_ptr<const Transform> tables(std::size_t degree, std::uint64_t modulus) {
  if (modulus >= max_transform_modulus<W>) return nullptr;
  return std::make_shared<const TransformTables<W>>(degree, static_cast<W>(modulus));
}

class NegacyclicShape final : public RingShape {
 public:
  explicit NegacyclicShape(std::size_t degree)
      : RingShape(RingKind::negacyclic, index_of(degree), degree, index_of(degree)),
        galois_(degree),
        errors_{degree, 1, {}} {}

  std::string modulus() const override { return message("x^", degree(), " + 1"); }
  const GaloisGroup& galois() const noexcept override { return galois_; }
  std::string transform_condition() const override { return message("2n = ", transform_step()); }
  std::uint64_t expansion() const noexcept override { return degree(); }
  bool power_basis() const noexcept override { return true; }
  const ErrorSums& errors() const override { return errors_; }

  /// Modulo a prime t = 1 mod 2k, x^n + 1 is the product of x^(n/k) - zeta over the k roots zeta of y^k + 1.
  std::size_t slots(std::uint64_t modulus) const noexcept override {
    if (modulus % 4 != 1 || !is_prime(modulus)) return 1;
    const std::uint64_t roots = (modulus - 1) & (0 - (modulus - 1));  // the order 2k of most roots of unity
    return static_cast<std::size_t>(std::min<std::uint64_t>(roots / 2, degree()));
  }
  std::string slot_condition() const override { return message(transform_step(), ", or modulo 2k for k slots"); }
  RingShapePtr subring(std::size_t slots) const override {
    if (slots > degree()) {
      throw ParameterError(message("Z[x]/(", this->modulus(), ") has no subring of degree ", slots));
    }
    return RingShape::negacyclic(slots);
  }

  std::shared_ptr<const Transform> transform(Word word, std::uint64_t modulus) const override {
    check_interrupt();
    if (!has_transform(modulus)) return nullptr;
    return with_word(word, [&]<class W>(W) { return tables<W>(degree(), modulus); });
  }

 protected:
  std::vector<std::uint64_t> reduced(const ResidueArithmetic& residues,
                                     std::span<const std::uint64_t> polynomial) const override {
    return folded(residues, polynomial);
  }
  std::vector<u128> reduced(const IntegerArithmetic& integers, std::span<const u128> polynomial) const override {
    return folded(integers, polynomial);
  }
  std::vector<std::uint64_t> expanded(const ResidueArithmetic&,
                                      std::span<const std::uint64_t> coefficients) const override {
    return {coefficients.begin(), coefficients.end()};
  }
  std::vector<u128> expanded(const IntegerArithmetic&, std::span<const u128> coefficients) const override {
    return {coefficients.begin(), coefficients.end()};
  }

 private:
  /// x^n = -1.
  template <class Arithmetic>
  std::vector<typename Arithmetic::Number> folded(const Arithmetic& arithmetic,
                                                  std::span<const typename Arithmetic::Number> polynomial) const {
    std::vector<typename Arithmetic::Number> coefficients(degree());
    for (std::size_t i = 0; i < polynomial.size(); ++i) {
      auto& at = coefficients[i % degree()];
      at = i / degree() % 2 == 0 ? arithmetic.add(at, polynomial[i]) : arithmetic.subtract(at, polynomial[i]);
    }
    return coefficients;
  }

  NegacyclicGroup galois_;
  ErrorSums errors_;
};

}  // namespace

RingShapePtr RingShape::negacyclic(std::size_t degree) {
  if (!is_power_of_two(degree) || degree < 2 || degree > max_degree) {
    throw ParameterError(message("ring degree ", degree, " is not a power of two in [2, ", max_degree, "]"));
  }
  return std::make_shared<const NegacyclicShape>(degree);
}

}  // namespace cyclotome
