// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "cyclotome/engine/cuda/graph/launcher.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/secure_zero.hpp"

// The kernels of a graph as the host keeps them. Needs no CUDA.
namespace cyclotome::cuda {

/// A kernel and its arguments, at addresses that suit their types.
class PackedKernel {
 public:
  PackedKernel(const KernelLaunch& launch, std::span<const Argument> arguments) : launch_(launch) {
    std::size_t units = 0;
    for (const Argument& argument : arguments) {
      places_.push_back({units, argument.bytes, argument.secret});
      units += std::max<std::size_t>(1, (argument.bytes + sizeof(Unit) - 1) / sizeof(Unit));
      holds_seed_ = holds_seed_ || argument.secret;
    }
    memory_ = std::make_unique<Unit[]>(units);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      pointers_.push_back(memory_.get() + places_[i].unit);
      if (arguments[i].bytes != 0) std::memcpy(pointers_[i], arguments[i].data, arguments[i].bytes);
    }
  }

  /// Takes the same kernel's launch over; whether anything but a seed that was forgotten is different. Throws
  /// EngineError for another kernel.
  bool update(const KernelLaunch& launch, std::span<const Argument> arguments) {
    if (launch.function != launch_.function || arguments.size() != places_.size()) {
      throw EngineError(
          message("CUDA: a graph has a kernel for ", launch_.what, " where one for ", launch.what, " is asked for"));
    }
    bool changed = launch != launch_ || holds_seed_;
    launch_ = launch;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Place& place = places_[i];
      if (place.bytes == 0 || (!place.secret && std::memcmp(pointers_[i], arguments[i].data, place.bytes) == 0)) {
        continue;
      }
      std::memcpy(pointers_[i], arguments[i].data, place.bytes);
      changed = true;
    }
    return changed;
  }

  bool holds_seed() const noexcept { return holds_seed_; }
  void forget_seed() noexcept {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].secret) secure_zero(pointers_[i], places_[i].bytes);
    }
  }

  /// Whether both launch the same kernel with the same arguments.
  bool operator==(const PackedKernel& other) const noexcept {
    if (launch_ != other.launch_ || places_.size() != other.places_.size()) return false;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].bytes != other.places_[i].bytes) return false;
      if (std::memcmp(pointers_[i], other.pointers_[i], places_[i].bytes) != 0) return false;
    }
    return true;
  }

  const KernelLaunch& launch() const noexcept { return launch_; }
  /// To the arguments, one by one.
  void** arguments() noexcept { return pointers_.data(); }

 private:
  struct alignas(16) Unit {
    std::byte bytes[16];
  };
  struct Place {
    std::size_t unit;
    std::uint32_t bytes;
    bool secret;
  };

  KernelLaunch launch_;
  std::vector<Place> places_;
  std::unique_ptr<Unit[]> memory_;
  std::vector<void*> pointers_;
  bool holds_seed_ = false;
};

/// A graph of kernels, one after the other, as CUDA has it.
class KernelChain {
 public:
  virtual ~KernelChain() = default;
  /// Throw EngineError.
  virtual void append(const KernelLaunch& launch, void** arguments) = 0;
  /// New arguments for kernel number `kernel`.
  virtual void set(std::size_t kernel, const KernelLaunch& launch, void** arguments) = 0;
};

/// Fills a graph, and keeps it up to date: the launches of a step are either appended, or compared with what the step
/// launched when it was appended, and put into the graph where they differ. A step launches the same kernels each time.
class GraphKernels final : public Launcher {
 public:
  explicit GraphKernels(KernelChain& chain) : chain_(chain) {}
  ~GraphKernels() override {
    for (PackedKernel& kernel : kernels_) kernel.forget_seed();
  }
  GraphKernels(const GraphKernels&) = delete;
  GraphKernels& operator=(const GraphKernels&) = delete;

  void launch(const KernelLaunch& kernel, std::span<const Argument> arguments) override {
    if (at_ == kernels_.size() && building_) {
      PackedKernel& packed = kernels_.emplace_back(kernel, arguments);
      packed.forget_seed();  // a graph has seeds from an update to its launch only
      ++at_;
      chain_.append(kernel, packed.arguments());
      return;
    }
    if (at_ == end_) throw EngineError(message("CUDA: a graph has no kernel left for ", kernel.what));
    PackedKernel& packed = kernels_[at_];
    if (packed.update(kernel, arguments)) chain_.set(at_, kernel, packed.arguments());
    ++at_;
  }

  /// The launches from here on are a new step's.
  void append_step() {
    building_ = true;
    at_ = kernels_.size();
    first_.push_back(at_);
  }
  /// They are step number `step`'s, whose operands have moved. Throws EngineError if not all kernels of the step before
  /// were launched.
  void update_step(std::size_t step) {
    finish();
    building_ = false;
    at_ = first_[step];
    end_ = step + 1 < first_.size() ? first_[step + 1] : kernels_.size();
  }
  /// No step is left to launch. Throws EngineError as update_step does.
  void finish() const {
    if (!building_ && at_ != end_) {
      throw EngineError(message("CUDA: a graph has a kernel for ", kernels_[at_].launch().what, " too many"));
    }
  }

  /// Zeros in place of seeds, here and in the graph.
  void forget_seeds() {
    // Those kept here first: what puts them into the graph may fail.
    for (PackedKernel& kernel : kernels_) kernel.forget_seed();
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (kernels_[i].holds_seed()) chain_.set(i, kernels_[i].launch(), kernels_[i].arguments());
    }
  }

  const std::vector<PackedKernel>& kernels() const noexcept { return kernels_; }

 private:
  KernelChain& chain_;
  std::vector<PackedKernel> kernels_;
  std::vector<std::size_t> first_;  ///< kernel of each step
  std::size_t at_ = 0, end_ = 0;
  bool building_ = true;
};

}  // namespace cyclotome::cuda
