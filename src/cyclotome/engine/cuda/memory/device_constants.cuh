// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <tuple>
#include <vector>

#include "cyclotome/engine/cuda/code_paths.hpp"
#include "cyclotome/engine/cuda/conversion/convert.cuh"
#include "cyclotome/engine/cuda/conversion/digits.cuh"
#include "cyclotome/engine/cuda/memory/constant_cache.cuh"
#include "cyclotome/engine/cuda/phi_m/prime_factor_constants.cuh"
#include "cyclotome/engine/cuda/tables.cuh"
#include "cyclotome/engine/cuda/transform/transform.cuh"
#include "cyclotome/ring/tables/key_switch_constants.hpp"

namespace cyclotome::cuda {

template <class W>
struct DeviceDigits {
  const DeviceDigit<W>* data;
  std::uint32_t count;
};

/// Constants of rings and conversions where kernels read them: made once from what is known on the host, found again by
/// the ids of rings and conversions. Whoever goes on using them holds them. Thread-safe.
class DeviceConstants {
 public:
  explicit DeviceConstants(Upload upload) : prime_factors(upload), upload_(std::move(upload)) {}

  CodePaths paths;                     ///< of the kernels that will read them
  PrimeFactorConstants prime_factors;  ///< of rings over Phi_m, beside ring_tables

  template <class W>
  Resident<const RingTables<W>*> ring_tables(const Ring& ring);
  LimbArithmetics arithmetics(const Ring& ring) const;
  template <class W>
  Resident<ColumnConversion<W>> conversion(const BaseConversion& conversion);
  /// Of a division, one for each limb; made anew each time, as what follows is.
  template <class W>
  Resident<const ShoupFactor<W>*> make_factors(const Basis& basis, const std::vector<std::uint64_t>& factors);
  template <class W>
  Resident<DeviceDigits<W>> make_digits(const KeySwitchConstants& step);
  /// Where values of a ring's items stand: null for none. The ring's index tells them all.
  Resident<const std::uint32_t*> slot_positions(const Ring& ring, std::span<const std::uint32_t> positions);
  /// A conversion's constants as digits have them.
  template <class W>
  Resident<DeviceConversion<W>> make_extension(const BaseConversion& extension);

 private:
  bool on_doubles(const Ring& ring, std::size_t l) const;
  template <class W>
  LimbTables<W> limb_tables(const Ring& ring, std::size_t l, std::vector<ConstantMemory>& used);
  template <class W>
  Resident<ColumnConversion<W>> make_conversion(const BaseConversion& conversion);

  Upload upload_;
  ConstantCache rings_, conversions_;
  OnceByKey<std::uint64_t, ConstantMemory> slot_positions_;
  /// Roots by word, degree and modulus, from which the root of unity follows; rings share them.
  OnceByKey<std::tuple<Word, std::size_t, std::uint64_t>, ConstantMemory> roots_;
};

}  // namespace cyclotome::cuda
