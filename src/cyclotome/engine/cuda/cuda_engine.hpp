// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cyclotome/engine/host_values.hpp"
#include "cyclotome/engine/norm_checks.hpp"
#include "cyclotome/engine/verbs.hpp"

namespace cyclotome {

namespace cuda {

struct DeviceState;  // device, streams, tables on the device
class Turn;          // of an operation, on a stream

}  // namespace cuda

/// The engine that computes on one NVIDIA GPU. Work is asynchronous, on streams of the engine's own of which each
/// thread takes one: what one thread asks for is done in order, what several ask for side by side, and an operation
/// waits for those that wrote its operands, wherever they were queued. `download` waits for what it reads. Memory comes
/// from a pool of the library's own; secret memory is zeroised in the order of a stream as soon as it is freed, at the
/// latest when the engine goes or the process ends. Every call leaves the calling thread's device and current context
/// as they were. This header needs no CUDA.
class CudaEngine : public Engine, public NormChecks, public HostValues {
 public:
  /// device: index as CUDA counts them. Throws EngineError when there is no driver, no such device, one older than
  /// compute capability 8.0 or than all code of this build, or one that fails a test of known results; the message says
  /// which.
  static std::shared_ptr<CudaEngine> create(int device = 0);
  /// Devices that `create` may be given; 0 without a driver.
  static int device_count() noexcept;
  ~CudaEngine() override;

  std::string name() const override;
  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override;
  /// In the host's memory, unless they are many: kernels write there.
  std::unique_ptr<ProgramNumbers> make_numbers(std::size_t count) override;
  /// held: by every engine of this process on the device, scratch of programs included.
  MemoryState memory(bool with_free) const override;
  /// From another GPU, over NVLink where they are connected so; from an engine that is none, false.
  bool fetch(void* destination, Engine& other, const void* source, std::size_t bytes) override;
  void upload(void* destination, const void* host, std::size_t bytes) override;
  void download(void* host, const void* source, std::size_t bytes) override;
  void download_runs(void* host, const void* source, std::size_t bytes, std::size_t stride, std::size_t count) override;
  std::size_t working_set() const noexcept override { return std::size_t{2} << 30; }
  /// Items times parts stay below the grid's 65535.
  std::size_t most_items() const noexcept override { return 4096; }
  /// Waits until everything asked for so far is done.
  void synchronize() override;
  ExecutionPtr prepare(program::ProgramPtr program) override;
  /// For engines that are not `fused`: composites without a transform.
  Native native(const program::Program& program, const program::Composite& composite) override;
  /// At most 65535 items.
  void check_norms(View numbers, ConstView a, const NormConstants& constants, const NormLimits& limits) override;
  /// Values go through pinned memory, and lie in secret memory of the device meanwhile.
  bool place(View out, std::span<const std::int64_t> values, std::size_t width,
             std::span<const std::uint32_t> positions, bool reduce) override;
  void collect(std::span<std::int64_t> values, ConstView a, std::size_t width,
               std::span<const std::uint32_t> positions) override;
  /// Whether its kernels hold whole limbs: code for compute capability 9.0 is what runs. Else it is general, and
  /// slower.
  bool holds_whole_limbs() const noexcept;

  // For what is queued beside verbs, in their order.
  int device() const noexcept;
  /// The device's CUcontext.
  void* context() const noexcept;
  /// The cudaStream_t on which the calling thread's work is queued: to measure it. Throws EngineError.
  void* stream() const;

  /// Kernels beside verbs, whose operands this engine doesn't know: as long as one of these lives, the calling thread
  /// may queue them on `stream`. They come after everything asked for before, and before everything asked for later by
  /// whatever thread; verbs of this engine are not called meanwhile. Throws EngineError.
  class Aside {
   public:
    explicit Aside(CudaEngine& engine);
    ~Aside();
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;
    /// A cudaStream_t.
    void* stream() const noexcept;

   private:
    std::unique_ptr<cuda::Turn> turn_;
  };

 protected:
  /// x^n + 1, and Phi_m where lines of values along m's prime factors fit a block's memory, and so do m draws of an
  /// error; limbs without gaps.
  bool computes_in(const Ring& ring) const noexcept override;
  /// Opens the device; what `create` throws. fused: whether composites may be computed with transforms in kernels of
  /// their own, past do_forward and do_inverse; else programs are interpreted.
  explicit CudaEngine(int device, bool fused = true);
  /// Compares products of known polynomials, which need transforms in each arithmetic, with the host's; and what code
  /// runs with what was chosen. Takes a fraction of a millisecond once kernels are loaded. Throws EngineError.
  void test_itself();

  CYCLOTOME_OVERRIDE_VERBS
  void do_peaks(View numbers, ConstView a, const BaseConversion& conversion) override;
  void do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) override;
  void do_sum_items(View out, std::span<const ConstView> items, std::size_t group) override;
  void do_sum_products(View out, std::span<const ConstView> a, std::span<const ConstView> b,
                       std::size_t group) override;
  void do_mixed_radix(View out, ConstView a, const MixedRadix& step) override;
  void do_reconstruct(std::uint64_t* words, ConstView a, const MixedRadix& step) override;
  void do_decompose(View out, const std::uint64_t* words, std::size_t count) override;

 private:
  friend class CudaExecution;
  std::unique_ptr<cuda::DeviceState> state_;
};

}  // namespace cyclotome
