// SPDX-License-Identifier: Apache-2.0
// What operations on several streams wait for: always whoever wrote what they read, or has to do with what they write;
// never in a circle; and nobody else. Streams are lists of numbers here, so this needs no GPU.
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "check.hpp"
#include "cyclotome/engine/cuda/streams/stream_order.hpp"

namespace {

using namespace cyclotome::cuda;

const void* at(std::size_t piece, std::size_t byte = 0) {
  return reinterpret_cast<const void*>((std::uintptr_t{1} << 20) * (piece + 1) + byte);
}
constexpr std::size_t bytes = 1000;

/// An operation as a device sees it: what is done before it begins, by stream.
struct Done {
  std::size_t stream;
  std::uint64_t number;
  StreamNumbers before;
  std::set<std::size_t> reads, writes;
  bool alone;
};

/// Streams that keep to what they are told, and what follows from it.
class Streams {
 public:
  Done operation(std::size_t stream, const std::set<std::size_t>& reads, const std::set<std::size_t>& writes,
                 bool alone = false) {
    std::vector<const void*> read, written;
    for (const std::size_t piece : reads) read.push_back(at(piece, bytes - 1));
    for (const std::size_t piece : writes) written.push_back(at(piece, piece % bytes));
    const StreamOrder::Begun begun = order.begin(stream, read, written, alone);
    last_waits = 0;
    StreamNumbers& here = clocks_[stream][begun.number - 1];
    for (std::size_t s = 0; s < all_streams; ++s) {
      if (begun.after[s] == 0) continue;
      CHECK(s != stream);
      CHECK(clocks_[s].count(begun.after[s]) == 1);  // it began before
      merge(here, clocks_[s][begun.after[s]]);
      ++last_waits;
    }
    Done done{stream, begun.number, here, reads, writes, alone};
    here[stream] = begun.number;
    clocks_[stream][begun.number] = here;
    return done;
  }
  static void merge(StreamNumbers& into, const StreamNumbers& from) {
    for (std::size_t s = 0; s < all_streams; ++s) into[s] = std::max(into[s], from[s]);
  }

  StreamOrder order;
  std::size_t last_waits = 0;

 private:
  std::map<std::uint64_t, StreamNumbers> clocks_[all_streams];
};

bool meet(const std::set<std::size_t>& a, const std::set<std::size_t>& b) {
  return std::ranges::any_of(a, [&](std::size_t piece) { return b.contains(piece); });
}

bool conflict(const Done& a, const Done& b) {
  return a.alone || b.alone || meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(a.reads, b.writes);
}

TEST(whoever_conflicts_comes_after) {
  std::mt19937_64 random(16);
  for (int round = 0; round < 30; ++round) {
    Streams streams;
    const std::size_t pieces = 2 + random() % 6, count = 2 + random() % 5;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const Done allocation = streams.operation(random() % count, {}, {});
      streams.order.add(at(piece), bytes, allocation.stream, allocation.number);
    }
    std::vector<Done> all;
    std::size_t conflicts = 0;
    for (int i = 0; i < 60; ++i) {
      std::set<std::size_t> reads, writes;
      for (std::size_t k = random() % 3; k > 0; --k) reads.insert(random() % pieces);
      for (std::size_t k = random() % 2; k > 0; --k) writes.insert(random() % pieces);
      const Done now = streams.operation(random() % count, reads, writes, random() % 20 == 0);
      for (const Done& earlier : all) {
        if (!conflict(earlier, now)) continue;
        ++conflicts;
        const bool in_order =
            earlier.stream == now.stream ? earlier.number < now.number : now.before[earlier.stream] >= earlier.number;
        CHECK(in_order);
      }
      all.push_back(now);
    }
    CHECK(conflicts > 0);
    for (std::size_t piece = 0; piece < pieces; ++piece) {  // whoever frees it is told of everybody
      const StreamNumbers touched = streams.order.remove(at(piece));
      StreamNumbers before = touched;
      for (std::size_t s = 0; s < count; ++s) {
        for (const Done& done : all) {
          if (done.stream == s && done.number == touched[s]) Streams::merge(before, done.before);
        }
      }
      for (const Done& done : all) {
        if (done.reads.contains(piece) || done.writes.contains(piece)) CHECK(before[done.stream] >= done.number);
      }
    }
  }
}

TEST(readers_do_not_wait_for_each_other) {
  Streams streams;
  const Done made = streams.operation(0, {}, {});
  streams.order.add(at(7), bytes, 0, made.number);
  for (std::size_t s = 1; s < max_streams; ++s) {
    streams.operation(s, {7}, {});
    CHECK_EQ(streams.last_waits, std::size_t{1});  // for the stream that made it
  }
  streams.operation(0, {7}, {});
  CHECK_EQ(streams.last_waits, std::size_t{0});
  streams.operation(0, {}, {7});
  CHECK_EQ(streams.last_waits, max_streams - 1);
  streams.operation(3, {7}, {});
  CHECK_EQ(streams.last_waits, std::size_t{1});  // the readers before are before the one that wrote
}

