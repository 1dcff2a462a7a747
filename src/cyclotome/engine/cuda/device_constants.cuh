// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "cyclotome/engine/cuda/code_paths.hpp"
#include "cyclotome/engine/cuda/convert.cuh"
#include "cyclotome/engine/cuda/digits.cuh"
#include "cyclotome/engine/cuda/tables.cuh"
#include "cyclotome/engine/cuda/transform.cuh"
#include "cyclotome/ring/key_switch_constants.hpp"

namespace cyclotome::cuda {

/// Memory that kernels read, kept as long as somebody holds this.
using ConstantMemory = std::shared_ptr<const void>;

/// What kernels are given to find constants, and what keeps them there.
template <class T>
struct Resident {
  T value;
  ConstantMemory memory;
};

template <class W>
struct DeviceDigits {
  const DeviceDigit<W>* data;
  std::uint32_t count;
};

/// Constants of rings and conversions where kernels read them: made once from what is known on the host, found again by
/// the ids of rings and conversions. Whoever goes on using them holds them. Thread-safe.
class DeviceConstants {
 public:
  /// Copies bytes to where kernels read them, complete when it returns.
  using Upload = std::function<ConstantMemory(const void* host, std::size_t bytes)>;

  explicit DeviceConstants(Upload upload) : upload_(std::move(upload)) {}

  CodePaths paths;  ///< of the kernels that will read them

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
  /// One for each item of a launch.
  Resident<PeakCell*> peak_cells();

 private:
  /// A structure of pointers as bytes: its type depends on the word.
  struct Constants {
    ConstantMemory memory;
    std::vector<unsigned char> structure;
  };
  /// What was made lately, and before that: entries in use are not dropped under another thread's hands.
  struct Cache {
    std::unordered_map<std::uint64_t, Constants> recent, older;
  };

  /// The structure under `id`, made by `make` (with the lock held) unless it is there.
  template <class Structure, class Make>
  Resident<Structure> find(Cache& cache, std::uint64_t id, const Make& make);
  bool on_doubles(const Ring& ring, std::size_t l) const;
  template <class W>
  LimbTables<W> limb_tables(const Ring& ring, std::size_t l, std::vector<ConstantMemory>& used);
  template <class W>
  Constants make_conversion(const BaseConversion& conversion);
  template <class W>
  Resident<DeviceConversion<W>> make_extension(const BaseConversion& extension);

  Upload upload_;
  std::mutex mutex_;
  ConstantMemory peak_cells_;
  Cache rings_, conversions_;
  /// Roots by word, degree and modulus, from which the root of unity follows; rings share them.
  std::map<std::tuple<Word, std::size_t, std::uint64_t>, ConstantMemory> roots_;
};

}  // namespace cyclotome::cuda
