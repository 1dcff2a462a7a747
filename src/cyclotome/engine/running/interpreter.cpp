// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/running/interpreter.hpp"

#include <algorithm>
#include <array>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/engine/running/frame.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome {

using program::Composite;
using program::Op;
using program::Place;
using program::Program;
using program::Value;
using program::Verb;

namespace {

std::vector<bool> which(const std::vector<Native>& natives) {
  std::vector<bool> known;
  for (const Native& native : natives) known.push_back(native != nullptr);
  return known;
}

}  // namespace

/// One run: where each value of the program lies at the moment.
class Interpreter::Run {
 public:
  Run(const Interpreter& interpreter, std::span<const View> operands, std::span<const Seed* const> seeds,
      std::uint32_t first_item)
      : on_(interpreter),
        program_(interpreter.program()),
        operands_(operands),
        seeds_(seeds),
        first_item_(first_item),
        frame_(program_),
        memory_(program_.values().size()) {}

  void operator()(std::size_t batch, std::size_t tile) {
    bind(0, std::min(tile, batch));
    for (const std::uint32_t v : on_.schedule_.kept()) begin(v);
    for (const Schedule::Step& step : on_.schedule_.once()) run(step, 0);
    for (std::size_t first = 0; first < batch; first += tile) {
      if (first != 0) bind(first, std::min(tile, batch - first));
      for (const Schedule::Step& step : on_.schedule_.tile()) {
        check_interrupt();
        for (const std::uint32_t v : step.begins) begin(v);
        run(step, first);
        for (const std::uint32_t v : step.ends) memory_[v].reset();
      }
    }
  }

 private:
  void bind(std::size_t first, std::size_t count) { frame_.bind(operands_, first, count); }
  View view(const Place& place) const { return frame_.view(place); }

  void begin(std::uint32_t v) {
    memory_[v] = on_.engine_->allocate(frame_.bytes(v), program_.values()[v].secret);
    frame_.place(v, memory_[v]->data());
  }

  void run(const Schedule::Step& step, std::size_t first) const {
    if (!step.composite) {
      run(program_.ops()[step.index], static_cast<std::uint32_t>(first_item_ + first));
      return;
    }
    const Composite& composite = program_.composites()[step.index];
    std::array<View, Composite::max_places> places;
    std::size_t count = 0;
    for (const Place& p : composite.outs) places[count++] = view(p);
    for (const Place& p : composite.ins) places[count++] = view(p);
    on_.natives_[step.index](std::span<const View>(places.data(), count));
  }

  /// The verbs behind the checks: the program was checked when it was built.
  void run(const Op& op, std::uint32_t item) const {
    Engine& engine = *on_.engine_;
    const View out = view(op.out), a = view(op.a), b = view(op.b);
    switch (op.verb) {
      case Verb::forward:
        return engine.do_forward(out);
      case Verb::inverse:
        return engine.do_inverse(out);
      case Verb::copy:
        return engine.do_copy(out, a);
      case Verb::clear:
        return engine.do_clear(out);
      case Verb::add:
        return engine.do_add(out, a, b);
      case Verb::subtract:
        return engine.do_subtract(out, a, b);
      case Verb::negate:
        return engine.do_negate(out, a);
      case Verb::multiply:
        return engine.do_multiply(out, a, b);
      case Verb::multiply_accumulate:
        return engine.do_multiply_accumulate(out, a, b);
      case Verb::multiply_scalars:
        return engine.do_multiply_scalars(out, a, op.factors);
      case Verb::convert:
        return engine.do_convert(out, a, *op.conversion);
      case Verb::automorphism:
        return engine.do_automorphism(out, a, op.element);
      case Verb::sample:
        return engine.do_sample(out, op.law, *seeds_[op.seed], op.stream, item);
      case Verb::peaks:
        return engine.do_peaks(out, a, *op.conversion);
    }
  }

  const Interpreter& on_;
  const Program& program_;
  std::span<const View> operands_;
  std::span<const Seed* const> seeds_;
  std::uint32_t first_item_;
  Frame frame_;                                  // of the tile
  std::vector<std::unique_ptr<Buffer>> memory_;  // of temporaries
};

Interpreter::Interpreter(EnginePtr engine, program::ProgramPtr program)
    : Execution(std::move(program)),
      engine_(std::move(engine)),
      natives_([this] {
        std::vector<Native> found;
        for (const Composite& c : this->program().composites()) found.push_back(engine_->native(this->program(), c));
        return found;
      }()),
      schedule_(this->program(), which(natives_)) {}

std::vector<std::string_view> Interpreter::steps() const {
  std::vector<std::string_view> names;
  for (const Schedule::Step& step : schedule_.tile()) {
    names.push_back(step.composite ? program().composites()[step.index].name
                                   : program::name_of(program().ops()[step.index].verb));
  }
  return names;
}

void Interpreter::do_run(std::span<const View> operands, std::size_t batch, std::span<const Seed* const> seeds,
                         std::uint32_t first_item) const {
  const std::size_t tile = engine_->batch_tile(batch, schedule_.item_bytes());
  const std::uint64_t bytes = schedule_.item_bytes() * std::uint64_t{tile} + schedule_.fixed_bytes();
  if (bytes >= announced_bytes || memory_limit()) require_memory(*engine_, program().name(), bytes);
  check_interrupt();
  Run(*this, operands, seeds, first_item)(batch, tile);
}

void Interpreter::zeroise(const View& output) const { engine_->do_clear(output); }

}  // namespace cyclotome
