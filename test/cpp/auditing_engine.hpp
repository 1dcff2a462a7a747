// SPDX-License-Identifier: Apache-2.0
#pragma once

// An engine that holds runs of programs to what engines which repeat them rely on: that they touch nothing but their
// operands, memory of their own and their seeds, and do the same whenever program, shapes and sharing are the same. It
// computes by the CPU engine's verbs.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/running/memory_range.hpp"

namespace cyclotome::check {

class AuditingEngine final : public Engine {
 public:
  /// What programs did against the rules, in words.
  const std::vector<std::string>& offences() const { return offences_; }
  /// How often each program was run with a trace to compare with, by name.
  const std::map<std::string, int>& repeated() const { return repeated_; }
  /// All seeds that were drawn from since the last call.
  std::set<std::array<std::uint8_t, 32>> take_seeds() { return std::exchange(seeds_, {}); }
  /// Forgets addresses that a pool would give again: operands of the next runs lie elsewhere.
  void keep_memory() { kept_.push_back(cpu_->allocate(std::size_t{1} << 16, false)); }

  std::string name() const override { return "auditing"; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override {
    auto buffer = std::make_unique<OwnBuffer>(*this, cpu_->allocate(bytes, secret));
    if (running_) {
      own_.push_back({static_cast<const std::byte*>(buffer->data()), bytes, false});
      trace_.push_back(bytes);
    }
    return buffer;
  }
  void upload(void* destination, const void* host, std::size_t bytes) override {
    if (running_) offend("moves bytes from the host");
    cpu_->upload(destination, host, bytes);
  }
  void download(void* host, const void* source, std::size_t bytes) override {
    if (running_) offend("moves bytes to the host");
    cpu_->download(host, source, bytes);
  }
  void synchronize() override {
    if (running_) offend("waits");
  }

  ExecutionPtr prepare(program::ProgramPtr program) override {
    return std::make_shared<const Audited>(std::static_pointer_cast<AuditingEngine>(shared_from_this()),
                                           Engine::prepare(std::move(program)));
  }

 protected:
  void do_forward(View a) override {
    note("forward", a);
    cpu_->forward(a);
  }
  void do_inverse(View a) override {
    note("inverse", a);
    cpu_->inverse(a);
  }
  void do_copy(View out, ConstView a) override {
    note("copy", out, a);
    cpu_->copy(out, a);
  }
  void do_clear(View out) override {
    note("clear", out);
    cpu_->clear(out);
  }
  void do_add(View out, ConstView a, ConstView b) override {
    note("add", out, a, b);
    cpu_->add(out, a, b);
  }
  void do_subtract(View out, ConstView a, ConstView b) override {
    note("subtract", out, a, b);
    cpu_->subtract(out, a, b);
  }
  void do_negate(View out, ConstView a) override {
    note("negate", out, a);
    cpu_->negate(out, a);
  }
  void do_multiply(View out, ConstView a, ConstView b) override {
    note("multiply", out, a, b);
    cpu_->multiply(out, a, b);
  }
  void do_multiply_accumulate(View accumulator, ConstView a, ConstView b) override {
    note("multiply_accumulate", accumulator, a, b);
    cpu_->multiply_accumulate(accumulator, a, b);
  }
  void do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) override {
    note("multiply_scalars", out, a);
    trace_.insert(trace_.end(), factors.begin(), factors.end());
    cpu_->multiply_scalars(out, a, factors);
  }
  void do_convert(View out, ConstView a, const BaseConversion& conversion) override {
    note("convert", out, a);
    trace_.push_back(conversion.id());
    cpu_->convert(out, a, conversion);
  }
  void do_peaks(View numbers, ConstView a, const BaseConversion& conversion) override {
    note("peaks", numbers, a);
    trace_.push_back(conversion.id());
    cpu_->peaks(numbers, a, conversion);
  }
  void do_automorphism(View out, ConstView a, std::uint64_t element) override {
    note("automorphism", out, a);
    trace_.push_back(element);
    cpu_->automorphism(out, a, element);
  }
  void do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) override {
    note("sample", out);
    seeds_.insert(seed.bytes());
    std::uint64_t which = 0;
    if (running_) {
      while (which < run_seeds_.size() && run_seeds_[which]->bytes() != seed.bytes()) ++which;
      if (which == run_seeds_.size()) offend("draws from a seed that it does not name");
    }
    for (const std::uint64_t word :
         {static_cast<std::uint64_t>(law), static_cast<std::uint64_t>(stream), std::uint64_t{first_item}, which}) {
      trace_.push_back(word);
    }
    cpu_->sample(out, law, seed, stream, first_item);
  }

