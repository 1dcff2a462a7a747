// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "cyclotome/engine/dry/traces.hpp"
#include "cyclotome/engine/known_plaintexts.hpp"

namespace cyclotome {

/// What engines that keep account know of public plaintexts, shared by those of one search for parameters. Any thread
/// may ask. It begins anew when it holds a great deal.
class PlaintextMemory {
 public:
  /// Of the items of an array.
  std::optional<std::vector<Trace>> traces(const KnownPlaintexts::Name& name) const;
  void learn(const KnownPlaintexts::Name& name, std::vector<Trace> traces);
  std::optional<KnownPlaintexts::Norms> norms(std::uint64_t digest) const;
  void clear();
  void note(std::uint64_t digest, const KnownPlaintexts::Norms& norms);

 private:
  /// Precondition: the mutex is held.
  void forget();

  static constexpr std::size_t most = std::size_t{1} << 20;  // traces, and norms

  mutable std::mutex mutex_;
  std::map<KnownPlaintexts::Name, std::vector<Trace>> traces_;
  std::map<std::uint64_t, KnownPlaintexts::Norms> norms_;
  std::size_t held_ = 0;
};

}  // namespace cyclotome
