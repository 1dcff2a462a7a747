// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "cyclotome/engine/cuda/convert.cuh"
#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/garner.cuh"
#include "cyclotome/engine/cuda/pointwise.cuh"
#include "cyclotome/engine/cuda/sample.cuh"
#include "cyclotome/engine/cuda/transform.cuh"
#include "cyclotome/ring/secure_memory.hpp"

namespace cyclotome {

using cuda::check;
using cuda::device_view;
using cuda::moduli_of;

namespace {

constexpr unsigned block_threads = 256;

/// Memory that frees itself on its stream.
class DeviceMemory {
 public:
  DeviceMemory(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
    check(cudaMallocAsync(&data_, bytes, stream), "allocation");
  }
  ~DeviceMemory() { cudaFreeAsync(data_, stream_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  void* data() const noexcept { return data_; }

 private:
  void* data_ = nullptr;
  cudaStream_t stream_;
};

unsigned blocks(std::size_t count, unsigned threads = block_threads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

template <class W>
std::uint32_t lazy_products(const Basis& basis) {
  std::uint64_t largest = 1;
  for (const auto q : basis.values()) largest = std::max(largest, q - 1);
  const Wide<W> top = ~static_cast<Wide<W>>(0);
  const Wide<W> terms = top / (static_cast<Wide<W>>(largest) * largest);
  return terms > 1024 ? 1023u : std::max(1u, static_cast<std::uint32_t>(terms) - 1);
}

}  // namespace

struct CudaEngine::State {
  int device = 0;
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;
  cuda::Garner garner;
  std::mutex mutex;  // guards the tables
  // By word, degree and moduli: the root of unity follows from them.
  std::map<std::tuple<Word, std::size_t, std::vector<std::uint64_t>>, std::shared_ptr<DeviceMemory>> rings;
  std::map<std::tuple<Word, std::size_t, std::uint64_t>,
           std::pair<std::shared_ptr<DeviceMemory>, std::vector<unsigned char>>>
      limbs;
  std::map<std::uint64_t, std::pair<std::shared_ptr<DeviceMemory>, std::vector<unsigned char>>> conversions;

  void activate() const { check(cudaSetDevice(device), "choosing the device"); }

  std::shared_ptr<DeviceMemory> put(const void* host, std::size_t bytes) {
    auto memory = std::make_shared<DeviceMemory>(bytes, stream);
    check(cudaMemcpyAsync(memory->data(), host, bytes, cudaMemcpyHostToDevice, stream), "copy to the device");
    return memory;
  }

  template <class W>
  cuda::LimbTables<W> limb_tables(const Ring& ring, std::size_t l);
  template <class W>
  const cuda::RingTables<W>* ring_tables(const Ring& ring);
  template <class W>
  cuda::DeviceConversion<W> conversion(const BaseConversion& conversion);

  template <class W, class Operation>
  void pointwise(View out, ConstView a, ConstView b, Operation operation) {
    const dim3 grid(blocks(out.degree()), static_cast<unsigned>(out.limbs()),
                    static_cast<unsigned>(out.batch * out.parts));
    cuda::pointwise<<<grid, block_threads, 0, stream>>>(device_view<W>(out, out.parts), device_view<W>(a, out.parts),
                                                        device_view<W>(b, out.parts), moduli_of<W>(out.ring->basis()),
                                                        operation);
    check(cudaGetLastError(), "pointwise launch");
  }

  template <class Operation>
  void pointwise_any(View out, ConstView a, ConstView b, Operation operation) {
    activate();
    with_word(out.word(), [&]<class W>(W) { pointwise<W>(out, a, b, operation); });
  }
};

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

class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(std::shared_ptr<Engine> engine, int device, cudaStream_t stream, void* data, std::size_t bytes,
             bool secret)
      : Buffer(data, bytes, secret), engine_(std::move(engine)), device_(device), stream_(stream) {}
  ~CudaBuffer() override {
    cudaSetDevice(device_);
    if (secret()) cudaMemsetAsync(data(), 0, bytes(), stream_);
    cudaFreeAsync(data(), stream_);
  }

 private:
  std::shared_ptr<Engine> engine_;  // keeps the stream alive
  int device_;
  cudaStream_t stream_;
};

}  // namespace

template <class W>
cuda::LimbTables<W> CudaEngine::State::limb_tables(const Ring& ring, std::size_t l) {
  const auto& tables = ring.tables<W>(l);
  auto& slot = limbs[{ring.word(), tables.degree, tables.modulus.value()}];
  if (slot.first == nullptr) {
    Packed packed;
    const std::size_t offsets[4] = {packed.add(tables.roots.data(), tables.degree),
                                    packed.add(tables.root_quotients.data(), tables.degree),
                                    packed.add(tables.inverse_roots.data(), tables.degree),
                                    packed.add(tables.inverse_root_quotients.data(), tables.degree)};
    slot.first = put(packed.bytes().data(), packed.bytes().size());
    const DeviceMemory& memory = *slot.first;
    slot.second = as_bytes(cuda::LimbTables<W>{at<W>(memory, offsets[0]), at<W>(memory, offsets[1]),
                                               at<W>(memory, offsets[2]), at<W>(memory, offsets[3]),
                                               tables.inverse_degree, tables.last_inverse_root, tables.modulus});
  }
  cuda::LimbTables<W> result;
  std::copy(slot.second.begin(), slot.second.end(), reinterpret_cast<unsigned char*>(&result));
  return result;
}

template <class W>
const cuda::RingTables<W>* CudaEngine::State::ring_tables(const Ring& ring) {
  const std::lock_guard lock(mutex);
  auto& slot = rings[{ring.word(), ring.degree(), ring.basis().values()}];
  if (slot == nullptr) {
    auto tables = std::make_unique<cuda::RingTables<W>>();
    for (std::size_t l = 0; l < ring.limbs(); ++l) tables->limb[l] = limb_tables<W>(ring, l);
    slot = put(tables.get(), sizeof(*tables));
    check(cudaStreamSynchronize(stream), "copy of tables");  // the host copy goes away
  }
  return static_cast<const cuda::RingTables<W>*>(slot->data());
}

template <class W>
cuda::DeviceConversion<W> CudaEngine::State::conversion(const BaseConversion& conversion) {
  const std::lock_guard lock(mutex);
  if (conversions.size() > 4096) conversions.clear();  // constants of short-lived conversions
  auto& slot = conversions[conversion.id()];
  if (slot.first == nullptr) {
    const auto& tables = conversion.tables<W>();
    const std::size_t sources = conversion.source().size(), targets = conversion.target().size();
    Packed packed;
    const std::size_t offsets[8] = {packed.add(tables.punctured_inverses.data(), sources),
                                    packed.add(tables.reciprocals.data(), sources),
                                    packed.add(conversion.source().moduli<W>().data(), sources),
                                    packed.add(tables.matrix.data(), sources * targets),
                                    packed.add(tables.negative_wraps.data(), targets),
                                    packed.add(tables.copy_factors.data(), targets),
                                    packed.add(conversion.target().moduli<W>().data(), targets),
                                    packed.add(conversion.copies().data(), targets)};
    slot.first = put(packed.bytes().data(), packed.bytes().size());
    check(cudaStreamSynchronize(stream), "copy of constants");
    const DeviceMemory& memory = *slot.first;
    slot.second = as_bytes(cuda::DeviceConversion<W>{
        at<ShoupFactor<W>>(memory, offsets[0]), at<std::uint64_t>(memory, offsets[1]),
        at<Modulus<W>>(memory, offsets[2]), at<W>(memory, offsets[3]), at<W>(memory, offsets[4]),
        at<ShoupFactor<W>>(memory, offsets[5]), at<Modulus<W>>(memory, offsets[6]), at<int>(memory, offsets[7]),
        static_cast<std::uint32_t>(sources), static_cast<std::uint32_t>(targets),
        static_cast<std::uint32_t>(conversion.lazy_terms()), conversion.lift() == Lift::centred});
  }
  cuda::DeviceConversion<W> result;
  std::copy(slot.second.begin(), slot.second.end(), reinterpret_cast<unsigned char*>(&result));
  return result;
}

int CudaEngine::device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

std::shared_ptr<CudaEngine> CudaEngine::create(int device) {
  return std::shared_ptr<CudaEngine>(new CudaEngine(device));
}

CudaEngine::CudaEngine(int device) {
  const int count = device_count();
  if (device < 0 || device >= count) {
    throw EngineError(message("GPU cuda:", device, " was asked for, but ", count,
                              " are usable; CUDA 13 needs a driver of at least version 580 and a GPU it can see"));
  }
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "device query");
  if (properties.major < 8) {
    throw EngineError(message("GPU cuda:", device, " (", properties.name, ") has compute capability ", properties.major,
                              ".", properties.minor, "; at least 8.0 is needed"));
  }
  auto state = std::make_unique<State>();
  state->device = device;
  state->activate();
  check(cudaStreamCreateWithFlags(&state->stream, cudaStreamNonBlocking), "stream creation");
  check(cudaDeviceGetDefaultMemPool(&state->pool, device), "memory pool query");
  std::uint64_t keep = ~std::uint64_t{0};  // freed memory stays in the pool until the device runs short
  check(cudaMemPoolSetAttribute(state->pool, cudaMemPoolAttrReleaseThreshold, &keep), "memory pool setting");
  state_ = std::move(state);
}

int CudaEngine::device() const noexcept { return state_->device; }
void* CudaEngine::stream() const noexcept { return state_->stream; }

CudaEngine::~CudaEngine() {
  cudaSetDevice(state_->device);
  const cudaStream_t stream = state_->stream;
  cudaStreamSynchronize(stream);
  state_.reset();  // tables are freed on the stream
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

std::string CudaEngine::name() const { return message("cuda:", state_->device); }

std::unique_ptr<Buffer> CudaEngine::allocate(std::size_t bytes, bool secret) {
  state_->activate();
  void* data = nullptr;
  if (cudaMallocAsync(&data, bytes, state_->stream) != cudaSuccess) {
    cudaGetLastError();
    cudaStreamSynchronize(state_->stream);  // pending frees may make room
    cudaMemPoolTrimTo(state_->pool, 0);
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    if (cudaMallocAsync(&data, bytes, state_->stream) != cudaSuccess) {
      cudaGetLastError();
      throw EngineError(message("GPU ", name(), " has no room for ", bytes, " bytes (", free, " of ", total,
                                " free); work on smaller batches, or free arrays"));
    }
  }
  return std::make_unique<CudaBuffer>(shared_from_this(), state_->device, state_->stream, data, bytes, secret);
}

void CudaEngine::upload(void* destination, const void* host, std::size_t bytes) {
  state_->activate();
  check(cudaMemcpyAsync(destination, host, bytes, cudaMemcpyHostToDevice, state_->stream), "copy to the device");
  check(cudaStreamSynchronize(state_->stream), "copy to the device");
}

void CudaEngine::download(void* host, const void* source, std::size_t bytes) {
  state_->activate();
  check(cudaMemcpyAsync(host, source, bytes, cudaMemcpyDeviceToHost, state_->stream), "copy from the device");
  check(cudaStreamSynchronize(state_->stream), "copy from the device");
}

void CudaEngine::synchronize() {
  state_->activate();
  check(cudaStreamSynchronize(state_->stream), "waiting");
}

std::size_t CudaEngine::batch_tile(std::size_t batch, std::size_t bytes_per_item) const {
  constexpr std::size_t scratch = std::size_t{2} << 30;
  constexpr std::size_t grid_limit = 4096;  // items times parts stay below the grid's 65535
  return std::clamp<std::size_t>(scratch / std::max<std::size_t>(bytes_per_item, 1), 1,
                                 std::min(std::max<std::size_t>(batch, 1), grid_limit));
}

void CudaEngine::do_forward(View a) {
  state_->activate();
  with_word(a.word(), [&]<class W>(W) {
    const auto* const tables = state_->ring_tables<W>(*a.ring);
    const auto view = device_view<W>(a, a.parts);
    const auto limbs = static_cast<unsigned>(a.limbs()), items = static_cast<unsigned>(a.batch * a.parts);
    const std::size_t n = a.degree();
    std::uint32_t groups = 1;
    for (; n / groups > cuda::shared_values<W>; groups *= 2) {
      cuda::forward_stage<<<dim3(blocks(n / 2), limbs, items), block_threads, 0, state_->stream>>>(view, tables,
                                                                                                   groups);
    }
    const unsigned size = static_cast<unsigned>(n / groups);
    cuda::
        forward_tail<<<dim3(groups, limbs, items), std::clamp(size / 8, 32u, 512u), size * sizeof(W), state_->stream>>>(
            view, tables, groups);
    check(cudaGetLastError(), "transform launch");
  });
}

void CudaEngine::do_inverse(View a) {
  state_->activate();
  with_word(a.word(), [&]<class W>(W) {
    const auto* const tables = state_->ring_tables<W>(*a.ring);
    const auto view = device_view<W>(a, a.parts);
    const auto limbs = static_cast<unsigned>(a.limbs()), items = static_cast<unsigned>(a.batch * a.parts);
    const std::size_t n = a.degree();
    std::uint32_t groups = 1;
    while (n / groups > cuda::shared_values<W>) groups *= 2;
    const unsigned size = static_cast<unsigned>(n / groups);
    cuda::
        inverse_head<<<dim3(groups, limbs, items), std::clamp(size / 8, 32u, 512u), size * sizeof(W), state_->stream>>>(
            view, tables, groups);
    for (groups /= 2; groups >= 1; groups /= 2) {
      cuda::inverse_stage<<<dim3(blocks(n / 2), limbs, items), block_threads, 0, state_->stream>>>(view, tables,
                                                                                                   groups);
    }
    check(cudaGetLastError(), "inverse transform launch");
  });
}

void CudaEngine::do_copy(View out, ConstView a) { state_->pointwise_any(out, a, a, cuda::Copy{}); }
void CudaEngine::do_add(View out, ConstView a, ConstView b) { state_->pointwise_any(out, a, b, cuda::Add{}); }
void CudaEngine::do_subtract(View out, ConstView a, ConstView b) { state_->pointwise_any(out, a, b, cuda::Subtract{}); }
void CudaEngine::do_negate(View out, ConstView a) { state_->pointwise_any(out, a, a, cuda::Negate{}); }
void CudaEngine::do_multiply(View out, ConstView a, ConstView b) { state_->pointwise_any(out, a, b, cuda::Multiply{}); }
void CudaEngine::do_multiply_accumulate(View accumulator, ConstView a, ConstView b) {
  state_->pointwise_any(accumulator, a, b, cuda::MultiplyAccumulate{});
}

void CudaEngine::do_clear(View out) {
  state_->activate();
  const std::size_t word = bytes_of(out.word()), part = out.limbs() * out.degree() * word;
  for (std::size_t b = 0; b < out.batch; ++b) {
    auto* const item = static_cast<unsigned char*>(out.data) + b * out.batch_stride * word;
    check(cudaMemset2DAsync(item, std::max(out.part_stride * word, part), 0, part, out.parts, state_->stream),
          "clearing");
  }
}

void CudaEngine::do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) {
  state_->activate();
  with_word(out.word(), [&]<class W>(W) {
    cuda::Factors<W> prepared;
    for (std::size_t l = 0; l < factors.size(); ++l) {
      prepared.factor[l] = ShoupFactor<W>(static_cast<W>(factors[l]), static_cast<W>(out.ring->basis()[l]));
    }
    const dim3 grid(blocks(out.degree()), static_cast<unsigned>(out.limbs()),
                    static_cast<unsigned>(out.batch * out.parts));
    cuda::multiply_scalars<<<grid, block_threads, 0, state_->stream>>>(
        device_view<W>(out, out.parts), device_view<W>(a, out.parts), moduli_of<W>(out.ring->basis()), prepared);
    check(cudaGetLastError(), "scalar product launch");
  });
}

void CudaEngine::do_convert(View out, ConstView a, const BaseConversion& conversion) {
  state_->activate();
  with_word(out.word(), [&]<class W>(W) {
    const auto constants = state_->conversion<W>(conversion);
    unsigned threads = 128;
    while (threads > 32 && threads * a.limbs() * sizeof(W) > 48 * 1024) threads /= 2;
    const dim3 grid(blocks(out.degree(), threads), 1, static_cast<unsigned>(out.batch * out.parts));
    cuda::convert<<<grid, threads, threads * a.limbs() * sizeof(W), state_->stream>>>(
        device_view<W>(out, out.parts), device_view<W>(a, out.parts), constants);
    check(cudaGetLastError(), "base conversion launch");
  });
}

void CudaEngine::do_automorphism(View out, ConstView a, std::uint64_t element) {
  state_->activate();
  with_word(out.word(), [&]<class W>(W) {
    const dim3 grid(blocks(out.degree()), static_cast<unsigned>(out.limbs()),
                    static_cast<unsigned>(out.batch * out.parts));
    const auto to = device_view<W>(out, out.parts), from = device_view<W>(a, out.parts);
    if (a.domain == Domain::coefficient) {
      const auto inverse = static_cast<std::uint32_t>(inverse_or_zero(element, 2 * out.degree()));
      cuda::automorphism_coefficients<<<grid, block_threads, 0, state_->stream>>>(
          to, from, moduli_of<W>(out.ring->basis()), inverse);
    } else {
      cuda::automorphism_transform<<<grid, block_threads, 0, state_->stream>>>(
          to, from, static_cast<std::uint32_t>(element), bit_length(out.degree()) - 1);
    }
    check(cudaGetLastError(), "automorphism launch");
  });
}

void CudaEngine::do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) {
  state_->activate();
  cuda::StreamKey key{};
  auto words = seed.words();
  std::copy(words.begin(), words.end(), key.key);
  key.stream = static_cast<std::uint32_t>(stream);
  key.first_item = first_item;
  with_word(out.word(), [&]<class W>(W) {
    const auto view = device_view<W>(out, out.parts);
    const auto moduli = moduli_of<W>(out.ring->basis());
    const auto limbs = static_cast<unsigned>(out.limbs()), items = static_cast<unsigned>(out.batch * out.parts);
    if (law == Law::uniform) {
      const dim3 grid(blocks(blocks(out.degree(), uniform_draws_per_block)), limbs, items);
      cuda::sample_uniform<<<grid, block_threads, 0, state_->stream>>>(view, moduli, key);
    } else {
      const dim3 grid(blocks(blocks(out.degree(), small_draws_per_block)), 1, items);
      cuda::sample_small<<<grid, block_threads, 0, state_->stream>>>(view, moduli, key, limbs, law == Law::ternary);
    }
    check(cudaGetLastError(), "sampling launch");
  });
  secure_zero(&key, sizeof(key));
  secure_zero(words.data(), sizeof(words));
}

