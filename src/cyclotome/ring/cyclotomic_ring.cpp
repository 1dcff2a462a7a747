// SPDX-License-Identifier: Apache-2.0
// Z[x]/Phi_m, m = p_1 ... p_k odd and squarefree. A polynomial is its n = phi(m) coefficients in the normal integral
// basis {zeta^j : j a unit modulo m}, zeta = x. With units written as exponents e (cyclotomic_index.hpp),
//
//   the transform's value number e is a(zeta^u), u = g^e, and coefficient number f is that of zeta^j, j = g^-f,
//
// so that A(e) = sum over f of b(f) W(e - f), W(d) = product of omega_i^(g_i^d_i): cyclic convolutions along the axes
// (Rader), and back the same with V(d) = product of (omega_i^(-g_i^-d_i) - 1)/p_i, the dual basis. An automorphism
// x -> x^g is one shift of the exponents in both domains, without signs; 1 is constant in both.
#include <cmath>
#include <map>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/once.hpp"
#include "cyclotome/ring/ring_shape.hpp"
#include "cyclotome/ring/tables/change_of_basis.hpp"
#include "cyclotome/ring/tables/prime_factor_tables.hpp"

namespace cyclotome {

namespace {

using IndexPtr = std::shared_ptr<const CyclotomicIndex>;

std::vector<GaloisGroup::Generator> generators_of(const CyclotomicIndex& index) {
  std::vector<GaloisGroup::Generator> generators;
  for (std::size_t i = index.axes().size(); i-- > 0;) {  // rows of slots are the axis of the largest prime
    generators.push_back({index.axes()[i].generator, index.axes()[i].length()});
  }
  return generators;
}

class CyclotomicGroup final : public GaloisGroup {
 public:
  explicit CyclotomicGroup(IndexPtr index)
      : GaloisGroup(index->index(), generators_of(*index)), places_(std::move(index)) {}

  std::string requirement() const override { return message("prime to and below m = ", index()); }

  std::uint32_t slot(std::uint64_t element) const override {
    require(element);
    return places_->place(element);
  }
  std::vector<std::uint32_t> slots(std::uint64_t element) const override {
    require(element);
    return places_->shifted(element);
  }
  std::vector<Signed> coefficients(std::uint64_t element) const override {
    std::vector<Signed> result;
    for (const std::uint32_t from : slots(element)) result.emplace_back(from, false);
    return result;
  }

 private:
  IndexPtr places_;
};

/// Drawn modulo x^m - 1. Along one axis 1 = -(sum of all zeta^j), so coefficient j takes number j and loses number 0;
/// term S of the coefficient of zeta^j is the number that is 0 modulo the primes in S, j modulo the others.
ErrorSums errors_modulo(const CyclotomicIndex& index) {
  const auto& axes = index.axes();
  ErrorSums law{index.index(), std::size_t{1} << axes.size(), {}};
  for (std::size_t term = 0; term < law.terms; ++term) {
    // By place e, of the coefficient of zeta^(g^-e): sums of what each axis adds.
    std::vector<std::uint32_t> places{0};
    std::vector<std::uint64_t> numbers{0};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const CyclotomicIndex::Axis& axis = axes[i];
      std::vector<std::uint32_t> more_places;
      std::vector<std::uint64_t> more_numbers;
      for (std::size_t at = 0; at < places.size(); ++at) {
        for (std::size_t e = 0; e < axis.length(); ++e) {
          const std::uint64_t j = (term >> i & 1) != 0 ? 0 : axis.powers[(axis.length() - e) % axis.length()];
          more_places.push_back(places[at] + axis.offsets[e]);
          more_numbers.push_back((numbers[at] + j * axis.unit) % index.index());
        }
      }
      places = std::move(more_places);
      numbers = std::move(more_numbers);
    }
    const std::size_t first = law.addresses.size();
    law.addresses.resize(first + index.degree());
    for (std::size_t at = 0; at < places.size(); ++at) {
      law.addresses[first + places[at]] = static_cast<std::uint32_t>(numbers[at]);
    }
  }
  return law;
}

class CyclotomicShape final : public RingShape {
 public:
  explicit CyclotomicShape(const IndexPtr& index)
      : RingShape(RingKind::cyclotomic, index->index(), index->degree(), prime_factor_step(*index)),
        index_(index),
        galois_(index) {}

  std::string modulus() const override { return message("Phi_", index()); }
  const GaloisGroup& galois() const noexcept override { return galois_; }
  bool power_basis() const noexcept override { return false; }
  int one() const noexcept override { return index_->axes().size() % 2 == 0 ? 1 : -1; }
  /// Along one axis the Gram matrix is p I - J and its inverse (I + J)/p, and zeta^i sends 1 to minus all of the basis.
  BasisGeometry geometry() const noexcept override {
    const auto terms = std::exp2(static_cast<double>(index_->axes().size()));
    const auto m = static_cast<double>(index()), n = static_cast<double>(degree());
    return {.dual = terms * n / m, .gram = m / n, .turn = terms, .skew = 1};
  }
  const ErrorSums& errors() const override {
    errors_made_([&] { errors_ = errors_modulo(*index_); });
    return errors_;
  }
  std::string transform_condition() const override {
    return message(transform_step() / index(), "m = ", transform_step());
  }

  /// Along one axis zeta^k gets p - 2 products zeta^i zeta^(k-i), and of p - 1 products 1 = -sum of all zeta^k.
  std::uint64_t expansion() const noexcept override {
    std::uint64_t product = 1;
    for (const auto& axis : index_->axes()) product *= 2 * axis.prime - 3;
    return product;
  }

  std::shared_ptr<const Transform> transform(Word word, std::uint64_t modulus) const override {
    check_interrupt();
    if (!has_transform(modulus)) return nullptr;
    return with_word(word, [&]<class W>(W) -> std::shared_ptr<const Transform> {
      if (modulus >= max_transform_modulus<W>) return nullptr;
      return std::make_shared<const PrimeFactorTables<W>>(index_, static_cast<W>(modulus));
    });
  }

 protected:
  std::vector<std::uint64_t> reduced(const ResidueArithmetic& residues,
                                     std::span<const std::uint64_t> polynomial) const override {
    return NormalBasis(*index_, residues).from_polynomial(polynomial);
  }
  std::vector<u128> reduced(const IntegerArithmetic& integers, std::span<const u128> polynomial) const override {
    return NormalBasis(*index_, integers).from_polynomial(polynomial);
  }
  std::vector<std::uint64_t> expanded(const ResidueArithmetic& residues,
                                      std::span<const std::uint64_t> coefficients) const override {
    return NormalBasis(*index_, residues).to_polynomial(coefficients);
  }
  std::vector<u128> expanded(const IntegerArithmetic& integers, std::span<const u128> coefficients) const override {
    return NormalBasis(*index_, integers).to_polynomial(coefficients);
  }

 private:
  IndexPtr index_;
  CyclotomicGroup galois_;
  mutable Once errors_made_;
  mutable ErrorSums errors_;
};

}  // namespace

RingShapePtr RingShape::cyclotomic(std::size_t index) {
  static std::mutex mutex;
  static std::map<std::size_t, std::weak_ptr<const RingShape>> shapes;  // of large m they take a while to make
  const std::lock_guard lock(mutex);
  RingShapePtr shape = shapes[index].lock();
  if (shape == nullptr) {
    shapes.erase(index);  // should there be no such ring
    shape = std::make_shared<const CyclotomicShape>(std::make_shared<const CyclotomicIndex>(index, max_degree));
    shapes[index] = shape;
  }
  return shape;
}

}  // namespace cyclotome
