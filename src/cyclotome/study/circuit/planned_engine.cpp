// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/circuit/planned_engine.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::study {

using ltv::Member;
using ltv::PolynomialsPtr;

struct PlannedEngine::Account {
  std::size_t held = 0;
  LtvCounts counts;

  /// Transforms of so many points: each value is multiplied by a root twice.
  void transform(std::size_t rows, std::size_t points) {
    counts.transforms += rows;
    counts.products += 2 * rows * points;
  }
};

class PlannedEngine::Blank final : public ltv::Polynomials {
 public:
  Blank(std::size_t items, std::size_t primes, std::size_t bytes, std::shared_ptr<Account> account)
      : Polynomials(items, primes), transformed(items), bytes_(bytes), account_(std::move(account)) {
    account_->held += bytes_;
    account_->counts.peak_bytes = std::max(account_->counts.peak_bytes, account_->held);
  }
  ~Blank() override { account_->held -= bytes_; }

  mutable std::vector<bool> transformed;

 private:
  std::size_t bytes_;
  std::shared_ptr<Account> account_;
};

PlannedEngine::PlannedEngine(ltv::BatchEnginePtr like)
    : like_(std::move(like)), account_(std::make_shared<Account>()) {}

PlannedEngine::~PlannedEngine() = default;

LtvCounts PlannedEngine::counts() const noexcept { return account_->counts; }

PolynomialsPtr PlannedEngine::blank(std::size_t items, std::size_t primes) {
  return std::make_shared<Blank>(items, primes, items * bytes_each(primes), account_);
}

PolynomialsPtr PlannedEngine::put(std::span<const ltv::Polynomial* const> polynomials) {
  return blank(polynomials.size(), polynomials[0]->primes);
}

std::vector<ltv::Polynomial> PlannedEngine::get(const ltv::Polynomials&) {
  throw ArgumentError("a plan has no coefficients to give");
}

PolynomialsPtr PlannedEngine::sums(std::span<const Member> terms, std::size_t, const std::vector<bool>& ones) {
  return blank(ones.size(), terms[0].array->primes());
}

PolynomialsPtr PlannedEngine::sum_products(std::span<const Member> a, std::span<const Member> b, std::size_t group) {
  const std::size_t primes = a[0].array->primes(), points = key().parameters()->arithmetic()->points();
  for (const std::span<const Member> side : {a, b}) {
    for (const auto& [array, number] : side) {
      std::vector<bool>& transformed = dynamic_cast<const Blank&>(*array).transformed;
      if (!transformed[number]) account_->transform(primes, points);
      transformed[number] = true;
    }
  }
  account_->transform(a.size() * primes, points);
  account_->counts.products += a.size() * primes * points;
  return blank(a.size() / group, primes);
}

PolynomialsPtr PlannedEngine::relinearized(std::span<const Member> polynomials) {
  const std::size_t primes = polynomials[0].array->primes(), points = key().parameters()->arithmetic()->points(),
                    digits = key().parameters()->digits(primes);
  account_->transform(polynomials.size() * (digits + primes), points);
  account_->counts.products += polynomials.size() * digits * primes * points;
  account_->counts.key_bytes += 8 * digits * primes * points;
  return blank(polynomials.size(), primes);
}

PolynomialsPtr PlannedEngine::lowered(const ltv::Polynomials& polynomials, const std::vector<bool>&) {
  return blank(polynomials.items(), polynomials.primes() - 1);
}

}  // namespace cyclotome::study
