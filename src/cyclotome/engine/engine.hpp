// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cyclotome/engine/execution.hpp"
#include "cyclotome/engine/memory_state.hpp"
#include "cyclotome/engine/program_numbers.hpp"
#include "cyclotome/ring/conversion/base_conversion.hpp"
#include "cyclotome/ring/randomness/sampling.hpp"
#include "cyclotome/ring/view.hpp"

namespace cyclotome {

class MixedRadix;

/// Memory of an engine. Freed (zeroised first when secret) on destruction; keeps its engine alive.
class Buffer {
 public:
  Buffer(void* data, std::size_t bytes, bool secret) noexcept : data_(data), bytes_(bytes), secret_(secret) {}
  virtual ~Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() noexcept { return data_; }
  const void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  bool secret() const noexcept { return secret_; }

 private:
  void* data_;
  std::size_t bytes_;
  bool secret_;
};

/// WHERE polynomials are computed. The public functions are the vocabulary: each is one sentence of mathematics over
/// residues[batch][part][limb][coefficient], checks its arguments (ArgumentError) and calls the engine's `do_`
/// function.
///
/// Residues are in [0, q_i) on entry and exit of every verb. Operands of batch 1 (parts 1) are broadcast. An output may
/// be the same view as an input unless the text says otherwise, but must not overlap it partly. All engines return the
/// same bits.
///
/// Verbs of programs are pure virtual, but for `peaks`; it and those beside programs have a reference implementation
/// (reference.cpp), which an engine overrides only where it can be faster. What is more than one verb is a composite of
/// a program, which an engine may compute at once (`native`). Thread-safe: one engine may serve several host threads.
class Engine : public std::enable_shared_from_this<Engine> {
 public:
  virtual ~Engine() = default;

  /// "cpu", "cuda:0", "fpga:sim", ...
  virtual std::string name() const = 0;

  /// Throws EngineError unless this engine computes in such rings: it has their transform and automorphisms, and
  /// reaches limbs where they lie. Every array of polynomials passes here when it is made, and every program.
  void require_ring(const Ring& ring) const;

  // --- memory --------------------------------------------------------------------------------------------------------
  /// Uninitialised memory, aligned to 64 bytes. Throws MemoryLimitError or another EngineError when there is none left.
  virtual std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) = 0;
  /// What there is of memory; with_free: also how much is free, which takes some microseconds to find out.
  virtual MemoryState memory([[maybe_unused]] bool with_free) const { return {}; }
  /// Bytes from the host into the engine's memory / back. Complete when the call returns.
  virtual void upload(void* destination, const void* host, std::size_t bytes) = 0;
  virtual void download(void* host, const void* source, std::size_t bytes) = 0;
  /// `count` runs of `bytes` bytes, `stride` bytes apart in the engine's memory, one after another to the host.
  virtual void download_runs(void* host, const void* source, std::size_t bytes, std::size_t stride, std::size_t count);
  /// Numbers of a program for so many items. By default they lie in this engine's memory, and are downloaded.
  virtual std::unique_ptr<ProgramNumbers> make_numbers(std::size_t count);
  /// Bytes from another engine's memory straight into this one's, after what either was asked for so far and before
  /// what either is asked for from now on. False, and nothing was done, where there is no way past the host, as by
  /// default.
  virtual bool fetch([[maybe_unused]] void* destination, [[maybe_unused]] Engine& other,
                     [[maybe_unused]] const void* source, [[maybe_unused]] std::size_t bytes) {
    return false;
  }
  /// Bytes of temporaries that a tile of batch items should stay below: what is fast here.
  virtual std::size_t working_set() const noexcept { return std::size_t{64} << 20; }
  /// The most batch items that a verb takes.
  virtual std::size_t most_items() const noexcept { return static_cast<std::size_t>(-1); }
  /// How many of `batch` items, of so many bytes of temporaries each, to work on at a time: as many as the working set
  /// holds, at least 1, in tiles of about one size.
  std::size_t batch_tile(std::size_t batch, std::size_t bytes_per_item) const;
  /// Waits until everything asked for so far is done. Only who times work needs it: `download` waits by itself.
  virtual void synchronize() {}

