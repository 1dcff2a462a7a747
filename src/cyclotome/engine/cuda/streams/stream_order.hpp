// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>

// Which operations have to wait for which others, where an engine's work is queued on several streams. Host code only,
// which tests run without a GPU.
namespace cyclotome::cuda {

/// An engine's streams: those that threads take, one on which memory is freed that several have seen, and one for
/// copies from and to other GPUs, beside computation.
inline constexpr std::size_t max_streams = 16, freeing_stream = max_streams, copying_stream = max_streams + 1,
                             all_streams = max_streams + 2;

/// For each stream the number of one of its operations, counted from 1; 0: none.
using StreamNumbers = std::array<std::uint64_t, all_streams>;

/// What an operation reads and writes: any address within a piece of memory stands for the whole of it. What is not
/// known here is nobody else's, and null is nothing.
using Addresses = std::span<const void* const>;

/// Notes which operation wrote a piece of memory last, and which have read it since, each by its stream and number. An
/// operation that comes later on another stream is told whom it has to wait for. Operations are numbered in the order
/// in which they `begin`, and wait only for what began before them, so that they never wait in a circle. Thread-safe.
class StreamOrder {
 public:
  /// Memory that is there from an operation on.
  void add(const void* data, std::size_t bytes, std::size_t stream, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    Piece& piece = pieces_[address(data)];
    piece = {.bytes = bytes, .writer = stream, .written = number};
  }

  /// Memory that is used again, after the operations that touched it. One alone may have zeroised it: then who reads it
  /// comes after that too, not only who writes.
  void add(const void* data, std::size_t bytes, const StreamNumbers& touched) {
    const std::lock_guard lock(mutex_);
    Piece& piece = pieces_[address(data)] = {.bytes = bytes, .read = touched};
    const auto used = [](std::uint64_t number) { return number != 0; };
    if (std::ranges::count_if(touched, used) != 1) return;
    const auto last = std::ranges::find_if(touched, used);
    piece = {.bytes = bytes, .writer = static_cast<std::size_t>(last - touched.begin()), .written = *last};
  }

  /// Forgets memory: the last operation of each stream that had to do with it. `alone` may have, too.
  StreamNumbers remove(const void* data) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = pieces_.find(address(data));
    if (found == pieces_.end()) return {};
    StreamNumbers touched = found->second.read;  // they come after whoever wrote it
    if (touched == StreamNumbers{}) touched[found->second.writer] = found->second.written;
    pieces_.erase(found);
    return touched;
  }

  /// For each stream its last operation that did not say what it touches.
  StreamNumbers alone() const noexcept {
    const std::lock_guard lock(mutex_);
    return alone_;
  }

  struct Begun {
    std::uint64_t number;
    StreamNumbers after;  ///< what it has to wait for on each other stream
  };

  /// The next operation on a stream. alone: it waits for everything that began before, and whatever begins later waits
  /// for it: for work that does not say what it touches.
  Begun begin(std::size_t stream, Addresses reads = {}, Addresses writes = {}, bool alone = false) {
    const std::lock_guard lock(mutex_);
    return {++last_[stream], touch(stream, last_[stream], reads, writes, alone)};
  }

 private:
  struct Piece {
    std::size_t bytes = 0, writer = 0;  ///< writer: a stream
    std::uint64_t written = 0;
    StreamNumbers read{};  ///< since then
  };

  static const std::byte* address(const void* data) { return static_cast<const std::byte*>(data); }
  static void raise(StreamNumbers& numbers, std::size_t stream, std::uint64_t number) {
    numbers[stream] = std::max(numbers[stream], number);
  }

  Piece* piece_of(const void* data) {
    const std::byte* const byte = address(data);
    const auto after = pieces_.upper_bound(byte);
    if (after == pieces_.begin()) return nullptr;
    auto& [begin, piece] = *std::prev(after);
    return byte < begin + piece.bytes ? &piece : nullptr;
  }

  StreamNumbers touch(std::size_t stream, std::uint64_t number, Addresses reads, Addresses writes, bool alone) {
    StreamNumbers after{};
    if (alone) {
      after = last_;
      alone_[stream] = number;
    } else {
      after = alone_;
    }
    for (const void* const data : reads) {
      Piece* const piece = piece_of(data);
      if (piece == nullptr) continue;
      raise(after, piece->writer, piece->written);
      piece->read[stream] = number;
    }
    for (const void* const data : writes) {
      Piece* const piece = piece_of(data);
      if (piece == nullptr) continue;
      raise(after, piece->writer, piece->written);
      for (std::size_t s = 0; s < all_streams; ++s) raise(after, s, piece->read[s]);
      piece->writer = stream;
      piece->written = number;
      piece->read = {};
    }
    after[stream] = 0;
    return after;
  }

  mutable std::mutex mutex_;
  std::map<const std::byte*, Piece> pieces_;  ///< by where they begin
  StreamNumbers last_{};
  StreamNumbers alone_{};  ///< the last operations that did not say what they touched
};

}  // namespace cyclotome::cuda
