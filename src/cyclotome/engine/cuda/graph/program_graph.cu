// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/graph/program_graph.cuh"
#include "cyclotome/engine/cuda/memory/secret_memory.cuh"

namespace cyclotome::cuda {

namespace {

/// Memory of a step from an arena, noted down.
class NewScratch final : public Scratch {
 public:
  NewScratch(Arena& arena, bool secret, std::vector<void*>& noted) : arena_(arena), secret_(secret), noted_(noted) {}
  ~NewScratch() override {
    for (const std::size_t block : taken_) arena_.give_back(block);
  }
  void* take(std::size_t bytes) override {
    taken_.push_back(arena_.take(bytes, secret_));
    noted_.push_back(arena_.blocks()[taken_.back()].data);
    return noted_.back();
  }

 private:
  Arena& arena_;
  bool secret_;
  std::vector<void*>& noted_;
  std::vector<std::size_t> taken_;
};

/// The same memory once more.
class NotedScratch final : public Scratch {
 public:
  explicit NotedScratch(const std::vector<void*>& noted) : noted_(noted) {}
  void* take(std::size_t) override {
    if (at_ == noted_.size()) throw EngineError("CUDA: a step of a graph asks for more memory than before");
    return noted_[at_++];
  }

 private:
  const std::vector<void*>& noted_;
  std::size_t at_ = 0;
};

bool same_place(const View& a, const View& b) {
  return a.data == b.data && a.batch_stride == b.batch_stride && a.part_stride == b.part_stride;
}

}  // namespace

ProgramGraph::ProgramGraph(const PreparedProgram& program, KernelChain& chain, Arena& arena,
                           const GraphContext& context, const ProgramCall& call)
    : program_(program),
      arena_(arena),
      kernels_(chain),
      queue_(kernels_, context.paths),
      cells_(context.cells),
      frame_(program.program()),
      blocks_(program.program().values().size()),
      operands_(call.operands.begin(), call.operands.end()) {
  frame_.bind(call.operands, 0, call.items);
  const auto begin = [&](std::uint32_t v) {
    blocks_[v] = arena_.take(frame_.bytes(v), program.program().values()[v].secret);
    frame_.place(v, arena_.blocks()[blocks_[v]].data);
  };
  for (const std::uint32_t v : program.kept()) begin(v);
  for (const PreparedStep& step : program.steps()) {
    for (const std::uint32_t v : step.begins) begin(v);
    build_step(step, call);
    for (const std::uint32_t v : step.ends) arena_.give_back(blocks_[v]);
  }
  wipe_secrets();
}

void ProgramGraph::build_step(const PreparedStep& step, const ProgramCall& call) {
  kernels_.append_step();
  NewScratch scratch(arena_, step.secret, scratch_.emplace_back());
  step(frame_, {queue_, scratch, call.seeds, call.first_item, cells_});
}

void ProgramGraph::wipe_secrets() {
  kernels_.append_step();
  SecretMemory::Pieces pieces{};
  std::size_t count = 0;
  const auto wipe = [&] {
    if (count > 0) SecretMemory::wipe(queue_, pieces, count);
    count = 0;
  };
  for (const Arena::Block& block : arena_.blocks()) {
    if (!block.secret) continue;
    pieces.data[count] = static_cast<uint4*>(block.data);
    pieces.words[count] = block.bytes / sizeof(uint4);
    if (++count == SecretMemory::max_pieces) wipe();
  }
  wipe();
}

void ProgramGraph::update(const ProgramCall& call) {
  std::uint32_t moved = 0;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (!same_place(operands_[i], call.operands[i])) moved |= std::uint32_t{1} << i;
  }
  if (moved == 0 && !program_.draws()) return;
  frame_.bind(call.operands, 0, call.items);
  const auto& steps = program_.steps();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if ((steps[s].operands & moved) == 0 && !steps[s].draws) continue;
    kernels_.update_step(s);
    NotedScratch scratch(scratch_[s]);
    steps[s](frame_, {queue_, scratch, call.seeds, call.first_item, cells_});
  }
  kernels_.finish();
  operands_.assign(call.operands.begin(), call.operands.end());
}

}  // namespace cyclotome::cuda
