// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cyclotome/engine/cuda/graph/cuda_execution.cuh"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome {

using cuda::GraphSlot;
using cuda::PreparedStep;
using cuda::ProgramCall;

namespace {

/// Memory of a step from the engine's pool.
class PoolScratch final : public cuda::Scratch {
 public:
  PoolScratch(Engine& engine, bool secret) : engine_(engine), secret_(secret) {}
  void* take(std::size_t bytes) override {
    taken_.push_back(engine_.allocate(bytes, secret_));
    return taken_.back()->data();
  }

 private:
  Engine& engine_;
  bool secret_;
  std::vector<std::unique_ptr<Buffer>> taken_;
};

std::vector<const void*> addresses(std::span<const View> operands) {
  std::vector<const void*> found;
  for (const View& operand : operands) found.push_back(operand.data);
  return found;
}

}  // namespace

ExecutionPtr CudaEngine::prepare(program::ProgramPtr program) {
  if (!state_->has_graphs()) return Engine::prepare(std::move(program));
  return std::make_shared<const CudaExecution>(std::static_pointer_cast<CudaEngine>(shared_from_this()), *state_,
                                               std::move(program));
}

Native CudaEngine::native(const program::Program& program, const program::Composite& composite) {
  if (composite.name == "divide_and_round" && composite.outs.front().domain == Domain::transform) return {};
  const cuda::DeviceScope scope = state_->enter();
  cuda::Step step = cuda::prepare_native(state_->constants, program, composite);
  if (step == nullptr) return {};
  return [this, step = std::move(step), secret = composite.secret](std::span<const View> operands) {
    const cuda::Turn turn(*state_, cuda::Addresses(), addresses(operands));
    PoolScratch scratch(*this, secret);
    step({turn.queue(), scratch, {}, 0, turn.lane().cells}, operands);
  };
}

CudaExecution::CudaExecution(std::shared_ptr<CudaEngine> engine, cuda::DeviceState& state, program::ProgramPtr program)
    : Execution(std::move(program)), engine_(std::move(engine)), state_(state) {
  const cuda::DeviceScope scope = state_.enter();
  prepared_.emplace(state_.constants, this->program());
}

CudaExecution::~CudaExecution() {
  const cuda::DeviceScope scope(state_.context, std::nothrow);
  state_.lanes.for_each([this](cuda::Lane& lane) {
    if (lane.programs == nullptr) return;
    const std::lock_guard lock(lane.programs->mutex);
    for (GraphSlot& slot : slots_[lane.index]) lane.programs->drop(slot);
  });
  prepared_.reset();  // constants that nobody else holds are freed in the device's context
}

std::vector<std::string_view> CudaExecution::steps() const {
  std::vector<std::string_view> names;
  for (std::size_t s = prepared_->once(); s < prepared_->steps().size(); ++s) {
    names.push_back(prepared_->steps()[s].name);
  }
  return names;
}

std::size_t CudaExecution::tile_of_items(std::size_t batch) const {
  const std::size_t least = engine_->working_set() / prepared_->most_items();  // so that no more items fit
  return engine_->batch_tile(batch, std::max(prepared_->item_bytes(), least));
}

void CudaExecution::do_run(std::span<const View> operands, std::size_t batch, std::span<const Seed* const> seeds,
                           std::uint32_t first_item) const {
  check_interrupt();
  const ProgramCall call{operands, batch, seeds, first_item};
  const std::size_t tile = tile_of_items(call.items);
  const std::uint64_t bytes = prepared_->item_bytes() * std::uint64_t{tile} + prepared_->fixed_bytes();
  if (bytes >= announced_bytes || memory_limit()) require_memory(*engine_, program().name(), bytes);
  std::array<const void*, max_operands> reads{}, writes{};
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    (value(i).role == program::Value::Role::output ? writes : reads)[i] = call.operands[i].data;
  }
  const cuda::Turn turn(state_, reads, writes);
  const cuda::SecretQueue::Operation together(turn.lane().secrets);
  if (tile == call.items && bytes <= cuda::DeviceGraph::max_bytes && launch_graph(call, turn.lane())) return;
  walk(call, tile, turn);
}

GraphSlot& CudaExecution::slot_of(cuda::Lane& lane, std::size_t items) const {
  std::list<GraphSlot>& slots = slots_[lane.index];
  const auto found = std::ranges::find(slots, items, &GraphSlot::items);
  if (found != slots.end()) return *found;
  if (slots.size() >= max_slots) {
    const auto oldest = std::ranges::min_element(slots, {}, &GraphSlot::last_run);
    lane.programs->drop(*oldest);
    slots.erase(oldest);
  }
  return slots.emplace_back(GraphSlot{.items = items});
}

bool CudaExecution::launch_graph(const ProgramCall& call, cuda::Lane& lane) const {
  if (cuda::launches_wait()) return false;  // a graph's kernels can't be waited for one by one
  cuda::GraphStore& graphs = *lane.programs;
  const std::lock_guard lock(graphs.mutex);
  GraphSlot& slot = slot_of(lane, call.items);
  if (!graphs.note_run(slot)) return false;
  const InterruptPause pause;  // what is caught below must not be the end of all work
  bool launched = false;
  try {
    if (slot.graph == nullptr) {
      auto graph = std::make_unique<cuda::DeviceGraph>(*prepared_, call, state_.device,
                                                       cuda::GraphContext{state_.constants.paths, lane.cells},
                                                       cuda::memory_of(state_.context, state_.pool, lane.stream));
      if (!graph->worth_it()) {
        cuda::GraphStore::give_up(slot);
        return false;
      }
      if (!graphs.keep(slot, std::move(graph))) {
        graphs.put_off(slot);
        return false;
      }
    }
    slot.graph->launch(call, lane.stream);
    launched = true;
    slot.graph->forget_seeds();
    return true;
  } catch (...) {
    // Whatever it was, walking gets around it or says it better.
  }
  graphs.drop(slot);
  graphs.put_off(slot);
  return launched;
}

void CudaExecution::walk(const ProgramCall& call, std::size_t tile, const cuda::Turn& turn) const {
  const auto& values = program().values();
  Frame frame(program());
  std::vector<std::unique_ptr<Buffer>> memory(values.size());
  const auto begin = [&](std::uint32_t v) {
    memory[v] = engine_->allocate(frame.bytes(v), values[v].secret);
    frame.place(v, memory[v]->data());
  };
  const auto run = [&](const PreparedStep& step, std::size_t first) {
    check_interrupt();
    for (const std::uint32_t v : step.begins) begin(v);
    PoolScratch scratch(*engine_, step.secret);
    step(frame,
         {turn.queue(), scratch, call.seeds, call.first_item + static_cast<std::uint32_t>(first), turn.lane().cells});
    for (const std::uint32_t v : step.ends) memory[v].reset();
  };
  const auto& steps = prepared_->steps();
  frame.bind(call.operands, 0, std::min(tile, call.items));
  for (const std::uint32_t v : prepared_->kept()) begin(v);
  for (std::size_t s = 0; s < prepared_->once(); ++s) run(steps[s], 0);
  for (std::size_t first = 0; first < call.items; first += tile) {
    if (first != 0) frame.bind(call.operands, first, std::min(tile, call.items - first));
    for (std::size_t s = prepared_->once(); s < steps.size(); ++s) run(steps[s], first);
  }
}

}  // namespace cyclotome
