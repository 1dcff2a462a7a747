// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/polynomial_product.hpp"

#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/ring.hpp"

namespace cyclotome::study {

namespace {

template <LimbWord Word>
using SingleWord = FieldChannel<MontgomeryField<Word, 1>>;

std::unique_ptr<Channel> make_channel(const ProductContext& context, std::size_t index, Arithmetic arithmetic) {
  const BigUnsigned& p = context.primes()[index].prime;
  if (arithmetic == Arithmetic::multi_word) {
    return with_field(p, [&]<class Field>(const Field&) -> std::unique_ptr<Channel> {
      return std::make_unique<FieldChannel<Field>>(context, index);
    });
  }
  if (p.bit_length() > 32) {
    throw ParameterError(message("the prime ", p.to_string(), " has ", p.bit_length(),
                                 " bits, more than a 32-bit word; choose multi-word arithmetic or narrower primes"));
  }
  return std::make_unique<SingleWord<std::uint32_t>>(context, index);
}

Basis basis_of(const ProductContext& context) {
  std::vector<std::uint64_t> moduli;
  std::uint64_t largest = 0;
  for (const auto& p : context.primes()) {
    if (p.prime >= BigUnsigned(max_transform_modulus<std::uint64_t>)) {
      throw ParameterError(message("the prime ", p.prime.to_string(), " of ", p.prime.bit_length(),
                                   " bits is too wide for the engine, whose primes are below 2^61"));
    }
    moduli.push_back(p.prime.limbs()[0]);
    largest = std::max(largest, moduli.back());
  }
  return {largest < max_transform_modulus<std::uint32_t> ? Word::u32 : Word::u64, moduli};
}

/// value = value - k q, which must be below 2 q, and then into [0, q). `value` and `less`, scratch, have one word more
/// than q.
void reduce(std::span<std::uint64_t> value, std::span<const std::uint64_t> q, std::uint64_t k,
            std::span<std::uint64_t> less) {
  const auto step = [&](std::uint64_t factor, std::span<std::uint64_t> out) {
    std::uint64_t carry = 0, borrow = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const u128 term = static_cast<u128>(i < q.size() ? q[i] : 0) * factor + carry;
      carry = static_cast<std::uint64_t>(term >> 64);
      const u128 difference = static_cast<u128>(value[i]) - static_cast<std::uint64_t>(term) - borrow;
      out[i] = static_cast<std::uint64_t>(difference);
      borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
    }
    return borrow == 0;
  };
  step(k, value);
  if (step(1, less)) std::ranges::copy(less, value.begin());
}

}  // namespace

/// Both factors and the product in an engine's memory.
class PolynomialProduct::OnEngine {
 public:
  OnEngine(const ProductContext& context, const EnginePtr& engine)
      : ring_(Ring::negacyclic(context.degree(), basis_of(context))),
        factors_{PolyArray(engine, ring_, 1, 1), PolyArray(engine, ring_, 1, 1)},
        work_{PolyArray(engine, ring_, 1, 1), PolyArray(engine, ring_, 1, 1)} {
    for (std::size_t i = 0; i < context.primes().size(); ++i) {
      channels_.push_back(std::make_unique<SingleWord<std::uint64_t>>(context, i));
    }
  }

  void decompose(std::size_t factor, const Integers& integers) {
    std::vector<std::uint64_t> residues;
    residues.reserve(factors_[factor].size());
    for (auto& channel : channels_) {
      channel->decompose(factor, integers);
      for (const auto& residue : channel->factor(factor)) residues.push_back(residue[0]);
    }
    factors_[factor].from_host(residues);
  }

  void multiply() {
    const EnginePtr& engine = work_[0].engine();
    for (std::size_t i = 0; i < 2; ++i) {
      engine->copy(work_[i].view(), factors_[i].view());
      work_[i].set_domain(Domain::coefficient);
      work_[i].to_transform();
    }
    engine->multiply(work_[0].view(), work_[0].view(), work_[1].view());
    work_[0].to_coefficient();
    engine->synchronize();
    for (auto& work : work_) work.set_domain(Domain::coefficient);
  }

  void accumulate(Sums& sums) {
    const std::vector<std::uint64_t> residues = work_[0].to_host();
    const std::size_t degree = ring_->degree();
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      auto& result = channels_[i]->result();
      result.resize(degree);
      for (std::size_t k = 0; k < degree; ++k) result[k][0] = residues[i * degree + k];
      channels_[i]->accumulate(sums);
    }
  }

 private:
  RingPtr ring_;
  std::vector<std::unique_ptr<SingleWord<std::uint64_t>>> channels_;
  std::array<PolyArray, 2> factors_, work_;
};

PolynomialProduct::PolynomialProduct(const ProductContext& context, Arithmetic arithmetic)
    : degree_(context.degree()), modulus_(context.modulus().limbs()), smallest_prime_(std::uint64_t{1} << 63) {
  for (std::size_t i = 0; i < context.primes().size(); ++i) {
    channels_.push_back(make_channel(context, i, arithmetic));
    const BigUnsigned& p = context.primes()[i].prime;
    if (p.bit_length() < 64) smallest_prime_ = std::min(smallest_prime_, p.limbs()[0]);
  }
}