TEST(one_stream_never_waits) {
  Streams streams;
  const Done made = streams.operation(5, {}, {});
  streams.order.add(at(0), bytes, 5, made.number);
  for (const bool alone : {false, true, false}) {
    streams.operation(5, {0}, {0}, alone);
    CHECK_EQ(streams.last_waits, std::size_t{0});
  }
  const StreamNumbers touched = streams.order.remove(at(0));
  for (std::size_t s = 0; s < all_streams; ++s) CHECK_EQ(touched[s] != 0, s == 5);
}

TEST(what_is_not_known_is_nobody_elses) {
  Streams streams;
  const Done made = streams.operation(0, {}, {});
  streams.order.add(at(1), bytes, 0, made.number);
  const void* const beside[] = {nullptr, at(0), at(1, bytes), at(2)};
  const StreamOrder::Begun begun = streams.order.begin(1, beside, beside);
  CHECK(begun.after == StreamNumbers{});
  CHECK(streams.order.remove(at(0)) == StreamNumbers{});
  CHECK(streams.order.remove(at(1, 1)) == StreamNumbers{});  // it begins elsewhere
  CHECK(streams.order.remove(at(1)) != StreamNumbers{});
  CHECK(streams.order.remove(at(1)) == StreamNumbers{});
}

TEST(who_reads_memory_that_one_stream_zeroised_comes_after_that) {
  Streams streams;
  const auto again = [&](const StreamNumbers& touched) {
    streams.order.add(at(1), bytes, touched);
    const void* const piece = at(1);
    return streams.order.begin(1, {&piece, 1}).after;
  };
  StreamNumbers touched{};
  touched[4] = streams.operation(4, {}, {}).number;
  CHECK_EQ(again(touched)[4], std::uint64_t{1});
  CHECK_EQ(streams.order.remove(at(1))[1], std::uint64_t{1});
  // What nobody touched since, or several did, holds no zeros that somebody relies on.
  CHECK(again({}) == StreamNumbers{});
  touched[2] = streams.operation(2, {}, {}).number;
  streams.order.add(at(1), bytes, touched);
  streams.operation(3, {}, {1});
  CHECK_EQ(streams.last_waits, std::size_t{2});
}

TEST(memory_that_comes_again_has_no_past) {
  Streams streams;
  streams.order.add(at(1), bytes, 0, streams.operation(0, {}, {}).number);
  streams.operation(2, {}, {1});
  streams.order.remove(at(1));
  streams.order.add(at(1), bytes / 2, 3, streams.operation(3, {}, {}).number);
  const void* const piece = at(1);
  const StreamOrder::Begun begun = streams.order.begin(1, {&piece, 1});
  CHECK_EQ(begun.after[2], std::uint64_t{0});
  CHECK_EQ(begun.after[3], std::uint64_t{1});
}

TEST(threads_that_wait_for_what_they_are_told_all_end) {
  constexpr std::size_t threads = 8, pieces = 5, rounds = 2000;
  StreamOrder order;
  std::array<std::atomic<std::uint64_t>, all_streams> queued{};
  std::array<std::uint64_t, pieces> values{};  // plain numbers: whoever writes them has waited for the others
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    order.add(at(piece), bytes, 0, order.begin(0).number);
  }
  queued[0] = pieces;
  std::vector<std::thread> running;
  std::atomic<std::uint64_t> writes{0}, sum_seen{0};
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      std::mt19937_64 random(t);
      std::uint64_t seen = 0;
      for (std::size_t i = 0; i < rounds; ++i) {
        const std::size_t target = random() % pieces, source = random() % pieces;
        const void *const read = at(source), *const write = at(target);
        const auto begun = order.begin(t, {&read, 1}, {&write, 1}, i % 100 == 99);
        for (std::size_t s = 0; s < all_streams; ++s) {
          while (queued[s].load(std::memory_order_acquire) < begun.after[s]) std::this_thread::yield();
        }
        seen += values[source];
        values[target] += 1;
        ++writes;
        queued[t].store(begun.number, std::memory_order_release);
      }
      sum_seen += seen;
    });
  }
  for (std::thread& thread : running) thread.join();
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) sum += value;
  CHECK_EQ(sum, writes.load());
  CHECK_EQ(sum, std::uint64_t{threads * rounds});
  CHECK(sum_seen > 0);
}

}  // namespace

int main() { return cyclotome::check::run(); }
