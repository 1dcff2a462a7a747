// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/dry/dry_engine.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "cyclotome/engine/dry/flow.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/platform/pages.hpp"

namespace cyclotome {

/// Address space, of which what is written takes memory.
class DryEngine::DryBuffer final : public Buffer {
 public:
  DryBuffer(std::shared_ptr<DryEngine> engine, void* data, std::size_t size, bool is_secret)
      : Buffer(data, size, is_secret), engine_(std::move(engine)) {}
  ~DryBuffer() override { engine_->freed(data(), bytes()); }

 private:
  std::shared_ptr<DryEngine> engine_;
};

class DryEngine::DryExecution final : public Execution {
 public:
  DryExecution(std::shared_ptr<DryEngine> engine, program::ProgramPtr program)
      : Execution(program),
        engine_(std::move(engine)),
        program_(std::move(program)),
        multiplies_(this->program().name().find(".multiply") != std::string_view::npos) {}

  std::vector<std::string_view> steps() const override { return {program().name()}; }

 protected:
  void do_run(std::span<const View> operands, std::size_t batch, std::span<const Seed* const>,
              std::uint32_t) const override {
    const Accounting accounting(*engine_);
    const std::size_t items = std::max<std::size_t>(batch, 1);
    const Work work = work_of(program(), items);
    engine_->count(std::string(program().name()), items, work);
    engine_->remember_program(program_, operands, items, work);
    const std::string_view name = program().name();
    const bool products = name.ends_with(".multiply") || name.ends_with(".multiply_relinearized");
    std::vector<ConstView> inputs;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (role(i) == program::Value::Role::input) inputs.emplace_back(operands[i]);
    }
    const std::vector<std::vector<Trace>> traces = traces_of(operands, items);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (role(i) != program::Value::Role::output) continue;
      engine_->written(operands[i].data, inputs, multiplies_ ? 1 : 0);
      engine_->put(operands[i].data, Content::unknown);
      if (products) engine_->put_products(operands[i].data);
      engine_->put_traces(operands[i], traces[i]);
    }
  }
  void zeroise(const View&) const override {}

 private:
  program::Value::Role role(std::size_t operand) const {
    return program().values()[program().operands()[operand]].role;
  }

  /// By operand, then item and part: of outputs what the program makes of its inputs' traces.
  std::vector<std::vector<Trace>> traces_of(std::span<const View> operands, std::size_t items) const {
    std::vector<std::vector<Trace>> traces(operands.size());
    for (std::size_t item = 0; item < items; ++item) {
      const auto given = [&](std::size_t operand, std::size_t own, std::size_t part) {
        const bool batch = program().values()[program().operands()[operand]].items == program::each;
        return engine_->trace_of(operands[operand], batch ? item : own, part);
      };
      const std::vector<std::vector<Trace>> made = flow_.run(given, [&] { return engine_->new_trace(); });
      for (std::size_t i = 0; i < operands.size(); ++i) {
        traces[i].insert(traces[i].end(), made[i].begin(), made[i].end());
      }
    }
    return traces;
  }

  // An engine keeps its executions alive through contexts, never the other way round.
  std::shared_ptr<DryEngine> engine_;
  program::ProgramPtr program_;
  bool multiplies_;
  Flow flow_ = Flow(program());
};

DryEngine::~DryEngine() { release_pages(); }

void* DryEngine::pages(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto kept = pages_.find(bytes); kept != pages_.end() && !kept->second.empty()) {
    void* const data = kept->second.back();
    kept->second.pop_back();
    return data;
  }
  void* const data = platform::map_sparse_pages(std::max<std::size_t>(bytes, 1));
  if (data != nullptr || pages_.empty()) return data;
  release_pages();
  return platform::map_sparse_pages(std::max<std::size_t>(bytes, 1));
}

void DryEngine::release_pages() noexcept {
  for (const auto& [bytes, kept] : pages_) {
    for (void* const data : kept) platform::unmap_pages(data, std::max<std::size_t>(bytes, 1));
  }
  pages_.clear();
}

std::unique_ptr<Buffer> DryEngine::allocate(std::size_t bytes, bool secret) {
  const Accounting accounting(*this);
  void* const data = pages(bytes);
  if (data == nullptr) throw MemoryLimitError(message("no address space left for ", bytes, " bytes"));
  auto self = std::static_pointer_cast<DryEngine>(shared_from_this());
  const std::lock_guard lock(mutex_);
  blocks_[data] = {bytes, 0, false, Content::unknown, false, false, ++serial_};
  held_ += bytes;
  peak_ = std::max(peak_, held_);
  return std::make_unique<DryBuffer>(std::move(self), data, bytes, secret);
}

void DryEngine::freed(void* data, std::size_t bytes) noexcept {
  const Accounting accounting(*this);
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(data);
  const bool touched = block == blocks_.end() || block->second.touched;
  if (block != blocks_.end()) blocks_.erase(block);
  forget(data, std::max<std::size_t>(bytes, 1));
  held_ -= bytes;
  if (!touched) {
    try {
      pages_[bytes].push_back(data);
      return;
    } catch (const std::bad_alloc&) {
    }
  }
  platform::unmap_pages(data, std::max<std::size_t>(bytes, 1));
}

MemoryState DryEngine::memory(bool) const {
  const std::lock_guard lock(mutex_);
  return {held_, std::nullopt};
}

void DryEngine::upload(void* destination, const void* from, std::size_t bytes) {
  std::memcpy(destination, from, bytes);
  put_there(destination, bytes);
}

void DryEngine::put_there(const void* data, std::size_t bytes) {
  put(data, Content::there);
  const std::lock_guard lock(mutex_);
  forget(data, bytes);
  if (const auto block = block_of(data); block != blocks_.end()) block->second.serial = ++serial_;
}

