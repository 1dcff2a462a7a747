// SPDX-License-Identifier: Apache-2.0
// How the CUDA engine's graphs are filled and kept up to date: what is put into a graph is exactly what has changed,
// and seeds are there from an update to the launch only. Needs no GPU: the graph is a list of bytes here.
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "check.hpp"
#include "cyclotome/engine/cuda/graph/graph_kernels.hpp"

namespace cyclotome::cuda {

/// As a kernel's argument with a seed would be.
struct Key {
  std::uint32_t words[8], item;
};
template <>
inline constexpr bool holds_seed<Key> = true;

}  // namespace cyclotome::cuda

namespace {

using namespace cyclotome;
using namespace cyclotome::cuda;

struct Operand {
  const void* data;
  std::uint64_t stride;
  std::uint32_t parts, degree;
};
struct Nothing {};
struct WithGap {
  std::uint64_t word;
  bool flag;
};
static_assert(KernelArgument<Operand> && KernelArgument<Nothing> && KernelArgument<bool> && KernelArgument<Key>);
static_assert(!KernelArgument<WithGap>, "bytes of a gap may differ where arguments do not");
static_assert(!KernelArgument<std::string>);

constexpr int kernels[4] = {};

KernelLaunch launch_of(int kernel, unsigned blocks = 1) {
  return {&kernels[kernel], {blocks, 1, 1}, 128, 0, 1, false, "test", nullptr};
}

template <class... Arguments>
void launch(Launcher& launcher, const KernelLaunch& kernel, const Arguments&... arguments) {
  const std::array<Argument, sizeof...(arguments)> all{argument_of(arguments)...};
  launcher.launch(kernel, all);
}

/// A graph as CUDA would have it: it copies what it is given.
class Copied final : public KernelChain {
 public:
  struct Kernel {
    KernelLaunch launch;
    Operand operand;
    Key key;
  };
  std::vector<Kernel> kernels;
  std::vector<std::size_t> sets;  ///< numbers of the kernels that were changed
  std::size_t fails_at = ~std::size_t{0};

  void append(const KernelLaunch& launch, void** arguments) override { kernels.push_back(copied(launch, arguments)); }
  void set(std::size_t kernel, const KernelLaunch& launch, void** arguments) override {
    if (kernel == fails_at) throw EngineError("refused");
    kernels.at(kernel) = copied(launch, arguments);
    sets.push_back(kernel);
  }
  std::vector<std::size_t> taken() { return std::exchange(sets, {}); }