 private:
  struct Own {
    const std::byte* data;
    std::size_t bytes;
    bool freed;
  };
  class OwnBuffer final : public Buffer {
   public:
    OwnBuffer(AuditingEngine& engine, std::unique_ptr<Buffer> inner)
        : Buffer(inner->data(), inner->bytes(), inner->secret()), engine_(engine), inner_(std::move(inner)) {}
    ~OwnBuffer() override {
      for (Own& own : engine_.own_) own.freed = own.freed || own.data == data();
    }

   private:
    AuditingEngine& engine_;
    std::unique_ptr<Buffer> inner_;
  };
  /// What two runs have in common that may differ in residues, addresses and seeds only: the program, the shapes of the
  /// operands, and which of them begin at one address.
  using Key = std::vector<std::uint64_t>;

  class Audited final : public Execution {
   public:
    Audited(std::shared_ptr<AuditingEngine> engine, ExecutionPtr inner)
        : Execution(program::ProgramPtr(inner, &inner->program())),
          engine_(std::move(engine)),
          inner_(std::move(inner)) {}
    std::vector<std::string_view> steps() const override { return inner_->steps(); }

   protected:
    void do_run(std::span<const View> operands, std::size_t, std::span<const Seed* const> seeds,
                std::uint32_t first_item) const override {
      engine_->audit(program(), operands, seeds, first_item,
                     [&] { inner_->run(std::vector<Operand>(operands.begin(), operands.end()), seeds, first_item); });
    }
    void zeroise(const View&) const override {}  // the inner run has

   private:
    std::shared_ptr<AuditingEngine> engine_;
    ExecutionPtr inner_;
  };

  static Key key_of(const program::Program& program, std::span<const View> operands, std::uint32_t first_item) {
    Key key{program.id(), first_item};
    for (const View& view : operands) {
      const auto twin = std::ranges::find(operands, view.data, &View::data);
      key.insert(key.end(), {view.batch, view.batch > 1 ? view.batch_stride : 0, view.parts > 1 ? view.part_stride : 0,
                             static_cast<std::uint64_t>(twin - operands.begin())});
    }
    return key;
  }

  template <class Run>
  void audit(const program::Program& program, std::span<const View> operands, std::span<const Seed* const> seeds,
             std::uint32_t first_item, const Run& run) {
    program_ = &program;
    run_operands_ = operands;
    run_seeds_ = seeds;
    running_ = true;
    trace_.clear();
    own_.clear();
    run();
    running_ = false;
    if (std::any_of(own_.begin(), own_.end(), [](const Own& own) { return !own.freed; })) offend("keeps memory");
    const auto [found, first] = traces_.emplace(key_of(program, operands, first_item), trace_);
    if (first) return;
    ++repeated_[std::string(program.name())];
    if (found->second != trace_) offend("does something else on the same shapes");
  }

  void offend(const char* what) {
    const std::string text = std::string(program_->name()) + " " + what;
    if (std::find(offences_.begin(), offences_.end(), text) == offences_.end()) offences_.push_back(text);
  }

  template <class... Views>
  void note(const char* verb, const Views&... views) {
    if (!running_) return;
    trace_.push_back(std::hash<std::string>()(verb));
    (note_view(views), ...);
  }
  /// Where a view begins: an operand or memory of the run's own, and how far from its start; and its shape.
  void note_view(ConstView view) {
    const auto* const begin = static_cast<const std::byte*>(view.data);
    const auto place = [&](std::uint64_t which, const std::byte* from) {
      trace_.insert(trace_.end(), {which, static_cast<std::uint64_t>(begin - from), view.ring->id(), view.batch,
                                   view.parts, static_cast<std::uint64_t>(view.domain)});
      if (view.batch > 1) trace_.push_back(view.batch_stride);
      if (view.parts > 1) trace_.push_back(view.part_stride);
    };
    for (std::size_t i = own_.size(); i-- > 0;) {
      if (!own_[i].freed && begin >= own_[i].data && begin < own_[i].data + own_[i].bytes) {
        return place(1000 + i, own_[i].data);
      }
    }
    for (std::size_t i = 0; i < run_operands_.size(); ++i) {
      const MemoryRange operand(run_operands_[i]);
      if (operand.contains(MemoryRange(view))) return place(i, operand.begin);
    }
    offend("touches memory that it does not name");
  }

  std::shared_ptr<CpuEngine> cpu_ = CpuEngine::create(1);
  std::vector<std::unique_ptr<Buffer>> kept_;
  const program::Program* program_ = nullptr;  // that runs, as do the next two
  std::span<const View> run_operands_;
  std::span<const Seed* const> run_seeds_;
  bool running_ = false;
  std::vector<std::uint64_t> trace_;
  std::vector<Own> own_;
  std::map<Key, std::vector<std::uint64_t>> traces_;
  std::map<std::string, int> repeated_;
  std::vector<std::string> offences_;
  std::set<std::array<std::uint8_t, 32>> seeds_;
};

}  // namespace cyclotome::check
