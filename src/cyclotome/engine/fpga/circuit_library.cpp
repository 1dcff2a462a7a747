// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/fpga/circuit_library.hpp"

#include <bit>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/platform/library.hpp"

namespace cyclotome::fpga {

namespace {

template <class Function>
void find(void* handle, const char* symbol, const std::string& path, Function& function) {
  function = reinterpret_cast<Function>(platform::find_symbol(handle, symbol));
  if (function == nullptr) {
    throw EngineError(message("'", path, "' is no circuit: it lacks the function ", symbol,
                              "; build it again with this version of the library"));
  }
}

}  // namespace

std::shared_ptr<const CircuitLibrary> CircuitLibrary::open(const std::string& path) {
  std::string reason;
  void* const handle = platform::open_library(path, &reason);
  if (handle == nullptr) {
    // Up to a zero byte, where messages end.
    throw EngineError(message("the circuit '", path.c_str(), "' can't be loaded: ", reason,
                              "; name a circuit's shared library, or delete a damaged model so that it is built anew"));
  }
  return std::shared_ptr<const CircuitLibrary>(new CircuitLibrary(handle, path));
}

CircuitLibrary::CircuitLibrary(void* handle, const std::string& path) : handle_(handle) {
  try {
    decltype(&cyclotome_circuit_describe) describe = nullptr;
    find(handle, "cyclotome_circuit_describe", path, describe);
    info_ = describe();
    if (info_ == nullptr || info_->abi != CYCLOTOME_CIRCUIT_ABI) {
      throw EngineError(message("the circuit '", path, "' has version ", info_ == nullptr ? 0 : info_->abi,
                                " of the interface; this library knows version ", CYCLOTOME_CIRCUIT_ABI,
                                ". Build it again with this version of the library"));
    }
    if (!std::has_single_bit(info_->degree) || info_->degree < 2 || info_->word_bits == 0 || info_->word_bits > 64) {
      throw EngineError(message("the circuit '", path, "' says it has degree ", info_->degree, " and words of ",
                                info_->word_bits, " bits; degrees are powers of two and words at most 64 bits wide"));
    }
    find(handle, "cyclotome_circuit_create", path, create_);
    find(handle, "cyclotome_circuit_destroy", path, destroy_);
    find(handle, "cyclotome_circuit_load", path, load_);
    find(handle, "cyclotome_circuit_multiply", path, multiply_);
    if (several_primes()) find(handle, "cyclotome_circuit_multiply_each", path, multiply_each_);
    find(handle, "cyclotome_circuit_forward", path, forward_);
    find(handle, "cyclotome_circuit_inverse", path, inverse_);
    find(handle, "cyclotome_circuit_error", path, error_);
  } catch (...) {
    platform::close_library(handle);
    throw;
  }
}

CircuitLibrary::~CircuitLibrary() { platform::close_library(handle_); }

bool CircuitLibrary::offers(Operation operation) const noexcept {
  constexpr std::uint32_t bits[operation_count] = {CYCLOTOME_CIRCUIT_PRODUCT, CYCLOTOME_CIRCUIT_FORWARD,
                                                   CYCLOTOME_CIRCUIT_INVERSE};
  return (info_->operations & bits[static_cast<std::size_t>(operation)]) != 0;
}

std::string CircuitLibrary::description() const {
  return message(info_->design == nullptr ? "circuit" : info_->design, ", degree ", info_->degree, ", ", info_->pipes,
                 info_->pipes == 1 ? " pipe" : " pipes");
}

Circuit::Circuit(std::shared_ptr<const CircuitLibrary> library)
    : library_(std::move(library)), circuit_(library_->create_()) {
  if (circuit_ == nullptr) {
    throw EngineError(message("no memory for another model of the circuit (", library_->description(),
                              "); use fewer threads, or parameters of fewer primes"));
  }
}

Circuit::~Circuit() { library_->destroy_(circuit_); }

void Circuit::fail(const std::string& what) const {
  const char* const reason = library_->error_(circuit_);
  throw EngineError(message("the circuit (", library_->description(), ") ", what, ": ",
                            reason == nullptr || *reason == '\0' ? "it gives no reason" : reason));
}

void Circuit::load(std::uint64_t modulus, std::uint64_t psi) {
  modulus_ = 0;
  if (library_->load_(circuit_, modulus, psi) != 0) fail(message("refused the prime ", modulus));
  modulus_ = modulus;
}

Ticks Circuit::run(Operation operation, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                   std::span<std::uint64_t> out) {
  const std::uint64_t count = out.size() / library_->degree();
  Ticks ticks;
  const int code =
      operation == Operation::product
          ? library_->multiply_(circuit_, count, a.data(), b.data(), out.data(), &ticks.total, &ticks.interval)
          : (operation == Operation::forward ? library_->forward_ : library_->inverse_)(
                circuit_, count, a.data(), out.data(), &ticks.total, &ticks.interval);
  if (code != 0) fail(message("failed modulo ", modulus_));
  return ticks;
}

Ticks Circuit::multiply_each(std::span<const std::uint64_t> moduli, std::span<const std::uint64_t> roots,
                             std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                             std::span<std::uint64_t> out) {
  modulus_ = 0;
  Ticks ticks;
  if (library_->multiply_each_(circuit_, moduli.size(), moduli.data(), roots.data(), a.data(), b.data(), out.data(),
                               &ticks.total, &ticks.interval) != 0) {
    fail("failed with several primes in flight");
  }
  return ticks;
}

}  // namespace cyclotome::fpga
