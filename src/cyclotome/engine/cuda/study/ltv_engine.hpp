// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/study/ltv/keys.hpp"

namespace cyclotome {

/// Paper 002's arithmetic on one GPU, with the bits of `study::ltv::Arithmetic`: CRT and ICRT, the transform in three
/// kernels, products, Barrett's reduction, relinearisation and modulus switching, for many polynomials at once.
class LtvEngine final : public CudaEngine {
 public:
  using Arithmetic = study::ltv::Arithmetic;
  using Polynomial = study::ltv::Polynomial;

  /// Polynomials of one domain modulo so many primes, in the device's memory; rows follow one another. A shared NTT
  /// polynomial has `digits` rows each, else one for each prime.
  struct Batch {
    study::ltv::Domain domain;
    std::size_t items, primes, length;
    unsigned digits;  ///< rows of digits; 0: a row for each prime
    std::shared_ptr<Buffer> memory;
  };
  /// A relinearisation or Galois key, at level 0.
  struct Key {
    study::ltv::ParametersPtr parameters;
    std::vector<std::shared_ptr<Buffer>> digits;
    std::shared_ptr<Buffer> table;  ///< their addresses
  };

  /// One polynomial of a batch.
  struct Item {
    const Batch* batch;
    std::size_t number;
  };
  /// How products are reduced modulo Phi_m: as the paper does, or by sums and differences, without transforms. The bits
  /// are the same.
  enum class Reduction { barrett, sums };

  /// Throws EngineError as CudaEngine::create does, ParameterError below 8192 points.
  static std::shared_ptr<LtvEngine> create(study::ltv::ArithmeticPtr arithmetic, int device = 0);
  /// With a table of powers of the root of one's own, for tests of what a wrong one does.
  static std::shared_ptr<LtvEngine> create(study::ltv::ArithmeticPtr arithmetic, int device,
                                           const std::vector<std::uint64_t>& twiddles);
  ~LtvEngine() override;
  std::string name() const override;
  const Arithmetic& arithmetic() const noexcept { return *arithmetic_; }

  /// Polynomials of one domain, length and number of primes (MismatchError); not shared ones.
  Batch put(std::span<const Polynomial> polynomials);
  Batch put(std::span<const Polynomial* const> polynomials);
  Polynomial get(const Batch& batch, std::size_t item);
  Key put(const study::ltv::SwitchingKey& key);
  /// The same of digits in the CRT domain, at level 0, which are transformed here.
  Key put(const study::ltv::ParametersPtr& parameters, std::span<const Polynomial> digits);

  Batch crt(const Batch& raw);
  Batch icrt(const Batch& crt);
  Batch ntt(const Batch& crt);
  Batch intt(const Batch& ntt);
  Batch digits(const Batch& raw, unsigned window, unsigned count);
  Batch dot(const Batch& a, const Batch& b);
  /// Digits of polynomials times a key, summed.
  Batch multiply_add(const Batch& digits, const Key& key);
  Batch add(const Batch& a, const Batch& b);
  Batch barrett(const Batch& product);
  Batch multiply(const Batch& a, const Batch& b);
  Batch relinearize(const Batch& crt, const Key& key, Reduction reduction = Reduction::barrett);
  Batch switched(const Batch& crt);

  // Of polynomials wherever they lie, of one number of primes (MismatchError), CRT domain.
  /// Each `group` neighbours added up, plus 1 where ones[i]; as many as `ones` has.
  Batch sums(std::span<const Item> terms, std::size_t group, const std::vector<bool>& ones);
  Batch ntt(std::span<const Item> polynomials);
  /// INTT of a[i] b[i], which are in NTT.
  Batch products(std::span<const Item> a, std::span<const Item> b);
  /// Each `group` neighbours of 2n - 1 coefficients added up and reduced modulo Phi_m by sums and differences.
  Batch reduced(const Batch& product, std::size_t group = 1);
  /// One prime less: divided by it as `switched` does where divided[i], else as they are.
  Batch lowered(const Batch& crt, const std::vector<bool>& divided);

  /// Bytes of what is kept on the device, at level 0, by the names of paper 002's Table 3. Phi_m itself is not kept,
  /// only its transform.
  std::vector<std::pair<std::string, std::size_t>> table_bytes() const;
  /// Microseconds that the device takes for one call of `work`, by CUDA events around `repetitions` (>= 1) of them.
  double event_time(const std::function<void()>& work, unsigned repetitions);

 private:
  Key key_of(const study::ltv::ParametersPtr& parameters, std::vector<std::shared_ptr<Buffer>> digits);
  struct Tables;
  LtvEngine(study::ltv::ArithmeticPtr arithmetic, int device, const std::vector<std::uint64_t>& twiddles);
  Batch empty(study::ltv::Domain domain, std::size_t items, std::size_t primes, std::size_t length,
              unsigned digits = 0);
  template <class Source>
  Batch forward(const Source& source, std::size_t items, std::size_t primes, unsigned digits);
  template <class Source>
  Batch backward(const Source& source, std::size_t items, std::size_t primes);
  Batch ntt_of(const Batch& crt, std::size_t first, std::size_t count);
  Batch dot_kept(const Batch& a, const std::uint64_t* kept);

  study::ltv::ArithmeticPtr arithmetic_;
  std::unique_ptr<Tables> tables_;
};

}  // namespace cyclotome
