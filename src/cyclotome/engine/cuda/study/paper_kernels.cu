// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <chrono>

#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/grid.cuh"
#include "cyclotome/engine/cuda/memory/device_tables.cuh"
#include "cyclotome/engine/cuda/streams/device_scope.cuh"
#include "cyclotome/engine/cuda/study/event_time.cuh"
#include "cyclotome/engine/cuda/study/paper_kernels.hpp"
#include "cyclotome/math/chacha20.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/study/salsa20.hpp"

namespace cyclotome::cuda {

namespace study {
namespace {

struct DrawKey {
  std::uint32_t words[8];
};

}  // namespace
}  // namespace study

template <>
inline constexpr bool holds_seed<study::DrawKey> = true;

}  // namespace cyclotome::cuda

namespace cyclotome::cuda::study {

using cyclotome::study::ClassicConstants;
using cyclotome::study::ClassicReconstruction;
using cyclotome::study::ClassicSum;
using cyclotome::study::PaperLaw;
using cyclotome::study::ReducedPrime;
using cyclotome::study::SmallLaw;
using cyclotome::study::WordReduction;

namespace {

/// Cycles that the waiting kernel waits for a microsecond of the host's: more than any of these devices has.
constexpr double cycles_each = 2500;

__global__ void wait_cycles(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

/// Grid: (coefficients, 1, items).
template <ClassicSum How>
__global__ void classic(std::uint64_t* words, DeviceView<std::uint32_t> a, ClassicConstants t) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, n = a.degree;
  if (c >= n) return;
  std::uint64_t* const integer = words + static_cast<std::size_t>(blockIdx.z) * t.words * n + c;
  cyclotome::study::reconstruct_classically<How>(a.limb(blockIdx.z, 0) + c, n, t, integer, n);
}

template <WordReduction How>
__global__ void reduce(std::uint32_t* out, const std::uint64_t* in, std::uint32_t count, ReducedPrime p) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = cyclotome::study::reduced<How>(in[i], p);
}

/// Numbers that a law makes of one block of a stream.
template <PaperLaw Which>
inline constexpr std::uint32_t numbers_each = Which == PaperLaw::box_muller ? 8 : 16;

/// Sixteen words of the law's generator; further streams are for numbers that are drawn again.
template <PaperLaw Which>
__device__ void stream_block(const DrawKey& key, std::uint32_t block, std::uint32_t stream, std::uint32_t (&out)[16]) {
  if constexpr (Which == PaperLaw::inverse_cdf) {
    cyclotome::study::salsa20_block(key.words, block, stream, out);
  } else {
    const std::uint32_t nonce[3] = {stream, 0, 0};
    chacha20_block(key.words, block, nonce, out);
  }
}

/// (0, 1] of 64 bits, in single precision.
__device__ float half_open_unit(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32) | low;
  return static_cast<float>((bits >> 11) + 1) * 0x1p-53F;
}

__device__ float open_unit(std::uint32_t bits) {
  const float unit = static_cast<float>(bits) * 0x1p-32F;
  return unit <= 0 ? 1.17549435e-38F : unit >= 1 ? 1 - 0x1p-24F : unit;
}

/// Number k of a block.
template <PaperLaw Which>
__device__ std::int32_t number(const std::uint32_t (&words)[16], std::uint32_t k, float deviation) {
  if constexpr (Which == PaperLaw::binary) {
    return static_cast<std::int32_t>(words[k] & 1);
  } else if constexpr (Which == PaperLaw::zero_one) {
    return static_cast<std::int32_t>(words[k] & 1) - static_cast<std::int32_t>((words[k] >> 1) & 1);
  } else if constexpr (Which == PaperLaw::inverse_cdf) {
    return __float2int_rn(normcdfinvf(open_unit(words[k])) * deviation);
  } else {
    const std::uint32_t* const pair = words + k / 2 * 4;
    const float radius = sqrtf(-2 * logf(half_open_unit(pair[0], pair[1])));
    const float turn = 2 * half_open_unit(pair[2], pair[3]);
    return __float2int_rn(radius * (k % 2 == 0 ? cospif(turn) : sinpif(turn)) * deviation);
  }
}

/// A thread for each block of the stream.
template <PaperLaw Which>
__global__ void draw_numbers(std::int32_t* out, std::uint32_t count, DrawKey key, std::uint32_t deviation_bits,
                             std::uint32_t bound) {
  constexpr std::uint32_t each = numbers_each<Which>;
  const std::uint32_t block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block * each >= count) return;
  const float deviation = __uint_as_float(deviation_bits);
  std::uint32_t words[16];
  stream_block<Which>(key, block, 0, words);
  for (std::uint32_t k = 0; k < each && block * each + k < count; ++k) {
    std::int32_t drawn = number<Which>(words, k, deviation);
    for (std::uint32_t stream = 1; bound != 0 && static_cast<std::uint32_t>(abs(drawn)) > bound; ++stream) {
      std::uint32_t others[16];
      stream_block<Which>(key, block, stream, others);
      drawn = number<Which>(others, k, deviation);
    }
    out[block * each + k] = drawn;
  }
}

cudaStream_t stream_of(const CudaEngine& engine) { return static_cast<cudaStream_t>(engine.stream()); }

template <auto Kernel, class... Arguments>
void queue(CudaEngine& engine, dim3 grid, const char* what, const Arguments&... arguments) {
  const CudaEngine::Aside aside(engine);
  const Queue at(static_cast<cudaStream_t>(aside.stream()), engine.device());
  launch<Kernel>(at, grid, block_threads, 0, 1, what, arguments...);
}

}  // namespace

