// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/dry/traces.hpp"

#include <iterator>

namespace cyclotome {

namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

Trace Trace::hashed(std::uint64_t a, std::uint64_t b) { return Trace(mixed(mixed(a) ^ b) % (prime - 1) + 1); }

Trace Trace::times(std::int64_t factor) const noexcept {
  const std::uint64_t size =
      factor < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
  const Trace multiple = *this * Trace(size % prime);
  return factor < 0 ? Trace() - multiple : multiple;
}

void Traces::put(const void* polynomial, std::size_t bytes, Trace trace) {
  const auto* const address = static_cast<const char*>(polynomial);
  const auto known = entries_.lower_bound(address);
  if (known != entries_.end() && known->first == address && known->second.bytes == bytes) {
    known->second.trace = trace;  // entries are apart, so that nothing else is known of these bytes
    return;
  }
  forget(polynomial, bytes);
  entries_.insert_or_assign(address, Entry{bytes, trace});
}

std::optional<Trace> Traces::at(const void* polynomial) const {
  const auto* const address = static_cast<const char*>(polynomial);
  auto found = entries_.upper_bound(address);
  if (found == entries_.begin()) return std::nullopt;
  const auto& [start, entry] = *--found;
  const auto offset = static_cast<std::size_t>(address - start);
  if (offset >= entry.bytes) return std::nullopt;
  if (offset == 0 || entry.trace.is_zero()) return entry.trace;
  return Trace::hashed(entry.trace.value(), offset);
}

void Traces::forget(const void* data, std::size_t bytes) {
  const auto *const first = static_cast<const char*>(data), *const last = first + bytes;
  auto from = entries_.lower_bound(first);
  if (from != entries_.begin()) {
    const auto before = std::prev(from);
    if (before->first + before->second.bytes > first) from = before;
  }
  entries_.erase(from, entries_.lower_bound(last));
}

}  // namespace cyclotome