  // --- verbs of programs ---------------------------------------------------------------------------------------------
  /// Coefficients -> transform, in place, as the ring's Transform says (in x^n + 1 paper 001, Algorithm 1). The caller
  /// owns the domain tag.
  void forward(View a);
  /// Transform -> coefficients, scaled, in place (in x^n + 1 paper 001, Algorithm 2, errata 001-2 and 001-3).
  void inverse(View a);
  /// out = a.
  void copy(View out, ConstView a);
  /// out = 0.
  void clear(View out);
  void add(View out, ConstView a, ConstView b);
  void subtract(View out, ConstView a, ConstView b);
  void negate(View out, ConstView a);
  /// out = a b, coefficient by coefficient; polynomials' product when both are transforms.
  void multiply(View out, ConstView a, ConstView b);
  /// accumulator += a b, coefficient by coefficient.
  void multiply_accumulate(View accumulator, ConstView a, ConstView b);
  /// out_l = factors[l] a_l; factors: one residue in [0, q_l) per limb.
  void multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors);
  /// out = conversion of a (coefficient domain); `out` must not be `a`.
  void convert(View out, ConstView a, const BaseConversion& conversion);
  /// out = a(x^element), element in the ring's Galois group. Both domains; `out` must not be `a`.
  void automorphism(View out, ConstView a, std::uint64_t element);
  /// Draws out (coefficient domain; a uniform draw may be declared a transform) from `law`, addressed as sampling.hpp
  /// says. Batch item b uses item index first_item + b. Errors need moduli above those of the ring's ErrorSums; a
  /// stream of a seed has 2^32 items of 2^16 parts.
  void sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item = 0);
  /// numbers (one 64-bit number for each item of a, one after another) = `peak_of` the largest |a|/q over an item's
  /// coefficients, q the conversion's source, a one part in coefficient domain: off by less than `peak_error`. Constant
  /// time.
  void peaks(View numbers, ConstView a, const BaseConversion& conversion);

  // --- verbs beside programs: what they do depends on numbers that only a call knows -------------------------------
  /// out[r] = sum over c of matrix[r][c] a[c] over batch items; matrix: row-major, rows x a.batch small signed
  /// integers.
  void linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix);
  /// out[i] = items[i group] + ... + items[i group + group - 1], in this order: each has batch 1, the limbs and domain
  /// of out and as many parts or fewer, of which missing ones count as zero. With group 1 items are put together. None
  /// may overlap out.
  void sum_items(View out, std::span<const ConstView> items, std::size_t group);
  /// out[i] (3 parts) = the sum of the products a[k] b[k], k from i group to i group + group - 1, of ciphertexts as
  /// polynomials in the secret key: 2 parts and batch 1 each; transforms. None may overlap out.
  void sum_products(View out, std::span<const ConstView> a, std::span<const ConstView> b, std::size_t group);
  /// Limb i of out = digit i of a in mixed radix, in [0, q_i); coefficient domain (000, Algorithm 4, erratum 000-6).
  void mixed_radix(View out, ConstView a, const MixedRadix& step);
  /// The integers in [0, q) that the coefficients of a (coefficient domain) stand for, as little-endian 64-bit words
  /// words[batch][part][word][coefficient], step.words() each, from the buffer's start on. The buffer is this engine's.
  void reconstruct(Buffer& words, ConstView a, const MixedRadix& step);
  /// The way back: out (coefficient domain) = the residues of integers of `count` >= 1 little-endian 64-bit words each,
  /// words[batch][part][word][coefficient] from the buffer's start on (paper 000, 6.2.1). They are not negative, and of
  /// any size: no need to be below q. The buffer is this engine's.
  void decompose(View out, const Buffer& words, std::size_t count);

  // --- programs ------------------------------------------------------------------------------------------------------
  /// Makes a program ready to run on this engine. By default an Interpreter over `native` and the verbs.
  virtual ExecutionPtr prepare(program::ProgramPtr program);
  /// What computes a composite at once; empty, as by default, if this engine has no code for it, and its operations are
  /// done one by one. Whoever overrides it reads constants and makes sure of the meaning by the composites' readers
  /// (program/composites.hpp, program/lifts.hpp): a name alone says nothing. Scratch of a composite that is `secret`
  /// must be zeroised.
  virtual Native native(const program::Program& program, const program::Composite& composite);

 protected:
  friend class Interpreter;
  /// Whether require_ring is content. Unless an engine says more: x^n + 1, limbs without gaps.
  virtual bool computes_in(const Ring& ring) const noexcept;
  virtual void do_forward(View a) = 0;
  virtual void do_inverse(View a) = 0;
  virtual void do_copy(View out, ConstView a) = 0;
  virtual void do_clear(View out) = 0;
  virtual void do_add(View out, ConstView a, ConstView b) = 0;
  virtual void do_subtract(View out, ConstView a, ConstView b) = 0;
  virtual void do_negate(View out, ConstView a) = 0;
  virtual void do_multiply(View out, ConstView a, ConstView b) = 0;
  virtual void do_multiply_accumulate(View accumulator, ConstView a, ConstView b) = 0;
  virtual void do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) = 0;
  virtual void do_convert(View out, ConstView a, const BaseConversion& conversion) = 0;
  virtual void do_automorphism(View out, ConstView a, std::uint64_t element) = 0;
  virtual void do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) = 0;
  virtual void do_peaks(View numbers, ConstView a, const BaseConversion& conversion);

  virtual void do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix);
  virtual void do_sum_items(View out, std::span<const ConstView> items, std::size_t group);
  virtual void do_sum_products(View out, std::span<const ConstView> a, std::span<const ConstView> b, std::size_t group);
  virtual void do_mixed_radix(View out, ConstView a, const MixedRadix& step);
  virtual void do_reconstruct(std::uint64_t* words, ConstView a, const MixedRadix& step);
  virtual void do_decompose(View out, const std::uint64_t* words, std::size_t count);
};

using EnginePtr = std::shared_ptr<Engine>;

}  // namespace cyclotome
