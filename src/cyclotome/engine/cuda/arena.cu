// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cyclotome/engine/cuda/arena.cuh"
#include "cyclotome/engine/cuda/recording.cuh"
#include "cyclotome/engine/cuda/secret_memory.cuh"

namespace cyclotome::cuda {

namespace {

class ArenaBuffer final : public Buffer {
 public:
  ArenaBuffer(std::shared_ptr<Engine> engine, std::shared_ptr<Arena> arena, std::size_t block, std::size_t bytes,
              bool secret)
      : Buffer(arena->blocks()[block].data, bytes, secret),
        engine_(std::move(engine)),
        arena_(std::move(arena)),
        block_(block) {}
  ~ArenaBuffer() override { arena_->give_back(block_); }

 private:
  std::shared_ptr<Engine> engine_;  // keeps the stream alive, longer than the arena
  std::shared_ptr<Arena> arena_;
  std::size_t block_;
};

}  // namespace

MemorySource memory_of(CUcontext context, cudaStream_t stream) {
  const auto allocate = [stream](std::size_t bytes) {
    void* data = nullptr;
    check(cudaMallocAsync(&data, bytes, stream), "allocation for a graph");
    return data;
  };
  const auto release = [context, stream](void* data, std::size_t bytes, bool secret) {
    const DeviceScope scope(context, std::nothrow);
    if (secret) {
      // Graphs end with zeros here. One that could not be launched did not, and a buffer may outlive its recording.
      wipe_and_free(data, bytes, stream);
    } else {
      succeeded(cudaFreeAsync(data, stream));
    }
  };
  return {allocate, release};
}

Arena::~Arena() {
  for (const Block& block : blocks_) source_.release(block.data, block.bytes, block.secret);
}

std::size_t Arena::take(std::size_t bytes, bool secret) {
  Block* best = nullptr;
  for (Block& block : blocks_) {
    const bool fits = !block.in_use && block.bytes >= bytes;
    if (fits && (best == nullptr || block.bytes < best->bytes)) best = &block;
  }
  if (best == nullptr) {
    constexpr std::size_t unit = 256;
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
    if (rounded > limit_ - bytes_) throw NotRecordable{};
    blocks_.reserve(blocks_.size() + 1);
    blocks_.push_back({source_.allocate(rounded), rounded, false, false});
    bytes_ += rounded;
    best = &blocks_.back();
  }
  best->in_use = true;
  best->secret = best->secret || secret;
  return static_cast<std::size_t>(best - blocks_.data());
}

bool Arena::contains(const void* pointer) const noexcept {
  const auto* const byte = static_cast<const std::byte*>(pointer);
  return std::any_of(blocks_.begin(), blocks_.end(), [byte](const Block& block) {
    const auto* const begin = static_cast<const std::byte*>(block.data);
    return byte >= begin && byte < begin + block.bytes;
  });
}

bool Arena::all_given_back() const noexcept {
  return std::none_of(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.in_use; });
}

std::unique_ptr<Buffer> make_buffer(std::shared_ptr<Engine> engine, std::shared_ptr<Arena> arena, std::size_t bytes,
                                    bool secret) {
  const std::size_t block = arena->take(bytes, secret);
  return std::make_unique<ArenaBuffer>(std::move(engine), std::move(arena), block, bytes, secret);
}

}  // namespace cyclotome::cuda
