// SPDX-License-Identifier: Apache-2.0
// Graphs of programs follow operands that move: what is left in a graph after an update is what a graph made anew would
// have, and nothing but kernels that see something new is touched. Kernels are only noted down, so this needs no GPU.
#include <cstring>
#include <random>
#include <set>

#include "check.hpp"
#include "cyclotome/engine/cuda/graph/device_graph.cuh"
#include "cyclotome/engine/cuda/graph/program_graph.cuh"
#include "programs.hpp"

using namespace cyclotome;
using namespace cyclotome::cuda;
using check::Bases;

namespace {

/// Numbers of the kernels that an update touched.
class Touched final : public KernelChain {
 public:
  std::multiset<std::size_t> kernels;
  void append(const KernelLaunch&, void**) override {}
  void set(std::size_t kernel, const KernelLaunch&, void**) override { kernels.insert(kernel); }
};

ConstantMemory copied(const void* host, std::size_t bytes) {
  auto memory = std::make_shared<std::vector<std::byte>>(bytes);
  std::memcpy(memory->data(), host, bytes);
  return {memory, memory->data()};
}

/// Memory of a graph at addresses that are the same each time.
class Numbered {
 public:
  MemorySource source() {
    return {[this](std::size_t bytes) { return reinterpret_cast<void*>(next_ += bytes); },
            [](void*, std::size_t, bool) {}};
  }

 private:
  std::uintptr_t next_ = std::uintptr_t{1} << 40;
};

constexpr CodePaths whole_limbs{.one_pass = true, .doubles = true, .multiprocessors = 132};

/// A graph on nothing.
struct NotedGraph {
  Numbered numbered;
  Arena arena{numbered.source(), std::size_t{1} << 40};
  Touched touched;
  ProgramGraph graph;
  NotedGraph(const PreparedProgram& program, const ProgramCall& call)
      : graph(program, touched, arena, {whole_limbs}, call) {}
};

DeviceConstants& constants() {
  static DeviceConstants made(copied);
  made.paths = whole_limbs;
  return made;
}

Seed seed(std::uint8_t first) { return Seed({first, 1, 2}); }

class Moving {
 public:
  Moving(program::ProgramPtr program, std::size_t items)
      : program_(std::move(program)), prepared_(constants(), *program_), items_(items) {
    for (std::size_t i = 0; i < program_->operands().size(); ++i) operands_.push_back(elsewhere(i));
  }

  void check(std::mt19937_64& random) {
    NotedGraph kept(prepared_, call(first_));
    CHECK(kept.touched.kernels.empty());
    kept.graph.update(call(first_));  // as the first launch does
    for (int round = 0; round < 12; ++round) {
      const auto which = round < static_cast<int>(operands_.size()) ? std::uint64_t{1} << round : random() | 1;
      move(which);
      const Seed& seed = round % 2 == 0 ? first_ : second_;
      kept.touched.kernels.clear();
      kept.graph.update(call(seed));
      NotedGraph anew(prepared_, call(seed));
      anew.graph.update(call(seed));
      CHECK(kept.graph.kernels() == anew.graph.kernels());
      CHECK(kept.arena.bytes() == anew.arena.bytes());
      require_touched(kept, round < static_cast<int>(operands_.size()) ? which : ~std::uint64_t{0});
      kept.graph.forget_seeds();
    }
    kept.touched.kernels.clear();
    kept.graph.update(call(first_));
    CHECK_EQ(kept.touched.kernels.size(), drawing());  // nothing moved: seeds only
  }

 private:
  ProgramCall call(const Seed& seed) {
    seeds_[0] = &seed;
    return {operands_, items_, {seeds_, program_->seeds()}, 3};
  }

  View elsewhere(std::size_t i) {
    const program::Value& value = program_->values()[program_->operands()[i]];
    const std::size_t part = value.ring->limbs() * value.ring->degree();
    address_ += std::uintptr_t{1} << 32;
    return {reinterpret_cast<void*>(address_),
            value.ring.get(),
            value.items == program::each ? items_ : value.items,
            value.parts,
            value.parts * part,
            part,
            value.domain};
  }

  void move(std::uint64_t which) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if ((which >> i & 1) == 0) continue;
      operands_[i] = elsewhere(i);
      if ((which >> (i + 20) & 1) != 0) operands_[i].batch_stride *= 2;
    }
  }

  std::size_t drawing() const {
    return static_cast<std::size_t>(std::ranges::count_if(prepared_.steps(), &PreparedStep::draws));
  }

  /// Fewer kernels than there are, and each one once.
  void require_touched(const NotedGraph& kept, std::uint64_t which) {
    for (const std::size_t kernel : kept.touched.kernels) CHECK_EQ(kept.touched.kernels.count(kernel), std::size_t{1});
    CHECK(!kept.touched.kernels.empty());
    if (which != ~std::uint64_t{0} && kept.graph.kernels().size() > 4) {
      CHECK(kept.touched.kernels.size() < kept.graph.kernels().size());
    }
  }

  program::ProgramPtr program_;
  PreparedProgram prepared_;
  std::size_t items_;
  std::vector<View> operands_;
  std::uintptr_t address_ = 0;
  Seed first_ = seed(1), second_ = seed(2);
  const Seed* seeds_[1] = {};
};

