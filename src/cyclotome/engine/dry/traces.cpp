// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/dry/traces.hpp"

#include <iterator>

#include "cyclotome/math/word.hpp"

namespace cyclotome {

namespace {

constexpr std::uint64_t modulus = (std::uint64_t{1} << 61) - 1;

/// The finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<std::uint64_t>(static_cast<u128>(a) * b % modulus);
}

}  // namespace

Trace Trace::hashed(std::uint64_t a, std::uint64_t b) { return Trace(mixed(mixed(a) ^ b) % (modulus - 1) + 1); }

Trace Trace::times(std::int64_t factor) const noexcept {
  const std::uint64_t size =
      factor < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
  const Trace multiple(product(value_, size % modulus));
  return factor < 0 ? Trace() - multiple : multiple;
}

Trace operator+(Trace a, Trace b) noexcept { return Trace((a.value_ + b.value_) % modulus); }
Trace operator-(Trace a, Trace b) noexcept { return Trace((a.value_ + modulus - b.value_) % modulus); }
Trace operator*(Trace a, Trace b) noexcept { return Trace(product(a.value_, b.value_)); }

void Traces::put(const void* polynomial, std::size_t bytes, Trace trace) {
  forget(polynomial, bytes);
  entries_.insert_or_assign(static_cast<const char*>(polynomial), Entry{bytes, trace});
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
