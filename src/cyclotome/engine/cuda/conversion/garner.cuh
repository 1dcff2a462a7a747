// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/memory/device_tables.cuh"
#include "cyclotome/ring/conversion/mixed_radix.hpp"

namespace cyclotome::cuda {

/// A MixedRadix on the device.
template <class W>
struct DeviceMixedRadix {
  const Modulus<W>* moduli;
  const ShoupFactor<W>* inverses;  // [i]: (q_0 ... q_(i-1))^-1 mod q_i
  const W* weights;                // [i (i - 1)/2 + j]: q_0 ... q_(j-1) mod q_i
  const std::uint32_t* sizes;
  std::uint32_t limbs, lazy_terms;
};

/// Residues to mixed-radix digits and to integers on the device: a thread for each coefficient (paper 000, Algorithm 4
/// as corrected). No step depends on the values, so nothing diverges. Constants are copied to the device when a basis
/// is first seen. Thread-safe; what is queued goes where it is told.
class Garner {
 public:
  /// out may be a.
  void digits(View out, ConstView a, const MixedRadix& step, const Queue& queue);
  /// words[batch][part][word][coefficient] = the integers of `digits`.
  void compose(std::uint64_t* words, ConstView digits, const MixedRadix& step, const Queue& queue);

 private:
  template <class W>
  DeviceMixedRadix<W> constants(const MixedRadix& step, const Queue& queue);

  struct Entry {
    DeviceTables tables;
    const void *moduli = nullptr, *inverses = nullptr, *weights = nullptr;
    const std::uint32_t* sizes = nullptr;
  };
  std::mutex mutex_;
  std::map<std::pair<Word, std::vector<std::uint64_t>>, Entry> entries_;
};

}  // namespace cyclotome::cuda
