// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

// Constants that are made once on the host and copied to where kernels read them.
namespace cyclotome::cuda {

/// Memory that kernels read, kept as long as somebody holds this.
using ConstantMemory = std::shared_ptr<const void>;

/// Copies bytes to where kernels read them, complete when it returns.
using Upload = std::function<ConstantMemory(const void* host, std::size_t bytes)>;

/// What kernels are given to find constants, and what keeps them there.
template <class T>
struct Resident {
  T value;
  ConstantMemory memory;
};

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
const T* at(const ConstantMemory& memory, std::size_t offset) {
  return reinterpret_cast<const T*>(static_cast<const unsigned char*>(memory.get()) + offset);
}

/// Several pieces of memory, kept together.
inline ConstantMemory together(std::vector<ConstantMemory> pieces) {
  return std::make_shared<const std::vector<ConstantMemory>>(std::move(pieces));
}

/// What was made lately, and before that, by the ids of rings and conversions: entries in use are not dropped under
/// another thread's hands. Thread-safe.
class ConstantCache {
 public:
  /// The structure under `id`, made by `make` (with the lock held) unless it is there. Structure: trivially copyable,
  /// the same for every `id`.
  template <class Structure, class Make>
  Resident<Structure> find(std::uint64_t id, const Make& make) {
    const std::lock_guard lock(mutex_);
    auto found = recent_.find(id);
    if (found == recent_.end()) {
      if (recent_.size() >= limit) older_ = std::exchange(recent_, {});
      auto old = older_.extract(id);
      if (old.empty()) {
        Resident<Structure> made = make();
        const auto* const raw = reinterpret_cast<const unsigned char*>(&made.value);
        found = recent_.emplace(id, Entry{std::move(made.memory), {raw, raw + sizeof(Structure)}}).first;
      } else {
        found = recent_.insert(std::move(old)).position;
      }
    }
    Structure value;
    std::copy(found->second.structure.begin(), found->second.structure.end(), reinterpret_cast<unsigned char*>(&value));
    return {value, found->second.memory};
  }

 private:
  /// A structure of pointers as bytes: its type depends on the word.
  struct Entry {
    ConstantMemory memory;
    std::vector<unsigned char> structure;
  };
  /// Constants of short-lived rings and conversions are dropped when this many newer ones are kept.
  static constexpr std::size_t limit = 4096;

  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Entry> recent_, older_;
};

}  // namespace cyclotome::cuda
