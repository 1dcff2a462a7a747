// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cyclotome/engine/cuda/floating_arithmetic.hpp"
#include "cyclotome/engine/cuda/state.cuh"

namespace cyclotome {

using cuda::check;
using cuda::Constants;
using cuda::DeviceMemory;
using cuda::DeviceMemoryPtr;

namespace {

/// Bytes of one host array after another, each aligned to 16; offsets tell where.
class Packed {
 public:
  template <class T>
  std::size_t add(const T* data, std::size_t count) {
    bytes_.resize((bytes_.size() + 15) / 16 * 16);
    const std::size_t offset = bytes_.size();
    const auto* const raw = reinterpret_cast<const unsigned char*>(data);
    bytes_.insert(bytes_.end(), raw, raw + count * sizeof(T));
    return offset;
  }
  template <class T>
  std::size_t add(const std::vector<T>& values) {
    return add(values.data(), values.size());
  }
  const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  std::vector<unsigned char> bytes_;
};

template <class T>
const T* at(const DeviceMemory& memory, std::size_t offset) {
  return reinterpret_cast<const T*>(static_cast<const unsigned char*>(memory.data()) + offset);
}

template <class T>
std::vector<unsigned char> as_bytes(const T& value) {
  const auto* const raw = reinterpret_cast<const unsigned char*>(&value);
  return {raw, raw + sizeof(T)};
}

template <class T>
T from_bytes(const std::vector<unsigned char>& bytes) {
  T value;
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<unsigned char*>(&value));
  return value;
}

template <class W>
std::vector<cuda::Twiddle<W>> interleaved(const std::vector<W>& operands, const std::vector<W>& quotients) {
  std::vector<cuda::Twiddle<W>> result(operands.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = {operands[i], quotients[i]};
  return result;
}

/// Residues as factors of the arithmetic on doubles.
template <class W>
std::vector<double> centred(const std::vector<W>& residues, const cuda::FloatingArithmetic& arithmetic) {
  std::vector<double> result;
  for (const W residue : residues) result.push_back(arithmetic.centred(residue));
  return result;
}

/// Constants of short-lived rings and conversions are dropped when this many newer ones are kept.
constexpr std::size_t cache_limit = 4096;

}  // namespace

DeviceMemoryPtr CudaEngine::State::put(const void* host, std::size_t bytes) {
  auto memory = std::make_shared<DeviceMemory>(bytes, stream);
  check(cudaMemcpyAsync(memory->data(), host, bytes, cudaMemcpyHostToDevice, stream), "copy of constants");
  check(cudaStreamSynchronize(stream), "copy of constants");  // the host copy goes away
  return memory;
}

template <class Structure, class Make>
Structure CudaEngine::State::find(Cache& cache, std::uint64_t id, const Make& make) {
  const std::lock_guard lock(mutex_);
  auto found = cache.recent.find(id);
  if (found == cache.recent.end()) {
    if (cache.recent.size() >= cache_limit) cache.older = std::exchange(cache.recent, {});
    auto old = cache.older.extract(id);
    found = old.empty() ? cache.recent.emplace(id, make()).first : cache.recent.insert(std::move(old)).position;
  }
  if (cuda::Recording* const kept_by = recording()) {
    for (const DeviceMemoryPtr& memory : found->second.memory) kept_by->keep(memory);
  }
  return from_bytes<Structure>(found->second.structure);
}

bool CudaEngine::State::on_doubles(const Ring& ring, std::size_t l) const {
  return paths.doubles && ring.word() == Word::u64 && ring.has_transform(l) &&
         ring.basis()[l] < cuda::max_floating_modulus;
}

cuda::LimbArithmetics CudaEngine::State::arithmetics(const Ring& ring) const {
  cuda::LimbArithmetics found{};
  for (std::size_t l = 0; l < ring.limbs(); ++l) (on_doubles(ring, l) ? found.floating : found.integer) = true;
  return found;
}

template <class W>
cuda::LimbTables<W> CudaEngine::State::limb_tables(const Ring& ring, std::size_t l) {
  cuda::LimbTables<W> result{};
  result.modulus = ring.basis().moduli<W>()[l];
  W inverse = 1;  // Newton's iteration doubles the correct bits; 1 is right modulo 2
  for (unsigned bits = 1; bits < word_bits<W>; bits *= 2) inverse *= 2 - result.modulus.value() * inverse;
  result.negative_inverse = static_cast<W>(0 - inverse);
  result.two_q = static_cast<W>(2 * result.modulus.value());
  if (!ring.has_transform(l)) return result;
  const auto& tables = ring.tables<W>(l);
  const W q = tables.modulus.value();
  const bool floating = on_doubles(ring, l);
  const double reciprocal = 1.0 / static_cast<double>(q);
  const cuda::FloatingArithmetic arithmetic(q, reciprocal);
  DeviceMemoryPtr& memory = roots_[{ring.word(), tables.degree, q}];
  if (memory == nullptr) {
    Packed packed;
    packed.add(interleaved(tables.roots, tables.root_quotients));
    packed.add(interleaved(tables.inverse_roots, tables.inverse_root_quotients));
    if (floating) {
      packed.add(centred(tables.roots, arithmetic));
      packed.add(centred(tables.inverse_roots, arithmetic));
    }
    memory = put(packed.bytes().data(), packed.bytes().size());
  }
  result.roots = at<cuda::Twiddle<W>>(*memory, 0);
  result.inverse_roots = result.roots + tables.degree;
  if (floating) {
    const auto* const roots =
        at<double>(*memory, (tables.roots.size() + tables.inverse_roots.size()) * sizeof(cuda::Twiddle<W>));
    result.floating = {roots, roots + tables.degree, reciprocal, arithmetic.centred(tables.inverse_degree.operand),
                       arithmetic.centred(tables.last_inverse_root.operand)};
  }
  result.scale = {tables.inverse_degree, tables.last_inverse_root};
  const auto times_word = [&](W factor) {
    return ShoupFactor<W>(result.modulus.reduce_wide(static_cast<Wide<W>>(factor) << word_bits<W>), q);
  };
  result.word = times_word(1);
  result.scale_times_word = {times_word(tables.inverse_degree.operand), times_word(tables.last_inverse_root.operand)};
  return result;
}

template <class W>
const cuda::RingTables<W>* CudaEngine::State::ring_tables(const Ring& ring) {
  return find<const cuda::RingTables<W>*>(rings_, ring.id(), [&] {
    std::vector<cuda::LimbTables<W>> limbs;
    for (std::size_t l = 0; l < ring.limbs(); ++l) limbs.push_back(limb_tables<W>(ring, l));
    const DeviceMemoryPtr memory = put(limbs.data(), limbs.size() * sizeof(limbs[0]));
    return Constants{{memory}, as_bytes(static_cast<const cuda::RingTables<W>*>(memory->data()))};
  });
}

template <class W>
Constants CudaEngine::State::make_conversion(const BaseConversion& conversion) {
  const cuda::HostConversion<W> host = cuda::host_conversion<W>(conversion);
  Packed packed;
  const std::size_t source = packed.add(host.sources), target = packed.add(host.targets),
                    matrix = packed.add(host.matrix), exact = packed.add(host.exact),
                    moduli = packed.add(conversion.target().moduli<W>().data(), host.targets.size()),
                    copy_factors = packed.add(host.copy_factors), copied = packed.add(conversion.copies());
  const DeviceMemoryPtr memory = put(packed.bytes().data(), packed.bytes().size());
  return {{memory},
          as_bytes(cuda::ColumnConversion<W>{
              host.shape, at<cuda::SourceConstants<W>>(*memory, source), at<cuda::TargetConstants<W>>(*memory, target),
              at<cuda::TermTile<W>>(*memory, matrix), at<cuda::ExactFraction<W>>(*memory, exact),
              at<Modulus<W>>(*memory, moduli), at<cuda::Term<W>>(*memory, copy_factors), at<int>(*memory, copied)})};
}

template <class W>
Constants CudaEngine::State::make_extension(const BaseConversion& extension) {
  const auto& tables = extension.tables<W>();
  const auto targets = extension.target().moduli<W>();
  const std::size_t sources = extension.source().size();
  constexpr std::size_t tile = cuda::tile_targets;
  std::vector<W> negative_wraps;
  std::vector<cuda::TargetTile<W>> matrix((targets.size() + tile - 1) / tile * sources);
  for (std::size_t j = 0; j < targets.size(); ++j) {
    negative_wraps.push_back(cuda::times_word(tables.negative_wraps[j], targets[j]));
    for (std::size_t i = 0; i < sources; ++i) {
      matrix[j / tile * sources + i].word[j % tile] = cuda::times_word(tables.matrix[j * sources + i], targets[j]);
    }
  }
  Packed packed;
  const std::size_t offsets[6] = {packed.add(tables.punctured_inverses),
                                  packed.add(tables.reciprocals),
                                  packed.add(extension.source().moduli<W>().data(), sources),
                                  packed.add(matrix),
                                  packed.add(negative_wraps),
                                  packed.add(extension.copies())};
  const DeviceMemoryPtr memory = put(packed.bytes().data(), packed.bytes().size());
  return {{memory},
          as_bytes(cuda::DeviceConversion<W>{
              at<ShoupFactor<W>>(*memory, offsets[0]), at<std::uint64_t>(*memory, offsets[1]),
              at<Modulus<W>>(*memory, offsets[2]), at<cuda::TargetTile<W>>(*memory, offsets[3]),
              at<W>(*memory, offsets[4]), at<int>(*memory, offsets[5]), static_cast<std::uint32_t>(sources),
              static_cast<std::uint32_t>(targets.size()), static_cast<std::uint32_t>(extension.lazy_terms())})};
}

template <class W>
cuda::ColumnConversion<W> CudaEngine::State::conversion(const BaseConversion& conversion) {
  return find<cuda::ColumnConversion<W>>(conversions_, conversion.id(), [&] { return make_conversion<W>(conversion); });
}

template <class W>
const ShoupFactor<W>* CudaEngine::State::division_factors(const DivideAndRound& step) {
  return find<const ShoupFactor<W>*>(divisions_, step.correction.id(), [&] {
    std::vector<ShoupFactor<W>> factors;
    for (std::size_t l = 0; l < step.factors.size(); ++l) {
      factors.emplace_back(static_cast<W>(step.factors[l]), static_cast<W>(step.kept->basis()[l]));
    }
    const DeviceMemoryPtr memory = put(factors.data(), factors.size() * sizeof(factors[0]));
    return Constants{{memory}, as_bytes(static_cast<const ShoupFactor<W>*>(memory->data()))};
  });
}

template <class W>
cuda::DeviceDigits<W> CudaEngine::State::digits(const KeySwitchStep& step) {
  return find<cuda::DeviceDigits<W>>(digits_, step.digits.front().extension.id(), [&] {
    Constants made;
    std::vector<cuda::DeviceDigit<W>> digits;
    for (const auto& digit : step.digits) {
      const Constants extension = make_extension<W>(digit.extension);
      made.memory.push_back(extension.memory.front());
      digits.push_back(
          {from_bytes<cuda::DeviceConversion<W>>(extension.structure), static_cast<std::uint32_t>(digit.first)});
    }
    made.memory.push_back(put(digits.data(), digits.size() * sizeof(digits[0])));
    made.structure =
        as_bytes(cuda::DeviceDigits<W>{static_cast<const cuda::DeviceDigit<W>*>(made.memory.back()->data()),
                                       static_cast<std::uint32_t>(digits.size())});
    return made;
  });
}

cuda::PeakOutput CudaEngine::State::peak_output(std::uint64_t* peaks, std::size_t first) {
  if (peaks == nullptr) return {};
  const std::lock_guard lock(mutex_);
  if (peak_cells_ == nullptr) {
    constexpr std::size_t bytes = cuda::max_items * sizeof(cuda::PeakCell);
    auto cells = std::make_shared<DeviceMemory>(bytes, stream);
    check(cudaMemsetAsync(cells->data(), 0, bytes, stream), "clearing");
    peak_cells_ = std::move(cells);
  }
  return {peaks + first, static_cast<cuda::PeakCell*>(peak_cells_->data())};
}

#define CYCLOTOME_INSTANTIATE(W)                                                                \
  template const cuda::RingTables<W>* CudaEngine::State::ring_tables<W>(const Ring&);           \
  template cuda::ColumnConversion<W> CudaEngine::State::conversion<W>(const BaseConversion&);   \
  template const ShoupFactor<W>* CudaEngine::State::division_factors<W>(const DivideAndRound&); \
  template cuda::DeviceDigits<W> CudaEngine::State::digits<W>(const KeySwitchStep&);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome
