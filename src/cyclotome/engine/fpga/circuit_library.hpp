// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "cyclotome/engine/fpga/circuit_abi.h"

namespace cyclotome::fpga {

/// What a circuit computes for one prime.
enum class Operation : std::uint8_t { product, forward, inverse };
inline constexpr std::size_t operation_count = 3;

/// Clock ticks as the circuit itself counted them.
struct Ticks {
  std::uint64_t total = 0;     ///< first input word in to last output word out
  std::uint64_t interval = 0;  ///< from one result to the next; 0 after a single one
};

/// The shared library of one circuit, opened for as long as this object lives.
class CircuitLibrary {
 public:
  /// Throws EngineError for a file that can't be loaded, is no circuit, or has another version of the interface.
  static std::shared_ptr<const CircuitLibrary> open(const std::string& path);
  ~CircuitLibrary();
  CircuitLibrary(const CircuitLibrary&) = delete;
  CircuitLibrary& operator=(const CircuitLibrary&) = delete;

  std::size_t degree() const noexcept { return info_->degree; }
  unsigned word_bits() const noexcept { return info_->word_bits; }
  bool offers(Operation operation) const noexcept;
  /// Whether products modulo different primes can be in flight together.
  bool several_primes() const noexcept { return (info_->operations & CYCLOTOME_CIRCUIT_SEVERAL_PRIMES) != 0; }
  /// For messages: "iterative, degree 1024, 2 pipes".
  std::string description() const;

 private:
  friend class Circuit;
  CircuitLibrary(void* handle, const std::string& path);

  void* handle_;
  const cyclotome_circuit_info* info_ = nullptr;
  decltype(&cyclotome_circuit_create) create_ = nullptr;
  decltype(&cyclotome_circuit_destroy) destroy_ = nullptr;
  decltype(&cyclotome_circuit_load) load_ = nullptr;
  decltype(&cyclotome_circuit_multiply) multiply_ = nullptr;
  decltype(&cyclotome_circuit_multiply_each) multiply_each_ = nullptr;  // with several_primes() only
  decltype(&cyclotome_circuit_forward) forward_ = nullptr;
  decltype(&cyclotome_circuit_inverse) inverse_ = nullptr;
  decltype(&cyclotome_circuit_error) error_ = nullptr;
};

/// One circuit, with the tables of a prime once that is loaded. Not thread-safe.
class Circuit {
 public:
  /// Throws EngineError when there is no memory for it.
  explicit Circuit(std::shared_ptr<const CircuitLibrary> library);
  ~Circuit();
  Circuit(const Circuit&) = delete;
  Circuit& operator=(const Circuit&) = delete;

  /// The prime whose tables are loaded; 0: none.
  std::uint64_t modulus() const noexcept { return modulus_; }
  /// Loads a prime and psi, a primitive 2n-th root of unity. Throws EngineError when the circuit refuses them.
  void load(std::uint64_t modulus, std::uint64_t psi);

  /// `out.size() / degree` operations one after another modulo the loaded prime. Residues in [0, p), natural order
  /// (transforms: ring/tables/transform_tables.hpp); `b` is for products only; `out` must not overlap an operand.
  /// Throws EngineError with the circuit's own text.
  Ticks run(Operation operation, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
            std::span<std::uint64_t> out);

  /// One product after another, each modulo its own prime, with its own root; the library takes several primes in
  /// flight. No prime is loaded afterwards.
  Ticks multiply_each(std::span<const std::uint64_t> moduli, std::span<const std::uint64_t> roots,
                      std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::span<std::uint64_t> out);

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::shared_ptr<const CircuitLibrary> library_;
  cyclotome_circuit* circuit_;
  std::uint64_t modulus_ = 0;
};

}  // namespace cyclotome::fpga
