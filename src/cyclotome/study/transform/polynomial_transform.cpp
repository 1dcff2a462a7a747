// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/transform/polynomial_transform.hpp"

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/engine/work_clock.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/tables/galois_tables.hpp"
#include "cyclotome/study/transform/design_transforms.hpp"

namespace cyclotome::study {

namespace {

/// The narrowest word for the prime, unless one is asked for.
Word word_for(std::uint64_t prime, std::optional<Word> word) {
  if (prime >= max_modulus<std::uint64_t>) {
    throw ParameterError(message("prime ", prime, " is too wide; transforms take primes below 2^61"));
  }
  return word.value_or(prime < max_transform_modulus<std::uint32_t> ? Word::u32 : Word::u64);
}

/// Throws ParameterError unless there is a transform of n residues modulo the prime.
void require_transform(const Ring& ring, bool gaussian) {
  const std::uint64_t prime = ring.basis()[0];
  with_word(ring.word(), [&]<class W>(W) {
    if (gaussian) {
      const GaloisTables<W> checked(ring.degree(), static_cast<W>(prime));
    } else if (!ring.has_transform(0)) {
      throw ParameterError(message(prime, " has no transform of ", ring.degree(), " residues of ", word_bits<W>,
                                   " bits: it must be a prime ", "congruent to 1 modulo ",
                                   ring.shape()->transform_step(), " and below ", max_transform_modulus<W>));
    }
  });
}

}  // namespace

PolynomialTransform::PolynomialTransform(EnginePtr engine, std::size_t degree, std::uint64_t prime,
                                         std::optional<Word> word)
    : engine_(std::move(engine)),
      ring_(Ring::negacyclic(degree, Basis(word_for(prime, word), {prime}))),
      gaussian_(dynamic_cast<DesignTransforms*>(engine_.get())) {
  engine_->require_ring(*ring_);
  if (gaussian_ != nullptr) {
    const TransformDesign design = gaussian_->design();
    require_supported(design, degree, bytes_of(ring_->word()));
    if (!is_gaussian(design)) gaussian_ = nullptr;
  }
  require_transform(*ring_, gaussian());
}

std::vector<std::uint64_t> PolynomialTransform::root() const {
  return with_word(ring_->word(), [&]<class W>(W) -> std::vector<std::uint64_t> {
    if (!gaussian()) return {ring_->tables<W>(0).root};
    const GaloisTables<W> tables(degree(), static_cast<W>(prime()));
    return {tables.root.re, tables.root.im};
  });
}

std::vector<std::uint64_t> PolynomialTransform::exponents() const {
  const std::size_t values = gaussian() ? degree() / 2 : degree(), step = gaussian() ? 4 : 2;
  const bool sorted = gaussian() && is_self_sorting(gaussian_->design());
  const unsigned bits = bit_length(values) - 1;
  std::vector<std::uint64_t> found(values);
  for (std::size_t k = 0; k < values; ++k) found[k] = step * (sorted ? k : reverse_bits(k, bits)) + 1;
  return found;
}

std::size_t PolynomialTransform::count_of(std::span<const std::uint64_t> words) const {
  if (words.empty() || words.size() % degree() != 0) {
    throw ArgumentError(message(words.size(), " residues are no whole number of polynomials of ", degree()));
  }
  return words.size() / degree();
}

void PolynomialTransform::to_values(View a) const {
  if (gaussian()) return gaussian_->forward_gaussian(a);
  engine_->forward(a);
}

void PolynomialTransform::to_coefficients(View a) const {
  if (gaussian()) return gaussian_->inverse_gaussian(a);
  engine_->inverse(a);
}

void PolynomialTransform::multiply_views(View out, ConstView a, ConstView b) const {
  if (gaussian()) return gaussian_->multiply_gaussian(out, a, b);
  engine_->multiply(out, a, b);
}

std::vector<std::uint64_t> PolynomialTransform::forward(std::span<const std::uint64_t> coefficients) const {
  PolyArray a(engine_, ring_, count_of(coefficients), 1);
  a.from_host(coefficients);
  to_values(a.view());
  return a.to_host();
}

std::vector<std::uint64_t> PolynomialTransform::inverse(std::span<const std::uint64_t> values) const {
  PolyArray a(engine_, ring_, count_of(values), 1, Domain::transform);
  a.from_host(values);
  to_coefficients(a.view());
  return a.to_host();
}

std::vector<std::uint64_t> PolynomialTransform::multiply_values(std::span<const std::uint64_t> a,
                                                                std::span<const std::uint64_t> b) const {
  if (a.size() != b.size()) throw ArgumentError(message("products of ", a.size(), " and ", b.size(), " values"));
  PolyArray x(engine_, ring_, count_of(a), 1, Domain::transform), y(engine_, ring_, count_of(b), 1, Domain::transform);
  x.from_host(a);
  y.from_host(b);
  multiply_views(x.view(), x.view(), y.view());
  return x.to_host();
}

std::vector<std::uint64_t> PolynomialTransform::multiply(std::span<const std::uint64_t> a,
                                                         std::span<const std::uint64_t> b) const {
  if (a.size() != b.size()) throw ArgumentError(message("products of ", a.size(), " and ", b.size(), " coefficients"));
  PolyArray x(engine_, ring_, count_of(a), 1), y(engine_, ring_, count_of(b), 1);
  x.from_host(a);
  y.from_host(b);
  for (PolyArray* const operand : {&x, &y}) {
    to_values(operand->view());
    operand->set_domain(Domain::transform);
  }
  multiply_views(x.view(), x.view(), y.view());
  to_coefficients(x.view());
  return x.to_host();
}

std::uint64_t PolynomialTransform::time(bool inverse, std::size_t batch, std::size_t repetitions) const {
  PolyArray a(engine_, ring_, batch, 1, inverse ? Domain::transform : Domain::coefficient);
  engine_->sample(a.view(), Law::uniform, Seed::from_system(), Stream::public_uniform);
  const auto once = [&] { inverse ? to_coefficients(a.view()) : to_values(a.view()); };
  once();
  engine_->synchronize();
  const WorkClock clock(*engine_);
  const std::int64_t start = clock.nanoseconds();
  for (std::size_t i = 0; i < repetitions; ++i) once();
  engine_->synchronize();
  return static_cast<std::uint64_t>(clock.nanoseconds() - start);
}

}  // namespace cyclotome::study
