// SPDX-License-Identifier: Apache-2.0
#pragma once

// An engine that holds operations to what Engine::run asks of them: that their work touches nothing but the operands,
// memory of its own and the operation's seeds, and is the same whenever the operation is. It computes by the CPU
// engine's simple verbs.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cyclotome/engine/cpu/cpu_engine.hpp"

namespace cyclotome::check {

class AuditingEngine final : public Engine {
 public:
  /// What operations did against the rules, in words.
  const std::vector<std::string>& offences() const { return offences_; }
  /// How often each operation was run with a trace to compare with, by name.
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

  Native native(const program::Program&, const program::Composite&) override { return {}; }

 protected:
  void do_run(const CompositeOperation& operation, const std::function<void()>& work) override {
    const auto key = OperationKey::of(operation);
    operation_ = &operation;
    running_ = true;
    trace_.clear();
    own_.clear();
    work();
    running_ = false;
    if (!key) return offend("has no key");
    if (std::any_of(own_.begin(), own_.end(), [](const Own& own) { return !own.freed; })) offend("keeps memory");
    const auto [found, first] = traces_.emplace(*key, trace_);
    if (first) return;
    ++repeated_[std::string(operation.name)];
    if (found->second != trace_) offend("does something else under the same key");
  }

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
      while (which < operation_->seeds.size() && operation_->seeds[which]->bytes() != seed.bytes()) ++which;
      if (which == operation_->seeds.size()) offend("draws from a seed that it does not name");
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
  struct Hash {
    std::size_t operator()(const OperationKey& key) const noexcept { return key.hash(); }
  };

  void offend(const char* what) {
    const std::string text = std::string(operation_->name) + " " + what;
    if (std::find(offences_.begin(), offences_.end(), text) == offences_.end()) offences_.push_back(text);
  }

  template <class... Views>
  void note(const char* verb, const Views&... views) {
    if (!running_) return;
    trace_.push_back(std::hash<std::string>()(verb));
    (note_view(views), ...);
  }
  /// Where a view begins: an operand or memory of the operation's own, and how far from its start; and its shape.
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
    for (std::size_t i = 0; i < operation_->operands.size(); ++i) {
      const MemoryRange operand(operation_->operands[i]);
      if (operand.contains(begin) && MemoryRange(view).end <= operand.end) return place(i, operand.begin);
    }
    offend("touches memory that it does not name");
  }

  std::shared_ptr<CpuEngine> cpu_ = CpuEngine::create(1);
  std::vector<std::unique_ptr<Buffer>> kept_;
  const CompositeOperation* operation_ = nullptr;
  bool running_ = false;
  std::vector<std::uint64_t> trace_;
  std::vector<Own> own_;
  std::unordered_map<OperationKey, std::vector<std::uint64_t>, Hash> traces_;
  std::map<std::string, int> repeated_;
  std::vector<std::string> offences_;
  std::set<std::array<std::uint8_t, 32>> seeds_;
};

}  // namespace cyclotome::check
