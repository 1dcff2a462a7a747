// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "cyclotome/engine/cuda/graph/launches.hpp"
#include "cyclotome/engine/cuda/graph/program_graph.cuh"

namespace cyclotome::cuda {

namespace {

/// Notes down what is launched.
class Names final : public KernelChain {
 public:
  explicit Names(std::vector<std::string_view>& names) : names_(names) {}
  void append(const KernelLaunch& launch, void**) override { names_.push_back(launch.what); }
  void set(std::size_t, const KernelLaunch&, void**) override {}

 private:
  std::vector<std::string_view>& names_;
};

/// Addresses that nobody follows.
class Addresses {
 public:
  void* take(std::size_t bytes) {
    constexpr std::uintptr_t unit = 256;
    const std::uintptr_t found = next_;
    next_ += (bytes + unit - 1) / unit * unit + unit;
    return reinterpret_cast<void*>(found);
  }

 private:
  std::uintptr_t next_ = std::uintptr_t{1} << 32;
};

ConstantMemory copied(const void* host, std::size_t bytes) {
  auto memory = std::make_shared<std::vector<std::byte>>(bytes);
  if (bytes != 0) std::memcpy(memory->data(), host, bytes);
  return {memory, memory->data()};
}

View operand(const program::Value& value, std::size_t items, Addresses& addresses) {
  const std::size_t batch = value.items == program::each ? items : value.items;
  const std::size_t part = value.ring->limbs() * value.ring->degree();
  return {addresses.take(batch * value.item_bytes()),
          value.ring.get(),
          batch,
          value.parts,
          value.parts * part,
          part,
          value.domain};
}

}  // namespace

Launches launches_of(const program::Program& program, std::size_t items, CodePaths paths) {
  DeviceConstants constants(copied);
  constants.paths = paths;
  const PreparedProgram prepared(constants, program);
  Launches found{};
  for (std::size_t s = prepared.once(); s < prepared.steps().size(); ++s) {
    found.steps.push_back(prepared.steps()[s].name);
  }
  Addresses addresses;
  std::vector<View> operands;
  for (const std::uint32_t v : program.operands()) operands.push_back(operand(program.values()[v], items, addresses));
  std::vector<Seed> seeds;
  for (std::size_t i = 0; i < program.seeds(); ++i) seeds.push_back(Seed::from_system());
  std::vector<const Seed*> given;
  for (const Seed& seed : seeds) given.push_back(&seed);
  Names names(found.kernels);
  Arena arena({[&](std::size_t bytes) { return addresses.take(bytes); }, [](void*, std::size_t, bool) {}},
              std::numeric_limits<std::size_t>::max());
  const ProgramGraph graph(prepared, names, arena, {paths}, {operands, items, given, 0});
  found.scratch_bytes = arena.bytes();
  return found;
}

}  // namespace cyclotome::cuda
