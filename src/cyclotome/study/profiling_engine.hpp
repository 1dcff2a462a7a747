// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "cyclotome/engine/forwarding_engine.hpp"
#include "cyclotome/engine/verbs.hpp"
#include "cyclotome/engine/work_clock.hpp"

namespace cyclotome::study {

/// What paper 001's Table 2 tells apart.
enum class Work : std::uint8_t { polynomials, ternary, gaussian, uniform, conversions };

inline constexpr const char* work_names[] = {"polynomials", "ternary", "gaussian", "uniform", "conversions"};

/// Another engine's memory and verbs, and how long each kind of work took there: transforms, products and sums of
/// polynomials; draws by their law; conversions of bases, divisions and copies. Its composites run as it has them.
/// Every call waits for its work, so what takes most of a microsecond takes longer here. For one thread at a time.
class ProfilingEngine final : public ForwardingEngine {
 public:
  explicit ProfilingEngine(EnginePtr engine) : ForwardingEngine(std::move(engine)), clock_(*host()) {}

  /// Nanoseconds of each kind of work since `reset`, by the other engine's `WorkClock`, in the order of `Work`.
  const std::array<double, std::size(work_names)>& nanoseconds() const noexcept { return spent_; }
  void reset() noexcept { spent_ = {}; }

  std::string name() const override { return host()->name(); }
  MemoryState memory(bool with_free) const override { return host()->memory(with_free); }
  std::size_t working_set() const noexcept override { return host()->working_set(); }
  std::size_t most_items() const noexcept override { return host()->most_items(); }
  void synchronize() override { host()->synchronize(); }
  Native native(const program::Program& program, const program::Composite& composite) override;

 protected:
  bool computes_in(const Ring& ring) const noexcept override;
  CYCLOTOME_OVERRIDE_VERBS
  void do_peaks(View numbers, ConstView a, const BaseConversion& conversion) override;

 private:
  template <class Body>
  void timed(Work work, const Body& body) {
    const std::int64_t start = clock_.nanoseconds();
    body();
    host()->synchronize();
    spent_[static_cast<std::size_t>(work)] += static_cast<double>(clock_.nanoseconds() - start);
  }

  WorkClock clock_;
  std::array<double, std::size(work_names)> spent_{};
};

}  // namespace cyclotome::study