double device_time(CudaEngine& engine, const std::function<void()>& work, unsigned repetitions) {
  if (repetitions == 0) throw ArgumentError("device_time: at least one repetition is needed");
  work();  // what is made on first use
  engine.synchronize();
  const auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < repetitions; ++i) work();
  const std::chrono::duration<double, std::micro> queued = std::chrono::steady_clock::now() - start;
  engine.synchronize();
  const auto cycles = static_cast<long long>((2 * queued.count() + 100) * cycles_each);
  const DeviceScope scope(static_cast<CUcontext>(engine.context()));
  const Queue at(stream_of(engine), engine.device());
  launch<wait_cycles>(at, dim3(1), 1, 0, 1, "waiting", cycles);
  return event_time(stream_of(engine), work, repetitions);
}

struct DeviceReconstruction::Tables {
  DeviceTables device;
  RingPtr ring;
  std::size_t words = 0;
  ClassicConstants constants;
};

DeviceReconstruction::DeviceReconstruction(std::shared_ptr<CudaEngine> engine, const ClassicReconstruction& step)
    : engine_(std::move(engine)), tables_(std::make_unique<Tables>()) {
  const DeviceScope scope(static_cast<CUcontext>(engine_->context()));
  const auto put = [&](const std::vector<std::uint32_t>& host) {
    return tables_->device.put(host, stream_of(*engine_));
  };
  tables_->ring = step.ring;
  tables_->words = step.words();
  tables_->constants = step.constants();
  tables_->constants.moduli = put(step.moduli);
  tables_->constants.inverses = put(step.inverses);
  tables_->constants.punctured = put(step.punctured);
  tables_->constants.modulus = put(step.modulus);
  tables_->constants.shifted = put(step.shifted);
}

DeviceReconstruction::~DeviceReconstruction() {
  const DeviceScope scope(static_cast<CUcontext>(engine_->context()), std::nothrow);
  succeeded(cudaStreamSynchronize(stream_of(*engine_)));  // kernels may still read the constants
  tables_.reset();
}

void DeviceReconstruction::run(Buffer& words, ConstView a, ClassicSum how) {
  const std::size_t item = tables_->words * a.degree();
  if (!a.ring->same_as(*tables_->ring) || a.domain != Domain::coefficient ||
      words.bytes() / sizeof(std::uint64_t) < a.batch * a.parts * item) {
    throw ArgumentError("classic reconstruction: another basis, transforms, or a buffer too short for the integers");
  }
  auto* const out = static_cast<std::uint64_t*>(words.data());
  for_pieces(a.batch, a.parts, [&](std::size_t first, std::size_t count) {
    const ConstView piece = a.items(first, count);
    const auto view = device_view<std::uint32_t>(piece, piece.parts);
    const dim3 grid(blocks(a.degree()), 1, static_cast<unsigned>(count * a.parts));
    std::uint64_t* const to = out + first * a.parts * item;
    if (how == ClassicSum::division) {
      queue<classic<ClassicSum::division>>(*engine_, grid, "classic reconstruction", to, view, tables_->constants);
    } else {
      queue<classic<ClassicSum::subtraction>>(*engine_, grid, "classic reconstruction", to, view, tables_->constants);
    }
  });
}

void reduce_words(CudaEngine& engine, Buffer& out, const Buffer& in, std::size_t count, WordReduction how,
                  const ReducedPrime& p) {
  if (count == 0 || count > in.bytes() / sizeof(std::uint64_t) || count > out.bytes() / sizeof(std::uint32_t)) {
    throw ArgumentError(message("reduce_words: ", count, " words do not fit the buffers"));
  }
  auto* const to = static_cast<std::uint32_t*>(out.data());
  const auto* const from = static_cast<const std::uint64_t*>(in.data());
  const auto run = [&]<WordReduction How>() {
    queue<reduce<How>>(engine, dim3(blocks(count)), "reduction", to, from, static_cast<std::uint32_t>(count), p);
  };
  switch (how) {
    case WordReduction::division:
      return run.template operator()<WordReduction::division>();
    case WordReduction::nfllib:
      return run.template operator()<WordReduction::nfllib>();
    default:
      return run.template operator()<WordReduction::barrett>();
  }
}

void draw(CudaEngine& engine, Buffer& out, std::size_t count, const SmallLaw& law, const Seed& seed) {
  if (count == 0 || count > out.bytes() / sizeof(std::int32_t) || count > std::size_t{1} << 30) {
    throw ArgumentError(message("draw: ", count, " numbers do not fit the buffer"));
  }
  std::int32_t one[1];
  cyclotome::study::draw(one, law, seed);  // refuses what makes no sense
  DrawKey key;
  const auto words = seed.words();
  std::copy(words.begin(), words.end(), key.words);
  const auto run = [&]<PaperLaw Which>() {
    const std::size_t threads = (count + numbers_each<Which> - 1) / numbers_each<Which>;
    queue<draw_numbers<Which>>(engine, dim3(blocks(threads)), "draw", static_cast<std::int32_t*>(out.data()),
                               static_cast<std::uint32_t>(count), key,
                               std::bit_cast<std::uint32_t>(static_cast<float>(law.deviation)), law.bound);
  };
  switch (law.law) {
    case PaperLaw::binary:
      run.template operator()<PaperLaw::binary>();
      break;
    case PaperLaw::zero_one:
      run.template operator()<PaperLaw::zero_one>();
      break;
    case PaperLaw::box_muller:
      run.template operator()<PaperLaw::box_muller>();
      break;
    case PaperLaw::inverse_cdf:
      run.template operator()<PaperLaw::inverse_cdf>();
      break;
    default:
      secure_zero(&key, sizeof(key));
      throw ArgumentError("draw: this library's own laws are drawn by Engine::sample");
  }
  secure_zero(&key, sizeof(key));
}

}  // namespace cyclotome::cuda::study
