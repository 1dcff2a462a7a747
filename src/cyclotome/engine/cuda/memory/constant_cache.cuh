// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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

/// What is made once. Whoever comes meanwhile waits for it; where making it fails, the next one tries again.
template <class T>
class Once {
 public:
  template <class Make>
  T get(const Make& make) {
    const std::lock_guard lock(mutex_);
    if (!made_) made_ = make();
    return *made_;
  }

 private:
  std::mutex mutex_;
  std::optional<T> made_;
};

/// What is made once for each key. Nobody waits for what others make for another key. Thread-safe.
template <class Key, class T>
class OnceByKey {
 public:
  template <class Make>
  T find(const Key& key, const Make& make) {
    Once<T>* entry = nullptr;
    {
      const std::lock_guard lock(mutex_);
      entry = &entries_[key];
    }
    return entry->get(make);
  }

 private:
  std::mutex mutex_;
  std::map<Key, Once<T>> entries_;  ///< entries stay where they are
};

/// What was made lately, and before that, by the ids of rings and conversions: entries in use are not dropped under
/// another thread's hands, and nobody waits for what others make for another id. Thread-safe.
class ConstantCache {
 public:
  /// The structure under `id`, made by `make` unless it is there. Structure: trivially copyable, the same for every
  /// `id`.
  template <class Structure, class Make>
  Resident<Structure> find(std::uint64_t id, const Make& make) {
    const Entry found = entry(id)->get([&] {
      Resident<Structure> made = make();
      const auto* const raw = reinterpret_cast<const unsigned char*>(&made.value);
      return Entry{std::move(made.memory), {raw, raw + sizeof(Structure)}};
    });
    Structure value;
    std::copy(found.structure.begin(), found.structure.end(), reinterpret_cast<unsigned char*>(&value));
    return {value, found.memory};
  }

 private:
  /// A structure of pointers as bytes: its type depends on the word.
  struct Entry {
    ConstantMemory memory;
    std::vector<unsigned char> structure;
  };
  using EntryPtr = std::shared_ptr<Once<Entry>>;
  /// Constants of short-lived rings and conversions are dropped when this many newer ones are kept.
  static constexpr std::size_t limit = 4096;

  EntryPtr entry(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = recent_.find(id); found != recent_.end()) return found->second;
    if (recent_.size() >= limit) older_ = std::exchange(recent_, {});
    auto old = older_.extract(id);
    if (!old.empty()) return recent_.insert(std::move(old)).position->second;
    return recent_.emplace(id, std::make_shared<Once<Entry>>()).first->second;
  }

  std::mutex mutex_;
  std::unordered_map<std::uint64_t, EntryPtr> recent_, older_;
};

}  // namespace cyclotome::cuda
