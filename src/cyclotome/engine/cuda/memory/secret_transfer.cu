// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "cyclotome/engine/cuda/memory/secret_transfer.cuh"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::cuda {

namespace {

const std::byte* at(const void* data, std::size_t offset) { return static_cast<const std::byte*>(data) + offset; }
std::byte* at(void* data, std::size_t offset) { return static_cast<std::byte*>(data) + offset; }

/// Zeros when it goes, also where a copy failed.
struct Wiped {
  std::byte* data;
  std::size_t bytes;
  ~Wiped() { secure_zero(data, bytes); }
};

}  // namespace

SecretTransfer::~SecretTransfer() { succeeded(cudaFreeHost(pinned_)); }

template <class Move>
void SecretTransfer::in_pieces(std::size_t total, std::size_t piece, const Move& move) {
  const std::lock_guard lock(mutex_);
  if (pinned_ == nullptr) {
    void* data = nullptr;
    check(cudaMallocHost(&data, capacity), "allocation of pinned memory");
    pinned_ = static_cast<std::byte*>(data);
  }
  const Wiped wiped{pinned_, std::min(total, piece)};
  for (std::size_t first = 0; first < total; first += piece) move(first, std::min(piece, total - first));
}

void SecretTransfer::upload(void* destination, const void* host, std::size_t bytes, cudaStream_t stream) {
  constexpr auto what = "copy to the device";
  in_pieces(bytes, capacity, [&](std::size_t first, std::size_t count) {
    std::memcpy(pinned_, at(host, first), count);
    check(cudaMemcpyAsync(at(destination, first), pinned_, count, cudaMemcpyHostToDevice, stream), what);
    wait_.until_done(what);
  });
}

void SecretTransfer::download(void* host, const void* source, std::size_t bytes, cudaStream_t stream) {
  download_runs(host, source, bytes, bytes, 1, stream);
}

void SecretTransfer::download_runs(void* host, const void* source, std::size_t bytes, std::size_t stride,
                                   std::size_t count, cudaStream_t stream) {
  constexpr auto what = "copy from the device";
  if (bytes == 0 || count == 0) return;
  if (bytes > capacity) {
    for (std::size_t run = 0; run < count; ++run) {
      in_pieces(bytes, capacity, [&](std::size_t first, std::size_t some) {
        check(cudaMemcpyAsync(pinned_, at(source, run * stride + first), some, cudaMemcpyDeviceToHost, stream), what);
        wait_.until_done(what);
        std::memcpy(at(host, run * bytes + first), pinned_, some);
      });
    }
    return;
  }
  in_pieces(count * bytes, capacity / bytes * bytes, [&](std::size_t first, std::size_t some) {
    const void* const from = at(source, first / bytes * stride);
    check(some == bytes || stride == bytes
              ? cudaMemcpyAsync(pinned_, from, some, cudaMemcpyDeviceToHost, stream)
              : cudaMemcpy2DAsync(pinned_, bytes, from, stride, bytes, some / bytes, cudaMemcpyDeviceToHost, stream),
          what);
    wait_.until_done(what);
    std::memcpy(at(host, first), pinned_, some);
  });
}

}  // namespace cyclotome::cuda
