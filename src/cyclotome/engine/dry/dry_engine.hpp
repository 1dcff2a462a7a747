// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>

#include "cyclotome/engine/dry/account.hpp"
#include "cyclotome/engine/dry/asked.hpp"
#include "cyclotome/engine/dry/plaintext_memory.hpp"
#include "cyclotome/engine/dry/traces.hpp"
#include "cyclotome/engine/host_values.hpp"
#include "cyclotome/engine/known_plaintexts.hpp"
#include "cyclotome/engine/operand_uses.hpp"
#include "cyclotome/engine/verbs.hpp"
#include "cyclotome/platform/processor_time.hpp"

namespace cyclotome {

/// An engine that computes next to nothing: it keeps account of what it was asked for. Operations on it refuse what
/// they refuse anywhere, since they decide from public numbers.
///
/// Memory is address space until something is written to it. What was uploaded is there, and so are its transforms and
/// copies, which another engine computes: norms of plaintexts, which noise bounds depend on, are those of the values.
/// What is made of it by anything else is not, and downloading that gives bytes that mean nothing: zeros where it is
/// known that zeros would have been computed, as of x - x (Trace), and else none.
class DryEngine final : public Engine, public OperandUses, public KnownPlaintexts, public HostValues {
 public:
  /// host: an engine whose memory this processor can address. known: of plaintexts, from engines before; null: nothing.
  static std::shared_ptr<DryEngine> create(EnginePtr host, std::shared_ptr<PlaintextMemory> known = nullptr) {
    return std::shared_ptr<DryEngine>(new DryEngine(std::move(host), std::move(known)));
  }
  ~DryEngine() override;

  std::string name() const override { return "dry"; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override;
  MemoryState memory(bool with_free) const override;
  void upload(void* destination, const void* from, std::size_t bytes) override;
  void download(void* host, const void* source, std::size_t bytes) override;
  ExecutionPtr prepare(program::ProgramPtr program) override;

  Account account() const;
  /// From now on, or no more, it remembers all work by its kind, for `asked`.
  void remember(bool kinds);
  /// What the account says, by kinds that can be done again, but for work that was done: transforms and copies of what
  /// was uploaded.
  std::vector<Asked> asked() const;
  /// Nanoseconds of threads that keeping account took, while it remembers: no part of what a computation takes.
  std::int64_t own_nanoseconds() const noexcept { return own_nanoseconds_.load(); }
  /// The most bytes that its buffers would have held at one time.
  std::uint64_t peak_bytes() const;
  /// Whether an operation has taken what lies there as an operand since then: which keys a computation takes.
  bool has_read(const void* data) const;
  void will_read(const void* data) override;
  bool stand_in(const Name& name, View out) override;
  void learn(const Name& name, ConstView polynomials) override;
  std::optional<Norms> noted(ConstView polynomials) const override;
  void note(ConstView polynomials, const Norms& norms) override;
  /// By the host's engine, as it would be done: what is there then is what was uploaded otherwise.
  bool place(View out, std::span<const std::int64_t> values, std::size_t width,
             std::span<const std::uint32_t> positions, bool reduce) override;
  void collect(std::span<std::int64_t> values, ConstView a, std::size_t width,
               std::span<const std::uint32_t> positions) override;
  /// Forgets the account; what memory holds stays.
  void reset();
  /// The most products of ciphertexts one after the other, of all that was computed since then.
  unsigned depth() const;
  /// Ciphertexts that were products, made one by one, and were added to sums: a sum of products would prepare each
  /// factor once, and round each sum once.
  std::uint64_t summed_products() const;

 protected:
  bool computes_in(const Ring&) const noexcept override { return true; }
  CYCLOTOME_OVERRIDE_VERBS
  void do_peaks(View, ConstView, const BaseConversion&) override {}
  void do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) override;
  void do_sum_items(View out, std::span<const ConstView> items, std::size_t group) override;
  void do_sum_products(View out, std::span<const ConstView> a, std::span<const ConstView> b,
                       std::size_t group) override;
  void do_mixed_radix(View, ConstView, const MixedRadix&) override {}
  void do_reconstruct(std::uint64_t*, ConstView, const MixedRadix&) override {}

 private:
  class DryBuffer;
  class DryExecution;
  class Accounting;

