// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cyclotome/program/program.hpp"

namespace cyclotome {

/// A caller's memory for one value of a program.
class Operand {
 public:
  Operand(View view) noexcept : view_(view), writable_(true) {}  // NOLINT(google-explicit-constructor): what it is
  Operand(ConstView view) noexcept  // NOLINT(google-explicit-constructor): to be read only, which `run` sees to
      : view_{const_cast<void*>(view.data),
              view.ring,
              view.batch,
              view.parts,
              view.batch_stride,
              view.part_stride,
              view.domain},
        writable_(false) {}

  const View& view() const noexcept { return view_; }
  bool writable() const noexcept { return writable_; }

 private:
  View view_;
  bool writable_;
};

/// Computes a composite of a program at once. operands: its outs and then its ins, all of them of one tile; what is
/// broadcast has one item.
using Native = std::function<void(std::span<const View> operands)>;

/// A program made ready for an engine: composites chosen, constants where they are used. Immutable; several threads may
/// run it at once.
class Execution {
 public:
  static constexpr std::size_t max_operands = 8;

  explicit Execution(program::ProgramPtr program) : program_(std::move(program)) {}
  virtual ~Execution() = default;
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Runs the program on the caller's memory, in the order in which its operands were declared. seeds: the caller's.
  /// first_item: number of the first item in the streams of the seeds, for whoever splits a batch. Throws ArgumentError
  /// for operands that are not of the program's shapes, and for outputs that overlap any other operand. Leaves nothing
  /// half done: what ends it early, an interrupt too, finds the outputs zeroised.
  void run(std::span<const Operand> operands, std::span<const Seed* const> seeds = {},
           std::uint32_t first_item = 0) const;

  const program::Program& program() const noexcept { return *program_; }
  /// The verbs and composites that each tile of items takes, in their order. Tests hold engines to it: a composite that
  /// an engine silently does not know costs time.
  virtual std::vector<std::string_view> steps() const = 0;

 protected:
  /// `run` of operands that fit: those of `each` item have `batch`.
  virtual void do_run(std::span<const View> operands, std::size_t batch, std::span<const Seed* const> seeds,
                      std::uint32_t first_item) const = 0;
  /// Clears an output of a run that ended early.
  virtual void zeroise(const View& output) const = 0;

 private:
  void zeroise_outputs(std::span<const View> operands) const noexcept;

  program::ProgramPtr program_;
};

using ExecutionPtr = std::shared_ptr<const Execution>;

}  // namespace cyclotome
