// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/conversion/garner.cuh"

namespace cyclotome::cuda {

namespace {

constexpr unsigned block_threads = 128;

/// Digit i = (x_i - sum over j < i of digit j times weight ij) times inverse i. Digits wait in `out`, which may be `a`:
/// a thread touches its own coefficient only. Grid: (coefficients, 1, items).
template <class W>
__global__ void mixed_radix(DeviceView<W> out, DeviceView<W> a, DeviceMixedRadix<W> t) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, item = blockIdx.z;
  if (c >= out.degree) return;
  const W* weight = t.weights;
  for (std::uint32_t i = 0; i < t.limbs; ++i) {
    const Modulus<W> q = t.moduli[i];
    const W residue = a.limb(item, i)[c];
    Wide<W> sum = 0;
    for (std::uint32_t j = 0, terms = 0; j < i; ++j, ++weight) {
      if (terms++ == t.lazy_terms) {
        sum = q.reduce_wide(sum);
        terms = 1;
      }
      sum += static_cast<Wide<W>>(out.limb(item, j)[c]) * *weight;
    }
    out.limb(item, i)[c] = t.inverses[i].multiply(q.subtract(residue, q.reduce_wide(sum)), q.value());
  }
}

/// Grid: (coefficients, 1, items).
template <class W>
__global__ void compose_integers(std::uint64_t* words, DeviceView<W> digits, DeviceMixedRadix<W> t) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, n = digits.degree;
  if (c >= n) return;
  std::uint64_t* const integer = words + static_cast<std::size_t>(blockIdx.z) * t.sizes[0] * n + c;
  compose_digits(static_cast<const W*>(digits.limb(blockIdx.z, 0)) + c, n, t.moduli, t.sizes, t.limbs, integer, n);
}

dim3 grid_of(ConstView a) {
  return {static_cast<unsigned>((a.degree() + block_threads - 1) / block_threads), 1,
          static_cast<unsigned>(a.batch * a.parts)};
}

/// Products of a digit and a weight that fit the double word beside a reduced sum: at least 1, since moduli are below
/// half a word.
template <class W>
std::uint32_t lazy_terms(const Basis& basis) {
  const Wide<W> largest = *std::max_element(basis.values().begin(), basis.values().end()) - 1;
  const Wide<W> terms = (~static_cast<Wide<W>>(0) - largest) / (largest * largest);
  return terms > 1024 ? 1024U : static_cast<std::uint32_t>(terms);
}

}  // namespace

template <class W>
DeviceMixedRadix<W> Garner::constants(const MixedRadix& step, const Queue& queue) {
  const std::lock_guard lock(mutex_);
  const Basis& basis = step.ring->basis();
  Entry& entry = entries_[{basis.word(), basis.values()}];
  if (entry.sizes == nullptr) {
    Entry made;
    const cudaStream_t stream = queue.stream();
    std::vector<ShoupFactor<W>> inverses;
    for (std::size_t i = 0; i < basis.size(); ++i) {
      inverses.emplace_back(static_cast<W>(step.inverses[i]), static_cast<W>(basis[i]));
    }
    const auto moduli = basis.template moduli<W>();
    made.moduli = made.tables.put(std::vector<Modulus<W>>(moduli.begin(), moduli.end()), stream);
    made.inverses = made.tables.put(inverses, stream);
    made.weights = made.tables.put(std::vector<W>(step.weights.begin(), step.weights.end()), stream);
    made.sizes = made.tables.put(step.sizes, stream);
    entry = std::move(made);
  }
  return {static_cast<const Modulus<W>*>(entry.moduli), static_cast<const ShoupFactor<W>*>(entry.inverses),
          static_cast<const W*>(entry.weights),         entry.sizes,
          static_cast<std::uint32_t>(basis.size()),     lazy_terms<W>(basis)};
}

void Garner::digits(View out, ConstView a, const MixedRadix& step, const Queue& queue) {
  with_word(out.word(), [&]<class W>(W) {
    const auto prepared = constants<W>(step, queue);
    for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
      const View to = out.items(first, count);
      const ConstView from = a.batch == 1 ? a : a.items(first, count);
      launch<mixed_radix<W>>(queue, grid_of(to), block_threads, 0, 1, "mixed radix", device_view<W>(to, to.parts),
                             device_view<W>(from, to.parts), prepared);
    });
  });
}

void Garner::compose(std::uint64_t* words, ConstView digits, const MixedRadix& step, const Queue& queue) {
  with_word(digits.word(), [&]<class W>(W) {
    const auto prepared = constants<W>(step, queue);
    for_pieces(digits.batch, digits.parts, [&](std::size_t first, std::size_t count) {
      const ConstView from = digits.items(first, count);
      launch<compose_integers<W>>(queue, grid_of(from), block_threads, 0, 1, "reconstruction",
                                  words + first * digits.parts * step.words() * digits.degree(),
                                  device_view<W>(from, from.parts), prepared);
    });
  });
}

}  // namespace cyclotome::cuda
