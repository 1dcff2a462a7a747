// SPDX-License-Identifier: Apache-2.0
// Small memory that a stream keeps for its next arrays: what is taken is as large as what is asked for, nothing is
// given twice, and limits hold. Needs no GPU: addresses are numbers here.
#include <random>
#include <set>

#include "check.hpp"
#include "cyclotome/engine/cuda/memory/kept_blocks.hpp"

namespace {

using namespace cyclotome::cuda;

/// Touched by one operation.
KeptBlock block(std::uintptr_t number, std::size_t stream = 0) {
  KeptBlock made{reinterpret_cast<void*>(number << 24), {}};
  made.touched[stream] = number;
  return made;
}

constexpr auto any = [](const StreamNumbers&) { return true; };

TEST(what_is_taken_was_put_and_is_large_enough) {
  std::atomic<std::size_t> total{0};
  KeptBlocks kept(total);
  std::mt19937_64 random(7);
  std::map<void*, std::size_t> inside;  // as they were asked for
  std::uintptr_t next = 0;
  std::size_t served = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t bytes = random() % 40000;
    if (random() % 2 == 0) {
      const KeptBlock made = block(++next);
      if (kept.put(made, bytes)) inside[made.data] = KeptBlocks::rounded(bytes);
    } else if (const auto found = kept.take(bytes, any)) {
      void* const data = found->data;
      CHECK_EQ(found->touched[0], reinterpret_cast<std::uintptr_t>(data) >> 24);
      CHECK(inside.contains(data));
      CHECK(inside[data] >= bytes);
      CHECK_EQ(inside[data], KeptBlocks::rounded(bytes));
      inside.erase(data);
      ++served;
    }
    std::size_t sum = 0;
    if (i % 1000 != 0) continue;
    for (const auto& [data, size] : inside) sum += size;
    CHECK_EQ(total.load(), sum);
    CHECK(sum <= KeptBlocks::max_bytes);
  }
  CHECK(served > 1000);
  const std::vector<KeptBlock> rest = kept.take_all(any);
  CHECK_EQ(rest.size(), inside.size());
  for (const KeptBlock& each : rest) CHECK(inside.contains(each.data));
  CHECK_EQ(total.load(), std::size_t{0});
  CHECK(!kept.take(4096, any));
}

TEST(limits_hold) {
  std::atomic<std::size_t> total{0};
  KeptBlocks kept(total), other(total);
  CHECK(!kept.put(block(1), 0));
  CHECK(!kept.put(block(1), KeptBlocks::max_block + 1));
  CHECK(!kept.take(0, any));
  CHECK(!kept.take(KeptBlocks::max_block + 1, any));
  std::uintptr_t count = 0;
  while (kept.put(block(count + 1), KeptBlocks::max_block)) ++count;
  CHECK_EQ(count * KeptBlocks::max_block, KeptBlocks::max_bytes);
  CHECK(!kept.put(block(1000), 1));
  CHECK(other.put(block(1000), 1));
  CHECK_EQ(total.load(), KeptBlocks::max_bytes + KeptBlocks::unit);
  CHECK(kept.take(KeptBlocks::max_block, any)->data == block(count).data);
  CHECK_EQ(KeptBlocks::rounded(KeptBlocks::max_block + 1), KeptBlocks::max_block + 1);
  CHECK_EQ(KeptBlocks::rounded(1), KeptBlocks::unit);
  other.take_all(any);
  kept.take_all(any);
  CHECK_EQ(total.load(), std::size_t{0});
}

TEST(whoever_takes_may_say_what_suits) {
  std::atomic<std::size_t> total{0};
  KeptBlocks kept(total);
  for (std::uintptr_t i = 1; i <= 6; ++i) CHECK(kept.put(block(i, i % 3), 100));
  const auto of_stream = [](std::size_t stream) {
    return [stream](const StreamNumbers& touched) { return touched[stream] != 0; };
  };
  CHECK_EQ(kept.take(100, of_stream(1))->touched[1], std::uint64_t{4});  // the one that was put last
  CHECK_EQ(kept.take(100, of_stream(1))->touched[1], std::uint64_t{1});
  CHECK(!kept.take(100, of_stream(1)));
  CHECK_EQ(kept.take(100, any)->touched[0], std::uint64_t{6});
  CHECK_EQ(total.load(), 3 * KeptBlocks::unit);
  CHECK_EQ(kept.take_all(of_stream(0)).size(), std::size_t{1});
  CHECK_EQ(kept.take_all(any).size(), std::size_t{2});
  CHECK_EQ(total.load(), std::size_t{0});
}

}  // namespace

int main() { return cyclotome::check::run(); }
