// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/loops.hpp"
#include "cyclotome/engine/cpu/memory_pool.hpp"
#include "cyclotome/engine/host_threads.hpp"
#include "cyclotome/engine/host_values.hpp"
#include "cyclotome/engine/verbs.hpp"

namespace cyclotome {

class DivideAndRound;
class KeySwitchConstants;

namespace cpu {

class SlotTurn;
struct Turn;

}  // namespace cpu

namespace program {

struct BehzDivision;
struct BehzExtension;
struct PlainRounding;

}  // namespace program

/// The engine that computes on this machine's cores.
class CpuEngine final : public Engine, public HostThreads, public HostValues {
 public:
  /// threads = 0: one for each core this process may use. instruction_set: the best of this machine unless another one
  /// of `cpu::instruction_sets()` is asked for. Throws ArgumentError above 1024 threads, EngineError for a set that
  /// this machine does not have.
  static std::shared_ptr<CpuEngine> create(std::size_t threads = 0,
                                           std::optional<cpu::InstructionSet> instruction_set = std::nullopt);

  std::string name() const override { return "cpu"; }
  std::size_t threads() const noexcept override { return loops_.threads(); }
  void in_parallel(std::size_t count, const std::function<void(std::size_t)>& body) override {
    loops_.in_parallel(count, cpu::parallel_threshold, body);
  }
  bool place(View out, std::span<const std::int64_t> values, std::size_t width,
             std::span<const std::uint32_t> positions, bool reduce) override;
  void collect(std::span<std::int64_t> values, ConstView a, std::size_t width,
               std::span<const std::uint32_t> positions) override;
  /// The vector instructions that this engine computes with.
  cpu::InstructionSet instruction_set() const noexcept { return instruction_set_; }
  /// Bytes of memory in use, and the most that were at any time since reset_memory_peak(): what work costs in memory.
  std::size_t memory_used() const noexcept { return memory_.used(); }
  std::size_t memory_peak() const noexcept { return memory_.peak(); }
  void reset_memory_peak() noexcept { memory_.reset_peak(); }

  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override;
  MemoryState memory(bool with_free) const override;
  void upload(void* destination, const void* host, std::size_t bytes) override;
  void download(void* host, const void* source, std::size_t bytes) override;

  /// What stays in caches, for each thread to have its part of (doc/cpu-notes.md).
  std::size_t working_set() const noexcept override { return threads() << 22; }
  Native native(const program::Program& program, const program::Composite& composite) override;

 protected:
  bool computes_in(const Ring& ring) const noexcept override;
  CYCLOTOME_OVERRIDE_VERBS

  void do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) override;
  void do_decompose(View out, const std::uint64_t* words, std::size_t count) override;

 private:
  CpuEngine(std::size_t threads, cpu::InstructionSet set)
      : instruction_set_(set),
        kernels32_(cpu::kernels<std::uint32_t>(set)),
        kernels64_(cpu::kernels<std::uint64_t>(set)),
        loops_(threads) {}

  template <LimbWord W>
  const cpu::Kernels<W>& kernels() const noexcept {
    if constexpr (sizeof(W) == 4) {
      return kernels32_;
    } else {
      return kernels64_;
    }
  }

  // What composites are computed with at once (natives.cpp): each computes the bits of the composite's operations,
  // whose meaning is on its writer's page.
  void tensor_product(View out, ConstView a, ConstView b);
  /// Of coefficients; a and b are used up, and may be the same.
  void multiply_ciphertexts(View out, View a, View b);
  void key_switch_product(View out, ConstView digits, ConstView key);
  /// terms: both rows, then those of weights.
  void weighted_sums(View out, std::span<const View> terms);
  /// The sum over j of digits.part(j)(x^g) key.items(j): transforms are turned as they are multiplied.
  void turned_product(View out, ConstView digits, ConstView key, const cpu::SlotTurn& turn);
  void key_switch(View out, ConstView c, ConstView key, const KeySwitchConstants& constants,
                  const std::optional<ConstView>& addend);
  void turned_switch(View out, ConstView body, ConstView digits, ConstView key, const KeySwitchConstants& constants,
                     const cpu::Turn& turn);
  /// Of coefficients.
  void divide_and_round(View out, ConstView kept, ConstView dropped, const DivideAndRound& step,
                        const std::optional<ConstView>& addend);
  void behz_lift(View out, ConstView a, const program::BehzExtension& step);
  void behz_scale(View out, ConstView a, const program::BehzDivision& step);
  /// peaks: a number for each item of out.
  void scale_to_plain(View out, std::uint64_t* peaks, ConstView a, const program::PlainRounding& step);
  void convert_with_peaks(View out, std::uint64_t* peaks, ConstView a, const BaseConversion& conversion);
  /// What key switches find digits from: how many; whether they are made from transforms, of several primes each, or
  /// were found before.
  struct SwitchedFrom {
    std::size_t digits;
    bool transforms, several_primes, given;
  };
  /// run(native, first item, items): a key switch of some items, on scratch for so many.
  template <class Run>
  void key_switch_in_tiles(View out, ConstView key, const KeySwitchConstants& constants, const SwitchedFrom& from,
                           const Run& run);
  template <LimbWord W, class Body>
  void for_each_run_of_values(std::size_t rows, std::size_t width, const Body& body);
  /// Law::error where coefficients are sums of draws. address(b, p, l): of a polynomial.
  template <class Address>
  void sample_sums(View out, const ErrorSums& errors, const Address& address);

  cpu::InstructionSet instruction_set_;
  const cpu::Kernels<std::uint32_t>& kernels32_;
  const cpu::Kernels<std::uint64_t>& kernels64_;
  cpu::MemoryPool memory_;
  cpu::Loops loops_;
};

}  // namespace cyclotome
