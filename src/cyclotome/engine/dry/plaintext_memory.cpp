// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/dry/plaintext_memory.hpp"

namespace cyclotome {

std::optional<std::vector<Trace>> PlaintextMemory::traces(const KnownPlaintexts::Name& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = traces_.find(name);
  return found == traces_.end() ? std::nullopt : std::optional(found->second);
}

/// Traces go before norms do: what stands in for polynomials has norms.
void PlaintextMemory::learn(const KnownPlaintexts::Name& name, std::vector<Trace> traces) {
  const std::lock_guard lock(mutex_);
  if (held_ + traces.size() > most) {
    traces_.clear();
    held_ = 0;
  }
  held_ += traces.size();
  traces_.insert_or_assign(name, std::move(traces));
}

std::optional<KnownPlaintexts::Norms> PlaintextMemory::norms(std::uint64_t digest) const {
  const std::lock_guard lock(mutex_);
  const auto found = norms_.find(digest);
  return found == norms_.end() ? std::nullopt : std::optional(found->second);
}

void PlaintextMemory::clear() {
  const std::lock_guard lock(mutex_);
  forget();
}

void PlaintextMemory::forget() {
  traces_.clear();
  norms_.clear();
  held_ = 0;
}

void PlaintextMemory::note(std::uint64_t digest, const KnownPlaintexts::Norms& norms) {
  const std::lock_guard lock(mutex_);
  if (norms_.size() >= most) forget();
  norms_.insert_or_assign(digest, norms);
}

}  // namespace cyclotome
