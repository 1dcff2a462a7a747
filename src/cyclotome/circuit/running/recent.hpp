// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace cyclotome::circuit {

/// The bytes of values, one after the other: what a result depends on.
class Dependence {
 public:
  template <class T>
  Dependence& on(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  /// A list and its length.
  template <class List>
  Dependence& on_all(const List& list) {
    on(std::size(list));
    for (const auto& value : list) on(value);
    return *this;
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

/// Results that were worked out lately, by what they depend on. Thread-safe.
template <class Result>
class Recent {
 public:
  std::optional<Result> find(const Dependence& of) {
    const std::lock_guard lock(mutex_);
    const auto found = results_.find(of.bytes());
    return found == results_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const Dependence& of, const Result& result) {
    constexpr std::size_t most = 64;
    const std::lock_guard lock(mutex_);
    if (results_.size() >= most) results_.clear();
    results_.insert_or_assign(of.bytes(), result);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Result> results_;
};

}  // namespace cyclotome::circuit
