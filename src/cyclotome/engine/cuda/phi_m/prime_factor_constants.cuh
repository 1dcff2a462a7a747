// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <tuple>

#include "cyclotome/engine/cuda/memory/constant_cache.cuh"
#include "cyclotome/engine/cuda/phi_m/prime_factor.cuh"
#include "cyclotome/ring/ring.hpp"

namespace cyclotome::cuda {

/// Constants of transforms over Phi_m where kernels read them. Rings share those of a limb, and of an index.
/// Thread-safe.
class PrimeFactorConstants {
 public:
  explicit PrimeFactorConstants(Upload upload) : upload_(std::move(upload)) {}

  /// Of a cyclotomic ring whose limbs all have a transform; matrices: whether kernels that multiply by them may be
  /// used.
  template <class W>
  Resident<PrimeFactorRing<W>> of_ring(const Ring& ring, bool matrices);
  /// By place: which one the automorphism of `element` takes it from.
  Resident<const std::uint32_t*> moved(const GaloisGroup& galois, std::uint64_t element);
  /// ErrorSums::addresses.
  Resident<const std::uint32_t*> error_addresses(const RingShape& shape);

 private:
  template <class W>
  PrimeFactorLimb<W> limb(const PrimeFactorTables<W>& tables, bool matrices, std::vector<ConstantMemory>& used);
  template <class W>
  std::array<PrimeFactorAxis, max_axes> axes(const PrimeFactorTables<W>& tables, std::vector<ConstantMemory>& used);

  /// Words that `make` makes unless they are there.
  template <class Make>
  Resident<const std::uint32_t*> kept(ConstantMemory& memory, const Make& make);

  Upload upload_;
  ConstantCache rings_;
  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, ConstantMemory> moved_;  ///< by index and element
  std::map<std::uint64_t, ConstantMemory> error_addresses_;                  ///< by index
  /// Only while a ring is made, with the cache's lock.
  std::map<std::uint64_t, ConstantMemory> axes_;
  std::map<std::tuple<Word, std::uint64_t, std::uint64_t>, ConstantMemory> limbs_;
};

}  // namespace cyclotome::cuda
