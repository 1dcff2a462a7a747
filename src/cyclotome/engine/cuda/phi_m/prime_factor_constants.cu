// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/phi_m/prime_factor_constants.cuh"

namespace cyclotome::cuda {

namespace {

struct Offsets {
  std::size_t splits, merges, kernel;
};

template <class W>
Offsets pack(Packed& packed, const FixedConvolution<W>& convolution) {
  return {packed.add(convolution.splits), packed.add(convolution.merges), packed.add(convolution.kernel)};
}

}  // namespace

/// One piece of memory for all axes: starts and offsets of each.
template <class W>
std::array<PrimeFactorAxis, max_axes> PrimeFactorConstants::axes(const PrimeFactorTables<W>& tables,
                                                                 std::vector<ConstantMemory>& used) {
  const CyclotomicIndex& index = *tables.index;
  Packed packed;
  std::vector<std::size_t> places;
  for (const auto& axis : index.axes()) {
    places.push_back(packed.add(axis.starts));
    places.push_back(packed.add(axis.offsets));
  }
  ConstantMemory& memory = axes_[index.index()];
  if (memory == nullptr) memory = upload_(packed.bytes().data(), packed.bytes().size());
  used.push_back(memory);
  std::array<PrimeFactorAxis, max_axes> made{};
  for (std::size_t a = 0; a < index.axes().size(); ++a) {
    const auto& axis = index.axes()[a];
    made[a] = {
        at<std::uint32_t>(memory, places[2 * a]),       at<std::uint32_t>(memory, places[2 * a + 1]),
        static_cast<std::uint32_t>(axis.length()),      static_cast<std::uint32_t>(tables.to_transform[a].padded),
        static_cast<std::uint32_t>(axis.starts.size()), axis.offsets[1] == axis.offsets[0] + 1};
  }
  return made;
}

template <class W>
PrimeFactorLimb<W> PrimeFactorConstants::limb(const PrimeFactorTables<W>& tables, bool matrices,
                                              std::vector<ConstantMemory>& used) {
  PrimeFactorLimb<W> made{};
  const std::vector<FixedConvolution<W>>* const directions[2] = {&tables.to_transform, &tables.to_coefficients};
  ConstantMemory& memory = limbs_[{tables.word, tables.index->index(), tables.modulus.value()}];
  if constexpr (sizeof(W) == 4) {
    if (matrices) {
      if (memory == nullptr) {
        const MatrixTables both[2] = {matrix_tables(tables, false), matrix_tables(tables, true)};
        memory = upload_(both, sizeof(both));
      }
      used.push_back(memory);
      for (std::size_t d = 0; d < 2; ++d) made.matrices[d] = at<MatrixTables>(memory, d * sizeof(MatrixTables));
      return made;
    }
  }
  Packed packed;
  std::vector<Offsets> places;
  for (const auto* const convolutions : directions) {
    for (const FixedConvolution<W>& convolution : *convolutions) places.push_back(pack(packed, convolution));
  }
  if (memory == nullptr) memory = upload_(packed.bytes().data(), packed.bytes().size());
  used.push_back(memory);
  std::size_t next = 0;
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::size_t a = 0; a < directions[d]->size(); ++a, ++next) {
      made.convolutions[d][a] = {at<ShoupFactor<W>>(memory, places[next].splits),
                                 at<ShoupFactor<W>>(memory, places[next].merges), at<W>(memory, places[next].kernel),
                                 static_cast<std::uint32_t>((*directions[d])[a].block)};
    }
  }
  return made;
}

template <class W>
Resident<PrimeFactorRing<W>> PrimeFactorConstants::of_ring(const Ring& ring, bool matrices) {
  return rings_.find<PrimeFactorRing<W>>(ring.id(), [&] {
    std::vector<ConstantMemory> used;
    std::vector<PrimeFactorLimb<W>> limbs;
    PrimeFactorRing<W> made{};
    const auto& first = ring.transform_as<PrimeFactorTables<W>>(0);
    if (sizeof(W) == 4 && matrices) made.matrix_rows = matrix_rows(*first.index).value_or(0);
    for (std::size_t l = 0; l < ring.limbs(); ++l) {
      limbs.push_back(limb(ring.transform_as<PrimeFactorTables<W>>(l), made.matrix_rows != 0, used));
    }
    if (made.matrix_rows == 0) {
      made.axis_count = static_cast<std::uint32_t>(first.index->axes().size());
      made.axes = axes(first, used);
    }
    used.push_back(upload_(limbs.data(), limbs.size() * sizeof(limbs[0])));
    made.limbs = static_cast<const PrimeFactorLimb<W>*>(used.back().get());
    return Resident<PrimeFactorRing<W>>{made, together(std::move(used))};
  });
}

template <class Make>
Resident<const std::uint32_t*> PrimeFactorConstants::kept(ConstantMemory& memory, const Make& make) {
  if (memory == nullptr) {
    const std::vector<std::uint32_t> words = make();
    memory = upload_(words.data(), words.size() * sizeof(words[0]));
  }
  return {static_cast<const std::uint32_t*>(memory.get()), memory};
}

Resident<const std::uint32_t*> PrimeFactorConstants::moved(const GaloisGroup& galois, std::uint64_t element) {
  const std::lock_guard lock(mutex_);
  return kept(moved_[{galois.index(), element}], [&] { return galois.slots(element); });
}

Resident<const std::uint32_t*> PrimeFactorConstants::error_addresses(const RingShape& shape) {
  const std::lock_guard lock(mutex_);
  return kept(error_addresses_[shape.index()], [&] { return shape.errors().addresses; });
}

template Resident<PrimeFactorRing<std::uint32_t>> PrimeFactorConstants::of_ring(const Ring&, bool);
template Resident<PrimeFactorRing<std::uint64_t>> PrimeFactorConstants::of_ring(const Ring&, bool);

}  // namespace cyclotome::cuda
