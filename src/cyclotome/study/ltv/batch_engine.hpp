// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/ltv/operations.hpp"

// WHERE many of LTV's polynomials are computed with at once. All ways give the same bits.
namespace cyclotome::study::ltv {

/// Polynomials modulo one number of primes, reduced, in the memory of the engine that made them. Immutable.
class Polynomials {
 public:
  Polynomials(std::size_t items, std::size_t primes) : items_(items), primes_(primes) {}
  Polynomials(const Polynomials&) = delete;
  Polynomials& operator=(const Polynomials&) = delete;
  virtual ~Polynomials() = default;
  std::size_t items() const noexcept { return items_; }
  std::size_t primes() const noexcept { return primes_; }

 private:
  std::size_t items_, primes_;
};

using PolynomialsPtr = std::shared_ptr<const Polynomials>;

/// One of them.
struct Member {
  const Polynomials* array;
  std::size_t number;
};

/// Computes with the polynomials that it made, and with one key of relinearisation. Members of one call have one number
/// of primes.
class BatchEngine {
 public:
  virtual ~BatchEngine() = default;

  virtual const SwitchingKey& key() const noexcept = 0;
  /// How many products or relinearisations are worth computing at once.
  virtual std::size_t items_at_once() const = 0;
  /// Throws MemoryLimitError where so many bytes, of what `operation` names, do not fit.
  virtual void require_memory(const std::string& operation, std::size_t bytes) const = 0;
  /// Bytes that one polynomial takes, and what is needed besides at most.
  virtual std::size_t bytes_each(std::size_t primes) const = 0;
  virtual std::size_t bytes_besides() const = 0;

  /// CRT domain, n coefficients, one or more.
  virtual PolynomialsPtr put(std::span<const Polynomial* const> polynomials) = 0;
  virtual std::vector<Polynomial> get(const Polynomials& polynomials) = 0;

  /// Each `group` neighbours added up, plus 1 where ones[i]. `ones` has a value for each result.
  virtual PolynomialsPtr sums(std::span<const Member> terms, std::size_t group, const std::vector<bool>& ones) = 0;
  /// The products of a[i] and b[i], each `group` neighbours added up.
  virtual PolynomialsPtr sum_products(std::span<const Member> a, std::span<const Member> b, std::size_t group) = 0;
  virtual PolynomialsPtr relinearized(std::span<const Member> polynomials) = 0;
  /// One prime less: divided by it (`Arithmetic::switched`) where divided[i], else as they are.
  virtual PolynomialsPtr lowered(const Polynomials& polynomials, const std::vector<bool>& divided) = 0;
  /// Waits for what was asked for.
  virtual void synchronize() {}
};

using BatchEnginePtr = std::shared_ptr<BatchEngine>;

/// On one thread of this processor. Throws MissingKeyError unless the key relinearises.
BatchEnginePtr host_batch_engine(SwitchingKey key);
/// Throws MissingKeyError unless the key relinearises.
void require_relinearization(const SwitchingKey& key);

}  // namespace cyclotome::study::ltv
