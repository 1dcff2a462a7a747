// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <map>
#include <mutex>

#include "cyclotome/engine/engine.hpp"

namespace cyclotome::rlwe {

/// What a context's programs of one name differ in: levels, plaintext modulus, shapes, constants. The rest, the
/// parameters, is the context's.
struct ProgramKey {
  std::string_view name;  ///< a literal
  std::array<std::uint64_t, 6> numbers{};

  auto operator<=>(const ProgramKey&) const = default;
};

/// Programs that an engine was made ready for, on first use. Thread-safe.
class ExecutionCache {
 public:
  /// build: writes the program; by several threads at once if need be, and it may be interrupted.
  template <class Build>
  ExecutionPtr find(const ProgramKey& key, Engine& engine, const Build& build) const {
    if (ExecutionPtr found = look_up(key)) return found;
    return insert(key, engine.prepare(build()));
  }

 private:
  /// There may be as many programs as Galois elements at each level, or residues modulo t: all go when there are so
  /// many.
  static constexpr std::size_t most = 1024;

  ExecutionPtr look_up(const ProgramKey& key) const;
  ExecutionPtr insert(const ProgramKey& key, ExecutionPtr made) const;

  mutable std::mutex mutex_;
  mutable std::map<ProgramKey, ExecutionPtr> made_;
};

}  // namespace cyclotome::rlwe
