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
    check(cudaMallocHost(&data, 2 * capacity), "allocation of pinned memory");
    pinned_ = static_cast<std::byte*>(data);
  }
  const Wiped wiped{pinned_, std::min(total, 2 * piece)};
  for (std::size_t first = 0; first < total; first += piece) {
    move(Piece{pinned_ + first / piece % 2 * piece, first, std::min(piece, total - first)});
  }
}

void SecretTransfer::upload(void* destination, const void* host, std::size_t bytes, cudaStream_t stream) {
  constexpr auto what = "copy to the device";
  in_pieces(bytes, capacity, [&](const Piece& piece) {
    std::memcpy(piece.pinned, at(host, piece.first), piece.bytes);  // while the piece before it crosses
    if (piece.first != 0) wait_.until_done(what);
    check(cudaMemcpyAsync(at(destination, piece.first), piece.pinned, piece.bytes, cudaMemcpyHostToDevice, stream),
          what);
    if (piece.first + piece.bytes == bytes) wait_.until_done(what);
  });
}

template <class Copy>
void SecretTransfer::download_piecewise(void* host, std::size_t total, std::size_t size, const Copy& copy) {
  constexpr auto what = "copy from the device";
  Piece before{};  // which goes on to the host while this one crosses
  const auto deliver = [&] { std::memcpy(at(host, before.first), before.pinned, before.bytes); };
  in_pieces(total, size, [&](const Piece& piece) {
    check(copy(piece), what);
    if (piece.first != 0) deliver();
    wait_.until_done(what);
    before = piece;
    if (piece.first + piece.bytes == total) deliver();
  });
}

void SecretTransfer::download(void* host, const void* source, std::size_t bytes, cudaStream_t stream) {
  download_runs(host, source, bytes, bytes, 1, stream);
}

void SecretTransfer::download_runs(void* host, const void* source, std::size_t bytes, std::size_t stride,
                                   std::size_t count, cudaStream_t stream) {
  if (bytes == 0 || count == 0) return;
  if (bytes > capacity) {
    for (std::size_t run = 0; run < count; ++run) {
      download_piecewise(at(host, run * bytes), bytes, capacity, [&](const Piece& piece) {
        return cudaMemcpyAsync(piece.pinned, at(source, run * stride + piece.first), piece.bytes,
                               cudaMemcpyDeviceToHost, stream);
      });
    }
    return;
  }
  download_piecewise(host, count * bytes, capacity / bytes * bytes, [&](const Piece& piece) {
    const void* const from = at(source, piece.first / bytes * stride);
    return piece.bytes == bytes || stride == bytes
               ? cudaMemcpyAsync(piece.pinned, from, piece.bytes, cudaMemcpyDeviceToHost, stream)
               : cudaMemcpy2DAsync(piece.pinned, bytes, from, stride, bytes, piece.bytes / bytes,
                                   cudaMemcpyDeviceToHost, stream);
  });
}

}  // namespace cyclotome::cuda
