// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/extension_slots.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome {

namespace {

/// zeta: what the polynomial y is in slot 0.
std::uint64_t root_of(const rlwe::Context& context, rlwe::PlainIndex plain) {
  const RingPtr& ring = context.slot_ring(plain);
  PolyArray y = context.make(ring, 1, 1);
  std::vector<std::uint64_t> coefficients(ring->degree(), 0);
  coefficients[1] = 1;
  y.from_host(coefficients);
  return y.to_transform().to_host()[context.slot_galois().slot_positions()[0]];
}

std::int64_t centred(std::uint64_t residue, std::uint64_t t) {
  return static_cast<std::int64_t>(residue) -
         static_cast<std::int64_t>(t & (0 - static_cast<std::uint64_t>(residue >= t - residue)));
}

}  // namespace

ExtensionSlots::ExtensionSlots(rlwe::ContextPtr context, rlwe::PlainIndex plain)
    : context_(std::move(context)), plain_(plain) {
  const rlwe::Parameters& p = context_->parameters();
  const std::uint64_t t = p.plain_modulus(plain).value;
  if (!p.has_slots() || !p.has_coefficients()) {
    throw ParameterError(message("slots of an extension of the residues modulo ", t, " at degree ", p.degree(),
                                 ": there are some for primes congruent to 1 modulo ", p.ring()->slot_condition()));
  }
  const GaloisGroup &all = context_->galois(), &slots = context_->slot_galois();
  const std::uint64_t turn = all.generators().front().element, swap = all.generators().back().element;
  const std::size_t row = slots.generators().front().order;
  std::uint64_t element = 1;
  for (std::size_t i = 0; i < row; ++i, element = all.product(element, turn)) exponents_.push_back(element);
  for (std::size_t i = 0; i < row; ++i) exponents_.push_back(all.product(exponents_[i], swap));
  const Modulus<std::uint64_t> modulus(t);
  const std::uint64_t zeta = root_of(*context_, plain);
  roots_.assign(slots.index(), 1);
  for (std::size_t i = 1; i < roots_.size(); ++i) roots_[i] = modulus.multiply(roots_[i - 1], zeta);
}

std::size_t ExtensionSlots::items_of(std::span<const std::int64_t> values) const {
  const std::size_t n = context_->degree();
  if (!values.empty() && values.size() % n == 0) return values.size() / n;
  throw ArgumentError(message("slots of an extension: ", values.size(), " numbers are not ", count(), " elements of ",
                              degree(), " coefficients, ", n, " in all, for each polynomial"));
}

template <class Visit>
void ExtensionSlots::for_each_place(const Visit& visit) const {
  const std::size_t d = degree();
  const std::uint64_t index = context_->galois().index();
  for (std::size_t i = 0; i < count(); ++i) {
    // x^j becomes z^(e_i j), and z^d is zeta.
    std::uint64_t power = 0;
    for (std::size_t j = 0; j < d; ++j, power = (power + exponents_[i]) % index) {
      visit(i, j, static_cast<std::size_t>(power % d), static_cast<std::size_t>(power / d));
    }
  }
}

std::vector<std::int64_t> ExtensionSlots::polynomials(std::span<const std::int64_t> elements) const {
  const std::size_t items = items_of(elements), k = count(), d = degree(), n = k * d;
  const RingPtr& ring = context_->slot_ring(plain_);
  const Modulus<std::uint64_t> t(ring->basis()[0]);
  const std::vector<std::uint32_t>& positions = context_->slot_galois().slot_positions();
  std::vector<std::int64_t> result(elements.size());
  PolyArray parts = context_->make(ring, d, 1, Domain::transform, true);
  ZeroisingVector<std::uint64_t> residues(n);
  for (std::size_t item = 0; item < items; ++item) {
    check_interrupt();
    const auto from = elements.subspan(item * n, n);
    for_each_place([&](std::size_t i, std::size_t j, std::size_t of_element, std::size_t power) {
      const std::uint64_t inverse = roots_[power == 0 ? 0 : roots_.size() - power];
      residues[j * k + positions[i]] = t.multiply(t.reduce_signed(from[i * d + of_element]), inverse);
    });
    parts.set_domain(Domain::transform);
    parts.from_host(residues);
    parts.to_coefficient().to_host(residues);
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t i = 0; i < k; ++i) result[item * n + i * d + j] = centred(residues[j * k + i], t.value());
    }
  }
  return result;
}

std::vector<std::int64_t> ExtensionSlots::elements(std::span<const std::int64_t> polynomials) const {
  const std::size_t items = items_of(polynomials), k = count(), d = degree(), n = k * d;
  const RingPtr& ring = context_->slot_ring(plain_);
  const Modulus<std::uint64_t> t(ring->basis()[0]);
  const std::vector<std::uint32_t>& positions = context_->slot_galois().slot_positions();
  std::vector<std::int64_t> result(polynomials.size());
  PolyArray parts = context_->make(ring, d, 1, Domain::coefficient, true);
  ZeroisingVector<std::uint64_t> residues(n);
  for (std::size_t item = 0; item < items; ++item) {
    check_interrupt();
    const auto from = polynomials.subspan(item * n, n);
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t i = 0; i < k; ++i) residues[j * k + i] = t.reduce_signed(from[i * d + j]);
    }
    parts.set_domain(Domain::coefficient);
    parts.from_host(residues);
    parts.to_transform().to_host(residues);
    for_each_place([&](std::size_t i, std::size_t j, std::size_t of_element, std::size_t power) {
      result[item * n + i * d + of_element] =
          centred(t.multiply(residues[j * k + positions[i]], roots_[power]), t.value());
    });
  }
  return result;
}

}  // namespace cyclotome