void CudaEngine::do_key_switch_product(View out, ConstView digits, ConstView key) {
  state_->activate();
  with_word(out.word(), [&]<class W>(W) {
    const dim3 grid(blocks(out.degree()), static_cast<unsigned>(out.limbs()),
                    static_cast<unsigned>(out.batch * out.parts));
    cuda::key_switch_product<<<grid, block_threads, 0, state_->stream>>>(
        device_view<W>(out, out.parts), device_view<W>(digits, digits.parts), device_view<W>(key, out.parts),
        moduli_of<W>(out.ring->basis()), static_cast<std::uint32_t>(digits.parts), lazy_products<W>(out.ring->basis()));
    check(cudaGetLastError(), "key switching launch");
  });
}

void CudaEngine::do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) {
  state_->activate();
  with_word(out.word(), [&]<class W>(W) {
    std::vector<W> factors(out.limbs() * matrix.size());
    for (std::size_t l = 0; l < out.limbs(); ++l) {
      const Modulus<W> q = out.ring->basis().template moduli<W>()[l];
      for (std::size_t i = 0; i < matrix.size(); ++i) factors[l * matrix.size() + i] = q.reduce_signed(matrix[i]);
    }
    const DeviceMemory device(factors.size() * sizeof(W), state_->stream);
    upload(device.data(), factors.data(), factors.size() * sizeof(W));
    // The grid has at most 65535 items: rows are worked on in pieces.
    const std::size_t piece = std::max<std::size_t>(1, 60000 / out.parts);
    for (std::size_t first = 0; first < out.batch; first += piece) {
      const std::size_t rows = std::min(piece, out.batch - first);
      const dim3 grid(blocks(out.degree()), static_cast<unsigned>(out.limbs()),
                      static_cast<unsigned>(rows * out.parts));
      cuda::linear_combination<<<grid, block_threads, 0, state_->stream>>>(
          device_view<W>(out.items(first, rows), out.parts), device_view<W>(a, out.parts),
          moduli_of<W>(out.ring->basis()), static_cast<const W*>(device.data()) + first * a.batch,
          static_cast<std::uint32_t>(out.batch), static_cast<std::uint32_t>(a.batch),
          lazy_products<W>(out.ring->basis()));
    }
    check(cudaGetLastError(), "linear combination launch");
  });
}

void CudaEngine::do_mixed_radix(View out, ConstView a, const MixedRadix& step) {
  state_->activate();
  state_->garner.digits(out, a, step, state_->stream);
}

void CudaEngine::do_reconstruct(std::uint64_t* words, ConstView a, const MixedRadix& step) {
  PolyArray digits(shared_from_this(), step.ring, a.batch, a.parts, Domain::coefficient, true);
  mixed_radix(digits.view(), a, step);
  state_->garner.compose(words, digits.view(), step, state_->stream);
}

}  // namespace cyclotome