TEST(updates_leave_what_a_new_graph_has) {
  std::mt19937_64 random(20260101);
  const Bases small(4096, Word::u32, 3, 1, 1, 30), large(16384, Word::u32, 12, 3, 3, 30),
      wide(8192, Word::u64, 4, 2, 2, 60);
  for (const Bases* const bases : {&small, &large, &wide}) {
    for (const std::size_t items : {std::size_t{1}, std::size_t{5}, std::size_t{64}}) {
      for (const auto& program : check::programs(*bases)) Moving(program, items).check(random);
    }
  }
}

TEST(a_graph_holds_no_seed_before_its_first_launch_nor_after) {
  const Bases bases(1024, Word::u32, 3, 1, 1, 30);
  const auto program = check::encryption(bases, Domain::coefficient);
  const PreparedProgram prepared(constants(), *program);
  const Seed first = seed(1), second = seed(2);
  std::vector<View> operands;
  for (const std::uint32_t v : program->operands()) {
    const program::Value& value = program->values()[v];
    const std::size_t part = value.ring->limbs() * value.ring->degree();
    operands.push_back({reinterpret_cast<void*>(std::uintptr_t{v + 1} << 32), value.ring.get(), 1, value.parts,
                        value.parts * part, part, value.domain});
  }
  const auto call = [&](const Seed* const& seed) { return ProgramCall{operands, 1, {&seed, 1}, 0}; };
  const Seed *const one = &first, *const other = &second;
  NotedGraph of_first(prepared, call(one)), of_second(prepared, call(other));
  CHECK(of_first.graph.kernels() == of_second.graph.kernels());
  of_first.graph.update(call(one));
  of_second.graph.update(call(other));
  CHECK(!(of_first.graph.kernels() == of_second.graph.kernels()));
  of_first.graph.forget_seeds();
  of_second.graph.forget_seeds();
  CHECK(of_first.graph.kernels() == of_second.graph.kernels());
}

TEST(secrets_are_zeroised_when_the_kernel_before_is_over) {
  const Bases bases(4096, Word::u32, 3, 1, 1, 30);
  for (const auto& program : {check::bfv_decryption(bases), check::bgv_decryption(bases)}) {
    const PreparedProgram prepared(constants(), *program);
    std::vector<View> operands;
    for (const std::uint32_t v : program->operands()) {
      const program::Value& value = program->values()[v];
      const std::size_t part = value.ring->limbs() * value.ring->degree();
      operands.push_back({reinterpret_cast<void*>(std::uintptr_t{v + 1} << 32), value.ring.get(),
                          value.items == program::each ? 64 : value.items, value.parts, value.parts * part, part,
                          value.domain});
    }
    const NotedGraph noted(prepared, {operands, 64, {}, 0});
    const KernelLaunch& last = noted.graph.kernels().back().launch();
    CHECK_EQ(std::string_view(last.what), "zeroising");
    CHECK(!last.early);
  }
}

TEST(memory_is_taken_again_when_it_fits_best) {
  Numbered numbered;
  Arena arena(numbered.source(), 4096);
  const std::size_t small = arena.take(256, false), large = arena.take(1024, true);
  CHECK_EQ(arena.bytes(), std::size_t{1280});
  arena.give_back(large);
  arena.give_back(small);
  CHECK_EQ(arena.take(200, false), small);
  CHECK_EQ(arena.take(200, false), large);  // too large, but there
  CHECK(arena.blocks()[large].secret);      // what held secrets is zeroised at the end, whoever had it last
  CHECK(!arena.blocks()[small].secret);
  CHECK_EQ(arena.bytes(), std::size_t{1280});
  bool refused = false;
  try {
    static_cast<void>(arena.take(4096, false));
  } catch (...) {
    refused = true;
  }
  CHECK(refused);
}

TEST(a_graph_that_could_not_be_had_is_tried_again) {
  GraphBudget budget{1000};
  GraphStore store(nullptr, budget);
  GraphSlot slot{.items = 1}, single{.items = 2};
  CHECK(!store.note_run(slot));  // the first time everything runs plainly
  CHECK(store.note_run(slot));
  for (const std::uint64_t pause : {64, 128, 256}) {
    store.put_off(slot);
    for (std::uint64_t run = 1; run < pause; ++run) CHECK(!store.note_run(slot));
    CHECK(store.note_run(slot));
  }
  store.note_run(single);
  GraphStore::give_up(single);
  for (int run = 0; run < 1000; ++run) CHECK(!store.note_run(single));
}

TEST(graphs_of_all_streams_share_a_budget) {
  GraphBudget budget{1000};
  CHECK(budget.take(600));
  CHECK(!budget.take(401));
  CHECK(budget.take(400));
  CHECK(!budget.take(1));
  budget.give_back(600);
  CHECK(budget.take(600));
}

}  // namespace

int main() { return cyclotome::check::run(); }
