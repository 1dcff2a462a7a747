// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/study/wide_tables.cuh"
#include "cyclotome/study/fermat/limbs/wide_engine.hpp"

// Conversions between wide limbs and words with their constants on the device. Each is one step of a WideEngine.
namespace cyclotome::cuda::study {

using cyclotome::study::fermat::FromWide;
using cyclotome::study::fermat::Many;
using cyclotome::study::fermat::Punctured;
using cyclotome::study::fermat::ToLimb;

/// The first half of FastBConv.
class DevicePuncture {
 public:
  DevicePuncture(std::shared_ptr<CudaEngine> engine, std::shared_ptr<const Punctured> punctured);
  std::size_t words() const noexcept { return punctured_->words(); }
  /// Whether y is x: nothing to do.
  bool is_identity() const noexcept { return limbs_.empty() && word_moduli_ == nullptr; }
  void run(Word* out, const Word* in, const Many& many) const;

 private:
  struct PerLimb {
    LimbTable table;
    const Word *inverse, *divisor;  ///< null for the shifts
    unsigned shift;
    GeneralPuncture general;
  };
  void shifts(const Queue& queue, const PerLimb& limb, DeviceRows out, DeviceRows in, std::size_t parts) const;

  mutable WideTables tables_;
  std::shared_ptr<const Punctured> punctured_;
  std::vector<PerLimb> limbs_;
  const Modulus<Word>* word_moduli_ = nullptr;
  const Word* word_factors_ = nullptr;
};

/// FastBConv: punctured, and multiplied by the weights of the targets.
class DeviceFromWide {
 public:
  DeviceFromWide(std::shared_ptr<CudaEngine> engine, const FromWide& conversion);
  void run(Word* out, const Word* in, const Many& many) const;

 private:
  void dot(const Queue& queue, DeviceRows out, DeviceRows y, std::size_t parts) const;

  mutable WideTables tables_;
  DevicePuncture puncture_;
  unsigned words_, targets_, tile_;
  const Word* weights_;
  const Modulus<Word>* moduli_;
};

/// Back to one limb.
class DeviceToLimb {
 public:
  DeviceToLimb(std::shared_ptr<CudaEngine> engine, const ToLimb& conversion);
  void run(Word* out, const Word* y, const std::int64_t* wraps, const Many& many) const;

 private:
  static constexpr unsigned column_words = 4;

  mutable WideTables tables_;
  LimbTable limb_;
  unsigned factors_;  ///< primes, and the wraps
  const Word *weights_, *tops_, *start_;
  Word small_start_;
};

}  // namespace cyclotome::cuda::study