bool DryEngine::place(View out, std::span<const std::int64_t> values, std::size_t width,
                      std::span<const std::uint32_t> positions, bool reduce) {
  auto* const host = dynamic_cast<HostValues*>(host_.get());
  if (host == nullptr || !host->place(out, values, width, positions, reduce)) return false;
  put_there(out.data, out.batch * out.batch_stride * bytes_of(out.word()));
  return true;
}

void DryEngine::collect(std::span<std::int64_t> values, ConstView a, std::size_t width,
                        std::span<const std::uint32_t> positions) {
  auto* const host = dynamic_cast<HostValues*>(host_.get());
  if (host != nullptr && content_of(a.data) == Content::there) {
    host->collect(values, a, width, positions);
  } else {
    std::ranges::fill(values, 0);
  }
}

void DryEngine::download(void* host, const void* source, std::size_t bytes) {
  const Content content = content_of(source);
  if (content == Content::there) {
    std::memcpy(host, source, bytes);
  } else {
    const std::lock_guard lock(mutex_);
    const std::optional<Trace> trace = traces_.at(source);
    std::memset(host, content == Content::zeros || (trace && trace->is_zero()) ? 0 : 1, bytes);
  }
}

DryEngine::Content DryEngine::content_of(const void* data) const {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.upper_bound(data);
  return found == blocks_.begin() ? Content::unknown : std::prev(found)->second.content;
}

void DryEngine::put(const void* data, Content content) {
  const std::lock_guard lock(mutex_);
  const auto block = block_of(data);
  if (block == blocks_.end()) return;
  block->second.content = content;
  block->second.touched = block->second.touched || content == Content::there;
}

bool DryEngine::holds_products(const void* data) const {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.upper_bound(data);
  return found != blocks_.begin() && std::prev(found)->second.products;
}

void DryEngine::put_products(const void* data) {
  const std::lock_guard lock(mutex_);
  if (const auto block = block_of(data); block != blocks_.end()) block->second.products = true;
}

ExecutionPtr DryEngine::prepare(program::ProgramPtr program) {
  return std::make_shared<const DryExecution>(std::static_pointer_cast<DryEngine>(shared_from_this()),
                                              std::move(program));
}

Account DryEngine::account() const {
  const std::lock_guard lock(mutex_);
  return account_;
}

void DryEngine::remember(bool kinds) {
  const std::lock_guard lock(mutex_);
  remembers_ = kinds;
}

std::vector<Asked> DryEngine::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_.all();
}

void DryEngine::remember(const char* verb, View out, std::span<const ConstView> from, const Work& work,
                         Asked::Verb again, bool list) {
  const Accounting accounting(*this);
  const std::lock_guard lock(mutex_);
  if (remembers_) asked_.verb(verb, out, from, work, std::move(again), list);
}

void DryEngine::remember_program(const program::ProgramPtr& program, std::span<const View> operands, std::size_t items,
                                 const Work& work) {
  const std::lock_guard lock(mutex_);
  if (remembers_) asked_.program(program, operands, items, work);
}

std::uint64_t DryEngine::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

std::uint64_t DryEngine::summed_products() const {
  const std::lock_guard lock(mutex_);
  return summed_products_;
}

unsigned DryEngine::depth() const {
  const std::lock_guard lock(mutex_);
  return depth_;
}

bool DryEngine::has_read(const void* data) const {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.upper_bound(data);
  return found != blocks_.begin() && std::prev(found)->second.read;
}

void DryEngine::will_read(const void* data) {
  const std::lock_guard lock(mutex_);
  if (const auto block = block_of(data); block != blocks_.end()) block->second.read = true;
}

void DryEngine::reset() {
  const std::lock_guard lock(mutex_);
  account_.clear();
  asked_.clear();
  own_nanoseconds_ = 0;
  peak_ = held_;
  summed_products_ = 0;
  depth_ = 0;
  for (auto& [data, block] : blocks_) block.read = false;
}

std::map<const void*, DryEngine::Block>::iterator DryEngine::block_of(const void* address) {
  auto found = blocks_.upper_bound(address);
  return found == blocks_.begin() ? blocks_.end() : std::prev(found);
}

void DryEngine::count(const std::string& name, std::size_t items, const Work& work) {
  const std::lock_guard lock(mutex_);
  Entry& entry = account_[name];
  ++entry.calls;
  entry.items += items;
  entry.work += work;
}

/// What is written has the depth of what it was made of; memory that is written in parts, the largest of them.
void DryEngine::written(const void* out, std::span<const ConstView> from, unsigned more) {
  const std::lock_guard lock(mutex_);
  unsigned depth = 0;
  for (const ConstView& view : from) {
    const auto block = block_of(view.data);
    if (block == blocks_.end()) continue;
    depth = std::max(depth, block->second.depth);
    block->second.read = true;
  }
  depth += more;
  depth_ = std::max(depth_, depth);
  if (const auto block = block_of(out); block != blocks_.end()) {
    block->second.depth = std::max(block->second.depth, depth);
    block->second.products = false;
    if (!from.empty()) block->second.content = Content::unknown;
  }
}

Work DryEngine::record(const char* verb, View out, std::span<const ConstView> from, std::uint64_t products,
                       const PartTrace& trace) {
  const Accounting accounting(*this);
  const std::uint64_t limbs = out.batch * out.parts * out.limbs(), words = limbs * out.ring->degree();
  const bool transform = std::strcmp(verb, "forward") == 0 || std::strcmp(verb, "inverse") == 0;
  const std::vector<Trace> traces = traced(out, trace);
  const Work work{transform ? limbs : 0, words * products, words};
  count(verb, out.batch, work);
  written(out.data, from, 0);
  put_traces(out, traces);
  return work;
}

}  // namespace cyclotome
