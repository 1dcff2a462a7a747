// SPDX-License-Identifier: Apache-2.0
// One engine, many threads, each on a stream of its own: operands that other threads made, overwrite or give back are
// complete when they are read and not written before that, so that results are the CPU engine's, bit for bit. Needs a
// GPU; without one it says so and exits with 77, which CTest counts as skipped. Argument: how much of it, in tenths.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "engines.hpp"
#include "party.hpp"

using namespace cyclotome;
using check::device;
using check::host;
using check::Party;
using check::seed;
using rlwe::Ciphertext;

namespace {

constexpr unsigned threads = 12;
std::size_t tenths = 10;  ///< of what is done

/// Threads that all do `work(number)`; an exception of one fails the case.
void together(const std::function<void(unsigned)>& work) {
  std::vector<std::thread> running;
  std::atomic<unsigned> failures{0};
  for (unsigned t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      try {
        work(t);
      } catch (const std::exception& error) {
        std::printf("  thread %u: %s\n", t, error.what());
        ++failures;
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  CHECK_EQ(failures.load(), 0U);
}

// --- verbs in one order, queued by whichever thread ------------------------------------------------------------------

enum class Verb : unsigned { add, multiply, accumulate, forward, inverse, copy, sample, replace, upload, sum, count };

struct Call {
  Verb verb;
  std::size_t out, a, b;
  std::uint8_t number;
};

using Arrays = std::vector<std::unique_ptr<PolyArray>>;

std::unique_ptr<PolyArray> drawn(const EnginePtr& engine, const RingPtr& ring, std::size_t batch, std::uint8_t number) {
  auto made = std::make_unique<PolyArray>(engine, ring, batch, 2, Domain::transform, number % 3 == 0);
  engine->sample(made->view(), Law::uniform, seed(number), Stream::public_uniform);
  return made;
}

/// An engine does what a call says. Arrays are called transforms throughout, whatever is in them.
void run(const Call& call, const EnginePtr& engine, const RingPtr& ring, std::size_t batch, Arrays& arrays) {
  const View out = arrays[call.out]->view();
  const ConstView a = std::as_const(*arrays[call.a]).view(), b = std::as_const(*arrays[call.b]).view();
  switch (call.verb) {
    case Verb::add:
      return engine->add(out, a, b);
    case Verb::multiply:
      return engine->multiply(out, a, b);
    case Verb::accumulate:
      return engine->multiply_accumulate(out, a, b);
    case Verb::forward: {
      View polynomials = out;
      polynomials.domain = Domain::coefficient;
      return engine->forward(polynomials);
    }
    case Verb::inverse:
      return engine->inverse(out);
    case Verb::copy:
      return engine->copy(out, a);
    case Verb::sample:
      return engine->sample(out, Law::uniform, seed(call.number), Stream::public_uniform);
    case Verb::replace:
      arrays[call.out] = drawn(engine, ring, batch, call.number);
      return;
    case Verb::upload: {
      const std::vector<std::uint64_t> same(batch * 2 * ring->limbs() * ring->degree(), call.number);
      return arrays[call.out]->from_host(same);
    }
    case Verb::sum: {
      PolyArray sums(engine, ring, 1, 2, Domain::transform);
      const ConstView items[] = {a.items(0), b.items(batch - 1)};
      engine->sum_items(sums.view(), items, 2);
      View first = out.items(0, 1);
      return engine->copy(first, std::as_const(sums).view());
    }
    case Verb::count:
      break;
  }
}

void check_verbs(std::size_t degree, std::size_t limbs, std::size_t batch, std::size_t calls) {
  constexpr std::size_t count = 7;
  const auto ring = Ring::negacyclic(degree, Basis(Word::u32, primes_congruent_to_one(30, 2 * degree, limbs)));
  Arrays ours, theirs;
  for (std::uint8_t i = 0; i < count; ++i) {
    ours.push_back(drawn(device(), ring, batch, i));
    theirs.push_back(drawn(host(), ring, batch, i));
  }
  std::mutex mutex;
  std::mt19937_64 random(degree + limbs);
  std::vector<Call> done;
  together([&](unsigned) {
    for (;;) {
      const std::lock_guard lock(mutex);  // one order of calls; what the device makes of it is its own affair
      if (done.size() == calls) return;
      const Call call{static_cast<Verb>(random() % static_cast<unsigned>(Verb::count)), random() % count,
                      random() % count, random() % count, static_cast<std::uint8_t>(random())};
      if (call.verb == Verb::sum && (call.a == call.out || call.b == call.out)) continue;
      run(call, device(), ring, batch, ours);
      done.push_back(call);
    }
  });
  for (const Call& call : done) run(call, host(), ring, batch, theirs);
  for (std::size_t i = 0; i < count; ++i) CHECK(ours[i]->to_host() == theirs[i]->to_host());
}

TEST(verbs_of_many_threads_keep_their_order) {
  check_verbs(1024, 2, 3, 300 * tenths);
  check_verbs(4096, 3, 64, 60 * tenths);
  check_verbs(32768, 8, 16, 20 * tenths);
}

// --- operations at the same time -------------------------------------------------------------------------------------

/// How a ciphertext came about.
struct Node {
  unsigned operation;
  std::size_t a, b;  ///< nodes
  std::uint8_t number;
  unsigned depth;
};

Ciphertext made(const Party& party, const Node& node, const Ciphertext* a, const Ciphertext* b) {
  switch (node.operation) {
    case 0:
      return party.encrypted(0, 1, node.number);
    case 1:
      return scheme::multiply_relinearized(*a, *b, party.evaluation);
    case 2:
      return rlwe::apply_galois(*a, node.number % 2 == 0 ? 3 : 9, party.evaluation);
    case 3:
      return scheme::add(*a, *b);
    case 4:
      return scheme::deterministic::encrypt(party.plain(0, 1, node.number), party.secret, seed(node.number));
    default:
      return scheme::square_relinearized(*a, party.evaluation);
  }
}

void check_operations(const rlwe::Scheme& kind, std::size_t degree, unsigned log_q, std::size_t calls) {
  constexpr std::size_t count = 10;
  const auto parameters = check::planned(&kind, degree, log_q, Word::u32, true);
  const Party party(scheme::make_context(parameters, device()), 1);
  struct Held {
    std::shared_ptr<const Ciphertext> value;
    std::size_t node;
  };
  std::mutex mutex;
  std::mt19937_64 random(degree);
  std::vector<Node> nodes;
  std::vector<Held> held;
  for (std::size_t i = 0; i < count; ++i) {
    nodes.push_back({0, 0, 0, static_cast<std::uint8_t>(i), 0});
    held.push_back({std::make_shared<const Ciphertext>(made(party, nodes.back(), nullptr, nullptr)), i});
  }
  std::vector<std::pair<std::size_t, std::vector<std::uint64_t>>> downloads;
  together([&](unsigned) {
    for (;;) {
      Held a, b;
      Node node{};
      std::uint64_t choice = 0;
      {
        const std::lock_guard lock(mutex);
        if (nodes.size() >= calls) return;
        choice = random();
        a = held[random() % count];
        b = held[random() % count];
        const unsigned depth = std::max(nodes[a.node].depth, nodes[b.node].depth);
        node = {static_cast<unsigned>(choice % 6), a.node, b.node, static_cast<std::uint8_t>(choice >> 8), depth};
        if (node.operation == 1 || node.operation == 5) ++node.depth;
        if (node.depth > 1) node.operation = 0;
        if (node.operation == 0 || node.operation == 4) node.depth = 0;
      }
      auto result = std::make_shared<const Ciphertext>(made(party, node, a.value.get(), b.value.get()));
      std::vector<std::uint64_t> residues;
      if (choice >> 60 == 0) residues = result->polynomials().to_host();
      const std::lock_guard lock(mutex);
      nodes.push_back(node);
      if (!residues.empty()) downloads.emplace_back(nodes.size() - 1, std::move(residues));
      held[choice >> 20 & 7] = {std::move(result), nodes.size() - 1};  // another thread may be the last to hold the old
    }
  });
  const Party right(scheme::make_context(parameters, host()), 1);
  std::vector<Ciphertext> all;
  all.reserve(nodes.size());
  for (const Node& node : nodes) {
    const bool fresh = node.operation == 0 || node.operation == 4;
    all.push_back(made(right, node, fresh ? nullptr : &all[node.a], fresh ? nullptr : &all[node.b]));
  }
  std::size_t wrong = 0;
  for (const Held& one : held) wrong += one.value->polynomials().to_host() != all[one.node].polynomials().to_host();
  for (const auto& [node, residues] : downloads) wrong += residues != all[node].polynomials().to_host();
  std::printf("  %zu operations, %zu results compared\n", nodes.size(), held.size() + downloads.size());
  CHECK_EQ(wrong, std::size_t{0});
}

TEST(operations_of_many_threads_give_the_cpus_bits) {
  check_operations(bfv::scheme(), 4096, 72, 120 * tenths);
  check_operations(bgv::scheme(), 4096, 72, 80 * tenths);
  check_operations(bfv::scheme(), 16384, 291, 20 * tenths);
  check_operations(bgv::scheme(), 16384, 291, 20 * tenths);
}

TEST(threads_come_and_go) {
  const auto parameters = check::planned(&bfv::scheme(), 4096, 72, Word::u32, true);
  const Party party(scheme::make_context(parameters, device()), 1), right(scheme::make_context(parameters, host()), 1);
  const Ciphertext a = party.encrypted(0, 1, 3), x = right.encrypted(0, 1, 3);
  const auto expected = scheme::square_relinearized(x, right.evaluation).polynomials().to_host();
  for (std::size_t round = 0; round < 4 * tenths; ++round) {
    std::vector<Ciphertext> results;
    std::mutex mutex;
    together([&](unsigned) {
      Ciphertext result = scheme::square_relinearized(a, party.evaluation);
      const std::lock_guard lock(mutex);
      results.push_back(std::move(result));
    });
    for (std::size_t i = round % 5; i < results.size(); i += 5) {
      CHECK(results[i].polynomials().to_host() == expected);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) tenths = std::max<std::size_t>(1, std::strtoul(arguments[1], nullptr, 10));
  return check::run_on_device();
}
