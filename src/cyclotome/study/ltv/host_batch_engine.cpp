// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/study/ltv/batch_engine.hpp"

namespace cyclotome::study::ltv {

namespace {

struct HostPolynomials final : Polynomials {
  explicit HostPolynomials(std::vector<Polynomial> polynomials)
      : Polynomials(polynomials.size(), polynomials.front().primes), all(std::move(polynomials)) {}
  std::vector<Polynomial> all;
};

const std::vector<Polynomial>& all_of(const Polynomials& a) { return dynamic_cast<const HostPolynomials&>(a).all; }
const Polynomial& at(const Member& member) { return all_of(*member.array)[member.number]; }

class HostBatchEngine final : public BatchEngine {
 public:
  explicit HostBatchEngine(SwitchingKey key) : key_(std::move(key)), arithmetic_(*key_.parameters()->arithmetic()) {}

  const SwitchingKey& key() const noexcept override { return key_; }
  std::size_t items_at_once() const override { return 64; }
  void require_memory(const std::string& operation, std::size_t bytes) const override {
    require_main_memory(operation, bytes);
  }
  std::size_t bytes_each(std::size_t primes) const override { return 4 * primes * arithmetic_.degree(); }
  std::size_t bytes_besides() const override {
    return items_at_once() * 8 * key_.parameters()->levels() * arithmetic_.points();
  }

  PolynomialsPtr put(std::span<const Polynomial* const> polynomials) override {
    return each(polynomials.size(), [&](std::size_t i) { return *polynomials[i]; });
  }
  std::vector<Polynomial> get(const Polynomials& polynomials) override { return all_of(polynomials); }

  PolynomialsPtr sums(std::span<const Member> terms, std::size_t group, const std::vector<bool>& ones) override {
    return each(ones.size(), [&](std::size_t i) {
      Polynomial sum = at(terms[i * group]);
      for (std::size_t k = 1; k < group; ++k) sum = arithmetic_.add(sum, at(terms[i * group + k]));
      if (!ones[i]) return sum;
      for (std::size_t j = 0; j < sum.primes; ++j) {
        auto& constant = sum.words[j * sum.length];
        constant = arithmetic_.basis().modulus(j).add(constant, 1);
      }
      return sum;
    });
  }

  /// Every factor is transformed once.
  PolynomialsPtr sum_products(std::span<const Member> a, std::span<const Member> b, std::size_t group) override {
    std::map<const Polynomial*, Polynomial> transforms;
    const auto transform = [&](const Member& member) -> const Polynomial& {
      auto found = transforms.find(&at(member));
      if (found == transforms.end()) {
        check_interrupt();
        found = transforms.emplace(&at(member), arithmetic_.ntt(at(member))).first;
      }
      return found->second;
    };
    return each(a.size() / group, [&](std::size_t i) {
      Polynomial sum;
      for (std::size_t k = i * group; k < (i + 1) * group; ++k) {
        const Polynomial product = arithmetic_.intt(arithmetic_.dot(transform(a[k]), transform(b[k])));
        sum = k == i * group ? product : arithmetic_.add(sum, product);
      }
      return arithmetic_.reduced(sum);
    });
  }

  PolynomialsPtr relinearized(std::span<const Member> polynomials) override {
    return each(polynomials.size(),
                [&](std::size_t i) { return arithmetic_.reduced(times_key(at(polynomials[i]), key_)); });
  }

  PolynomialsPtr lowered(const Polynomials& polynomials, const std::vector<bool>& divided) override {
    const auto& all = all_of(polynomials);
    return each(all.size(), [&](std::size_t i) {
      return divided[i] ? arithmetic_.switched(all[i]) : arithmetic_.restricted(all[i], all[i].primes - 1);
    });
  }

 private:
  /// function(i) for each of so many items.
  template <class Function>
  PolynomialsPtr each(std::size_t count, const Function& function) const {
    std::vector<Polynomial> results;
    results.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      check_interrupt();
      results.push_back(function(i));
    }
    return std::make_shared<HostPolynomials>(std::move(results));
  }

  SwitchingKey key_;
  const Arithmetic& arithmetic_;
};

}  // namespace

void require_relinearization(const SwitchingKey& key) {
  if (key.element() == 0) return;
  throw MissingKeyError("circuits take LTV's key of relinearisation, not one that moves slots");
}

BatchEnginePtr host_batch_engine(SwitchingKey key) {
  require_relinearization(key);
  return std::make_shared<HostBatchEngine>(std::move(key));
}

}  // namespace cyclotome::study::ltv
