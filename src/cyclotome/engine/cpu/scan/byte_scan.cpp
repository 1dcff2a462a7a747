// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/scan/byte_scan.hpp"

#include <algorithm>
#include <utility>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/cpu/scan/kernels.hpp"
#include "cyclotome/engine/host_threads.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::cpu {

namespace {

/// Quads of a block that several requests read while they lie in the second cache: 256 KiB.
constexpr std::size_t shared_quads = 2048;
/// Quads after which a single request asks whether to go on: 2 MiB.
constexpr std::size_t single_quads = 16384;

class CpuByteScan final : public ByteScan {
 public:
  CpuByteScan(EnginePtr engine, HostThreads& threads, ScanKernel& kernel)
      : engine_(std::move(engine)), threads_(&threads), kernel_(&kernel) {}

  void scan(std::span<std::int64_t> sums, const ByteTiles& tiles,
            std::span<const std::int8_t* const> requests) override {
    if (sums.size() != requests.size() * tiles.blocks * block_sums) {
      throw ArgumentError(message(sums.size(), " sums for ", requests.size(), " requests and ", tiles.blocks,
                                  " blocks of columns, which have ", block_sums, " each"));
    }
    std::fill(sums.begin(), sums.end(), 0);
    const std::size_t piece = requests.size() > 1 ? shared_quads : single_quads;
    threads_->in_parallel(tiles.blocks, [&](std::size_t block) {
      const std::uint8_t* const bytes = tiles.bytes + block * tiles.block_bytes();
      for (std::size_t first = 0; first < tiles.quads; first += piece) {
        check_interrupt();
        const std::size_t quads = std::min(piece, tiles.quads - first);
        for (std::size_t r = 0; r < requests.size(); ++r) {
          kernel_(sums.data() + (r * tiles.blocks + block) * block_sums,
                  bytes + first * ByteTiles::columns * ByteTiles::rows, requests[r] + first * digits * ByteTiles::rows,
                  quads);
        }
      }
    });
  }

 private:
  EnginePtr engine_;
  HostThreads* threads_;
  ScanKernel* kernel_;
};

}  // namespace

std::unique_ptr<ByteScan> make_byte_scan(const EnginePtr& engine, std::optional<InstructionSet> instruction_set) {
  auto* const threads = dynamic_cast<HostThreads*>(engine.get());
  if (threads == nullptr) {
    throw EngineError("databases of bytes are scanned by this machine's cores; the device \"" + engine->name() +
                      "\" does not lend them: use \"cpu\"");
  }
  const auto* const cpu = dynamic_cast<const CpuEngine*>(engine.get());
  const std::vector<InstructionSet> sets = instruction_sets();
  const InstructionSet set = instruction_set.value_or(cpu != nullptr ? cpu->instruction_set() : sets.back());
  if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
    throw EngineError(message("this machine has no ", name_of(set), " instructions"));
  }
  return std::make_unique<CpuByteScan>(engine, *threads, scan_kernel(set));
}

}  // namespace cyclotome::cpu
