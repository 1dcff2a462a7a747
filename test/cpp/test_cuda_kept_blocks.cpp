// SPDX-License-Identifier: Apache-2.0
// Small memory that a stream keeps for its next arrays: what is taken is as large as what is asked for, nothing is
// given twice, and limits hold. Needs no GPU: addresses are numbers here.
#include <random>
#include <set>

#include "check.hpp"
#include "cyclotome/engine/cuda/kept_blocks.hpp"

namespace {

using cyclotome::cuda::KeptBlocks;

void* address(std::uintptr_t number) { return reinterpret_cast<void*>(number << 24); }

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
      void* const data = address(++next);
      if (kept.put(data, bytes)) inside[data] = KeptBlocks::rounded(bytes);
    } else if (void* const data = kept.take(bytes); data != nullptr) {
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
  const std::vector<void*> rest = kept.take_all();
  CHECK_EQ(rest.size(), inside.size());
  for (void* const data : rest) CHECK(inside.contains(data));
  CHECK_EQ(total.load(), std::size_t{0});
  CHECK(kept.take(4096) == nullptr);
}

TEST(limits_hold) {
  std::atomic<std::size_t> total{0};
  KeptBlocks kept(total), other(total);
  CHECK(!kept.put(address(1), 0));
  CHECK(!kept.put(address(1), KeptBlocks::max_block + 1));
  CHECK(kept.take(0) == nullptr);
  CHECK(kept.take(KeptBlocks::max_block + 1) == nullptr);
  std::uintptr_t count = 0;
  while (kept.put(address(count + 1), KeptBlocks::max_block)) ++count;
  CHECK_EQ(count * KeptBlocks::max_block, KeptBlocks::max_bytes);
  CHECK(!kept.put(address(1000), 1));
  CHECK(other.put(address(1000), 1));
  CHECK_EQ(total.load(), KeptBlocks::max_bytes + KeptBlocks::unit);
  CHECK(kept.take(KeptBlocks::max_block) == address(count));
  CHECK_EQ(KeptBlocks::rounded(KeptBlocks::max_block + 1), KeptBlocks::max_block + 1);
  CHECK_EQ(KeptBlocks::rounded(1), KeptBlocks::unit);
  other.take_all();
  kept.take_all();
  CHECK_EQ(total.load(), std::size_t{0});
}

}  // namespace

int main() { return cyclotome::check::run(); }