PolynomialProduct::PolynomialProduct(const ProductContext& context, const EnginePtr& engine)
    : degree_(context.degree()),
      modulus_(context.modulus().limbs()),
      engine_(std::make_unique<OnEngine>(context, engine)) {}

PolynomialProduct::~PolynomialProduct() = default;
PolynomialProduct::PolynomialProduct(PolynomialProduct&&) noexcept = default;

void PolynomialProduct::load(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t limbs) {
  if (limbs == 0 || a.size() != degree_ * limbs || b.size() != a.size()) {
    throw ArgumentError(message("factors of ", a.size(), " and ", b.size(), " words were given; they need ", degree_,
                                " integers of ", limbs, " words, at least one"));
  }
  integers_[0].assign(a.begin(), a.end());
  integers_[1].assign(b.begin(), b.end());
  integer_limbs_ = limbs;
  factors_set_ = {false, false};
  done_ = Done::loaded;
}

void PolynomialProduct::decompose() {
  if (done_ == Done::nothing) throw ArgumentError("there are no factors; load them first");
  done_ = Done::loaded;  // until all is done, however this ends
  for (std::size_t factor = 0; factor < 2; ++factor) {
    const Integers integers{integers_[factor], integer_limbs_};
    if (engine_) engine_->decompose(factor, integers);
    for (auto& channel : channels_) channel->decompose(factor, integers);
  }
  factors_set_ = {true, true};
  done_ = Done::decomposed;
}

void PolynomialProduct::require_small(std::span<const std::int32_t> values) const {
  if (engine_) throw ArgumentError("an engine holds the residues; small integers need products without one");
  if (values.size() != degree_) {
    throw ArgumentError(message(values.size(), " small integers were given; there are ", degree_, " coefficients"));
  }
  for (const std::int32_t value : values) {
    const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -std::int64_t{value} : std::int64_t{value});
    if (magnitude >= smallest_prime_) {
      throw ArgumentError(
          message("the integer ", value, " reaches the prime ", smallest_prime_, "; take smaller ones"));
    }
  }
}

void PolynomialProduct::require_same(const PolynomialProduct& other) const {
  if (engine_ || other.engine_) throw ArgumentError("an engine holds the residues; this needs products without one");
  if (&other == this || other.done_ != Done::multiplied) {
    throw ArgumentError("residues come from another product, which has been multiplied");
  }
  if (other.channels_.size() != channels_.size() || other.degree_ != degree_) {
    throw ArgumentError("the other product has another context; both need the same");
  }
}

void PolynomialProduct::set_factor(std::size_t factor) {
  factors_set_[factor] = true;
  if (factors_set_[0] && factors_set_[1]) done_ = Done::decomposed;
}

void PolynomialProduct::set_small(std::size_t factor, std::span<const std::int32_t> values) {
  if (factor > 1) throw ArgumentError(message("factor ", factor, ": a product has factors 0 and 1"));
  require_small(values);
  for (auto& channel : channels_) channel->set_small(factor, values);
  set_factor(factor);
}

void PolynomialProduct::add_small(std::span<const std::int32_t> values) {
  require_small(values);
  if (done_ != Done::multiplied) throw ArgumentError("there is no product; multiply first");
  for (auto& channel : channels_) channel->add_small(values);
}

void PolynomialProduct::take(std::size_t factor, const PolynomialProduct& other) {
  if (factor > 1) throw ArgumentError(message("factor ", factor, ": a product has factors 0 and 1"));
  require_same(other);
  for (std::size_t i = 0; i < channels_.size(); ++i) channels_[i]->take(factor, *other.channels_[i]);
  set_factor(factor);
}

void PolynomialProduct::subtract_from(const PolynomialProduct& other) {
  require_same(other);
  if (done_ != Done::multiplied) throw ArgumentError("there is no product; multiply first");
  for (std::size_t i = 0; i < channels_.size(); ++i) channels_[i]->subtract_from(*other.channels_[i]);
}

void PolynomialProduct::multiply() {
  if (done_ < Done::decomposed) throw ArgumentError("the factors have no residues; decompose them first");
  done_ = Done::decomposed;
  if (engine_) engine_->multiply();
  for (auto& channel : channels_) channel->multiply();
  done_ = Done::multiplied;
}

void PolynomialProduct::reconstruct() {
  if (done_ != Done::multiplied) throw ArgumentError("there is no product; multiply first");
  result_.clear();
  sums_.limbs = limbs() + 1;
  sums_.words.assign(degree_ * sums_.limbs, 0);
  sums_.quotients.assign(degree_, 0);
  if (engine_) engine_->accumulate(sums_);
  for (const auto& channel : channels_) channel->accumulate(sums_);
  std::vector<std::uint64_t> result(degree_ * limbs());
  std::vector<std::uint64_t> less(sums_.limbs);
  for (std::size_t i = 0; i < degree_; ++i) {
    if (i % 256 == 0) check_interrupt();
    const auto value = std::span(sums_.words).subspan(i * sums_.limbs, sums_.limbs);
    reduce(value, modulus_, sums_.quotients[i] >> 56, less);
    std::ranges::copy(value.first(limbs()), result.begin() + static_cast<std::ptrdiff_t>(i * limbs()));
  }
  result_ = std::move(result);
}

}  // namespace cyclotome::study
