// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "cyclotome/engine/fpga/circuit_library.hpp"

namespace cyclotome::fpga {

/// Circuits of one library, kept with the tables they have loaded. Thread-safe.
class CircuitPool {
 public:
  explicit CircuitPool(std::shared_ptr<const CircuitLibrary> library) : library_(std::move(library)) {}

  const CircuitLibrary& library() const noexcept { return *library_; }

  /// A circuit for one thread's use; goes back to the pool on destruction, unless it was left in doubt by an error.
  class Lease {
   public:
    Lease(CircuitPool& pool, std::unique_ptr<Circuit> circuit) : pool_(pool), circuit_(std::move(circuit)) {}
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    Ticks run(Operation operation, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
              std::span<std::uint64_t> out);
    Ticks multiply_each(std::span<const std::uint64_t> moduli, std::span<const std::uint64_t> roots,
                        std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                        std::span<std::uint64_t> out);

   private:
    template <class Work>
    Ticks guarded(const Work& work);

    CircuitPool& pool_;
    std::unique_ptr<Circuit> circuit_;
  };

  /// One with the tables of this prime: an idle one that has them, a new one, or, with `max_idle` of others idle, the
  /// one that has been idle longest. Throws EngineError as Circuit's functions.
  Lease acquire(std::uint64_t modulus, std::uint64_t psi);

  /// One with whatever tables.
  Lease acquire();

  static constexpr std::size_t max_idle = 64;

 private:
  /// Null when a new one is to be made.
  std::unique_ptr<Circuit> take_idle(std::uint64_t modulus);
  void put_back(std::unique_ptr<Circuit> circuit);

  std::shared_ptr<const CircuitLibrary> library_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Circuit>> idle_;  // in the order in which they came back
};

}  // namespace cyclotome::fpga