  DryEngine(EnginePtr host, std::shared_ptr<PlaintextMemory> known)
      : host_(std::move(host)), known_(known != nullptr ? std::move(known) : std::make_shared<PlaintextMemory>()) {}
  /// Of a part of an item.
  using PartTrace = std::function<Trace(std::size_t item, std::size_t part)>;
  /// products: of residues for each that is written. trace: of what is written; none: it is new. Returns the work.
  Work record(const char* verb, View out, std::span<const ConstView> from, std::uint64_t products = 0,
              const PartTrace& trace = {});
  Work record(const char* verb, View out, std::initializer_list<ConstView> from, std::uint64_t products = 0,
              const PartTrace& trace = {}) {
    return record(verb, out, std::span(from.begin(), from.size()), products, trace);
  }
  void remember_program(const program::ProgramPtr& program, std::span<const View> operands, std::size_t items,
                        const Work& work);
  /// Remembers a verb, if it is to. again: does it on an engine; none: it is not done again.
  void remember(const char* verb, View out, std::span<const ConstView> from, const Work& work, Asked::Verb again,
                bool list = false);
  void remember(const char* verb, View out, std::initializer_list<ConstView> from, const Work& work,
                Asked::Verb again) {
    remember(verb, out, std::span(from.begin(), from.size()), work, std::move(again));
  }
  /// Of one part of an item, which a view of one stands for.
  Trace trace_of(const ConstView& view, std::size_t item, std::size_t part) const;
  Trace new_trace();
  /// Bytes were written there from outside.
  void put_there(const void* data, std::size_t bytes);
  /// What was known of these bytes.
  void forget(const void* data, std::size_t bytes);
  void put_traces(View out, const std::vector<Trace>& traces);
  std::vector<Trace> traced(View out, const PartTrace& trace);
  void count(const std::string& name, std::size_t items, const Work& work);
  void written(const void* out, std::span<const ConstView> from, unsigned more);
  /// What a buffer had; pages that nothing was written to are kept for the next one of this size.
  void freed(void* data, std::size_t bytes) noexcept;
  /// Address space for so many bytes; null when the system has none left.
  void* pages(std::size_t bytes);
  /// Gives back what is kept for later. Precondition: the mutex is held.
  void release_pages() noexcept;
  /// Of the residues, the prime and the degree of polynomials.
  std::uint64_t digest_of(const ConstView& polynomials) const;

  enum class Content : std::uint8_t {
    unknown,  ///< what would have been computed
    zeros,    ///< in place of secrets and errors, which key generation looks at: as small as they can be
    there     ///< what was written
  };
  struct Block {
    std::size_t bytes;
    unsigned depth;
    bool read;
    Content content;
    bool products;         ///< of ciphertexts, and copies of them
    bool touched;          ///< something was written there
    std::uint64_t serial;  ///< of the block, and of what was uploaded to it
  };
  Content content_of(const void* data) const;
  void put(const void* data, Content content);
  bool holds_products(const void* data) const;
  void put_products(const void* data);
  std::map<const void*, Block>::iterator block_of(const void* address);

  const EnginePtr host_;
  const std::shared_ptr<PlaintextMemory> known_;
  mutable std::mutex mutex_;
  std::map<const void*, Block> blocks_;              // by where they begin
  std::map<std::size_t, std::vector<void*>> pages_;  ///< of zeros, for buffers to come, by size
  Account account_;
  std::atomic<bool> remembers_ = false;
  mutable std::atomic<std::int64_t> own_nanoseconds_ = 0;
  AskedWork asked_;
  Traces traces_;
  struct Digest {
    std::size_t words;
    Trace trace;
  };
  mutable std::map<const char*, Digest> digests_;  ///< of polynomials that were uploaded, by where they begin
  std::uint64_t held_ = 0, peak_ = 0, serial_ = 0;
  std::uint64_t summed_products_ = 0;
  unsigned depth_ = 0;
};

/// While it lives its thread keeps account; one within another adds nothing. Clocks are read only where work is
/// remembered, since that costs more than much of what they would time.
class DryEngine::Accounting {
 public:
  explicit Accounting(const DryEngine& engine) noexcept : engine_(engine), outer_(depth_++ == 0) {
    if (outer_ && engine_.remembers_) start_ = platform::thread_nanoseconds();
  }
  ~Accounting() {
    --depth_;
    if (start_ >= 0) engine_.own_nanoseconds_ += platform::thread_nanoseconds() - start_;
  }
  Accounting(const Accounting&) = delete;
  Accounting& operator=(const Accounting&) = delete;

 private:
  static inline thread_local int depth_ = 0;

  const DryEngine& engine_;
  bool outer_;
  std::int64_t start_ = -1;
};

}  // namespace cyclotome
