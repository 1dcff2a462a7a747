// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/fpga/circuit_pool.hpp"

#include <algorithm>

namespace cyclotome::fpga {

CircuitPool::Lease::~Lease() {
  if (circuit_ != nullptr) pool_.put_back(std::move(circuit_));
}

template <class Work>
Ticks CircuitPool::Lease::guarded(const Work& work) {
  try {
    return work();
  } catch (...) {
    circuit_.reset();  // its state is unknown now
    throw;
  }
}

Ticks CircuitPool::Lease::run(Operation operation, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                              std::span<std::uint64_t> out) {
  return guarded([&] { return circuit_->run(operation, a, b, out); });
}

Ticks CircuitPool::Lease::multiply_each(std::span<const std::uint64_t> moduli, std::span<const std::uint64_t> roots,
                                        std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                                        std::span<std::uint64_t> out) {
  return guarded([&] { return circuit_->multiply_each(moduli, roots, a, b, out); });
}

CircuitPool::Lease CircuitPool::acquire(std::uint64_t modulus, std::uint64_t psi) {
  std::unique_ptr<Circuit> circuit = take_idle(modulus);
  if (circuit == nullptr) circuit = std::make_unique<Circuit>(library_);
  if (circuit->modulus() != modulus) circuit->load(modulus, psi);
  return Lease(*this, std::move(circuit));
}

CircuitPool::Lease CircuitPool::acquire() {
  std::unique_ptr<Circuit> circuit = take_idle(0);
  return Lease(*this, circuit == nullptr ? std::make_unique<Circuit>(library_) : std::move(circuit));
}

std::unique_ptr<Circuit> CircuitPool::take_idle(std::uint64_t modulus) {
  const std::lock_guard lock(mutex_);
  auto found =
      std::find_if(idle_.begin(), idle_.end(), [&](const auto& circuit) { return circuit->modulus() == modulus; });
  if (found == idle_.end() && idle_.size() >= max_idle) found = idle_.begin();
  if (found == idle_.end()) return nullptr;
  std::unique_ptr<Circuit> circuit = std::move(*found);
  idle_.erase(found);
  return circuit;
}

void CircuitPool::put_back(std::unique_ptr<Circuit> circuit) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(circuit));
}

}  // namespace cyclotome::fpga