 private:
  static Kernel copied(const KernelLaunch& launch, void** arguments) {
    Kernel kernel{launch, {}, {}};
    std::memcpy(&kernel.operand, arguments[0], sizeof(Operand));
    if (launch.function == &::kernels[3]) std::memcpy(&kernel.key, arguments[1], sizeof(Key));
    return kernel;
  }
};

Operand operand(std::uintptr_t address, std::uint64_t stride = 8) {
  return {reinterpret_cast<const void*>(address), stride, 2, 1024};
}

constexpr Key key(std::uint32_t first) { return {{first, 1, 2, 3, 4, 5, 6, 7}, 9}; }
constexpr Key zeros{};

bool same(const Key& a, const Key& b) { return std::memcmp(a.words, b.words, sizeof(a.words)) == 0; }

using Numbers = std::vector<std::size_t>;

TEST(only_what_moved_is_put_into_the_graph) {
  Copied graph;
  GraphKernels chain(graph);
  chain.append_step();
  launch(chain, launch_of(0), operand(100), true);
  launch(chain, launch_of(1), operand(200), Nothing{});
  chain.append_step();
  launch(chain, launch_of(2), operand(300));
  CHECK_EQ(chain.kernels().size(), std::size_t{3});
  CHECK_EQ(graph.kernels.size(), std::size_t{3});
  CHECK(graph.sets.empty());

  chain.update_step(0);
  launch(chain, launch_of(0), operand(100), true);
  launch(chain, launch_of(1), operand(200), Nothing{});
  chain.finish();
  CHECK(graph.taken() == Numbers{});

  chain.update_step(0);
  launch(chain, launch_of(0), operand(100), true);
  launch(chain, launch_of(1), operand(204), Nothing{});
  chain.update_step(1);
  launch(chain, launch_of(2), operand(300, 9));  // a stride counts as much as an address
  chain.finish();
  CHECK((graph.taken() == Numbers{1, 2}));
  CHECK(graph.kernels[1].operand.data == operand(204).data);
  CHECK_EQ(graph.kernels[2].operand.stride, std::uint64_t{9});

  chain.update_step(0);
  launch(chain, launch_of(0, 7), operand(100), false);  // so do a grid and the last argument's only bit
  launch(chain, launch_of(1), operand(204), Nothing{});
  chain.finish();
  CHECK(graph.taken() == Numbers{0});
  CHECK_EQ(graph.kernels[0].launch.grid[0], 7U);
}

TEST(steps_are_updated_in_any_order_and_left_out) {
  Copied graph;
  GraphKernels chain(graph);
  for (int step = 0; step < 4; ++step) {
    chain.append_step();
    for (int i = 0; i < step; ++i) launch(chain, launch_of(i), operand(100));  // the first one launches nothing
  }
  const auto repeat = [&](int step, std::uintptr_t address) {
    chain.update_step(static_cast<std::size_t>(step));
    for (int i = 0; i < step; ++i) launch(chain, launch_of(i), operand(address));
  };
  repeat(3, 101);
  repeat(1, 102);
  repeat(0, 103);
  chain.finish();
  CHECK((graph.taken() == Numbers{3, 4, 5, 0}));
}

/// Two kernels in a first step and one in a second.
struct TwoSteps {
  Copied graph;
  GraphKernels chain{graph};
  TwoSteps() {
    chain.append_step();
    launch(chain, launch_of(0), operand(100));
    launch(chain, launch_of(1), operand(100));
    chain.append_step();
    launch(chain, launch_of(2), operand(100));
    chain.update_step(0);
  }
};

TEST(other_kernels_than_before_are_refused) {
  TwoSteps another, one_more, other_arguments, one_less;
  CHECK_THROWS(EngineError, launch(another.chain, launch_of(1), operand(100)));

  launch(one_more.chain, launch_of(0), operand(100));
  launch(one_more.chain, launch_of(1), operand(100));
  CHECK_THROWS(EngineError, launch(one_more.chain, launch_of(2), operand(100)));

  CHECK_THROWS(EngineError, launch(other_arguments.chain, launch_of(0), operand(100), true));

  launch(one_less.chain, launch_of(0), operand(100));
  CHECK_THROWS(EngineError, one_less.chain.finish());
  CHECK_THROWS(EngineError, one_less.chain.update_step(1));
}

TEST(seeds_are_put_in_each_time_and_forgotten) {
  Copied graph;
  GraphKernels chain(graph);
  chain.append_step();
  launch(chain, launch_of(3), operand(100), key(11));
  chain.append_step();
  launch(chain, launch_of(0), operand(100));
  CHECK(same(graph.kernels[0].key, zeros));  // nothing is launched yet
  CHECK_EQ(graph.kernels[0].key.item, 0U);

  for (const std::uint32_t first : {12U, 12U, 0U}) {  // the same seed again is a seed again
    chain.update_step(0);
    launch(chain, launch_of(3), operand(100), key(first));
    chain.finish();
    CHECK(same(graph.kernels[0].key, key(first)));
    chain.forget_seeds();
    CHECK(graph.taken() == (Numbers{0, 0}));
    CHECK(same(graph.kernels[0].key, zeros));
  }
}

TEST(seeds_are_forgotten_here_even_if_the_graph_refuses) {
  Copied graph;
  GraphKernels chain(graph);
  chain.append_step();
  launch(chain, launch_of(3), operand(100), key(11));
  launch(chain, launch_of(3), operand(100), key(12));
  chain.update_step(0);
  launch(chain, launch_of(3), operand(100), key(11));
  launch(chain, launch_of(3), operand(100), key(12));
  CHECK(same(graph.kernels[1].key, key(12)));
  graph.fails_at = 0;
  CHECK_THROWS(EngineError, chain.forget_seeds());
  graph.fails_at = ~std::size_t{0};
  graph.sets.clear();
  chain.forget_seeds();
  CHECK(same(graph.kernels[0].key, zeros) && same(graph.kernels[1].key, zeros));
}

TEST(many_kernels_keep_their_arguments) {
  Copied graph;
  GraphKernels chain(graph);
  chain.append_step();
  for (std::uintptr_t i = 0; i < 300; ++i) launch(chain, launch_of(0), operand(i));
  chain.update_step(0);
  for (std::uintptr_t i = 0; i < 300; ++i) launch(chain, launch_of(0), operand(i == 257 ? 1000 : i));
  chain.finish();
  CHECK(graph.taken() == Numbers{257});
}

}  // namespace

int main() { return cyclotome::check::run(); }
