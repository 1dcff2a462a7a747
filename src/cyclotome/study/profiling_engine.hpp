// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>

#include "cyclotome/engine/engine.hpp"

namespace cyclotome::study {

/// What paper 001's Table 2 tells apart.
enum class Work : std::uint8_t { polynomials, ternary, gaussian, uniform, conversions };

inline constexpr const char* work_names[] = {"polynomials", "ternary", "gaussian", "uniform", "conversions"};

/// Another engine's memory and verbs, and how long each kind of work took there: transforms, products and sums of
/// polynomials; draws by their law; conversions of bases, divisions and copies. Its composites run as it has them.
/// Every call waits for its work, so what takes most of a microsecond takes longer here. For one thread at a time.
class ProfilingEngine final : public Engine {
 public:
  explicit ProfilingEngine(EnginePtr engine) : engine_(std::move(engine)) {}

  /// Nanoseconds of each kind of work since `reset`, in the order of `Work`.
  const std::array<double, std::size(work_names)>& nanoseconds() const noexcept { return spent_; }
  void reset() noexcept { spent_ = {}; }

  std::string name() const override { return engine_->name(); }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override { return engine_->allocate(bytes, secret); }
  MemoryState memory(bool with_free) const override { return engine_->memory(with_free); }
  void upload(void* destination, const void* host, std::size_t bytes) override {
    engine_->upload(destination, host, bytes);
  }
  void download(void* host, const void* source, std::size_t bytes) override { engine_->download(host, source, bytes); }
  std::size_t working_set() const noexcept override { return engine_->working_set(); }
  std::size_t most_items() const noexcept override { return engine_->most_items(); }
  void synchronize() override { engine_->synchronize(); }
  Native native(const program::Program& program, const program::Composite& composite) override;

 protected:
  bool computes_in(const Ring& ring) const noexcept override;
  void do_forward(View a) override;
  void do_inverse(View a) override;
  void do_copy(View out, ConstView a) override;
  void do_clear(View out) override;
  void do_add(View out, ConstView a, ConstView b) override;
  void do_subtract(View out, ConstView a, ConstView b) override;
  void do_negate(View out, ConstView a) override;
  void do_multiply(View out, ConstView a, ConstView b) override;
  void do_multiply_accumulate(View accumulator, ConstView a, ConstView b) override;
  void do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) override;
  void do_convert(View out, ConstView a, const BaseConversion& conversion) override;
  void do_automorphism(View out, ConstView a, std::uint64_t element) override;
  void do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) override;
  void do_peaks(View numbers, ConstView a, const BaseConversion& conversion) override;

 private:
  template <class Body>
  void timed(Work work, const Body& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    engine_->synchronize();
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    spent_[static_cast<std::size_t>(work)] += elapsed.count();
  }

  EnginePtr engine_;
  std::array<double, std::size(work_names)> spent_{};
};

}  // namespace cyclotome::study
