// SPDX-License-Identifier: Apache-2.0
// Times one batch of products with relinearisation on one GPU, and halves of it on two: from a thread for each that
// lasts, from threads made for it, and from a single thread. Every result is compared with the first GPU's.
// Arguments: degree (16384), items (256), length of q (372), bits of a word (64).
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <thread>

#include "cyclotome/scheme/bfv/scheme.hpp"
#include "engines.hpp"
#include "party.hpp"

using namespace cyclotome;
using Clock = std::chrono::steady_clock;
using check::Party;
using rlwe::Ciphertext;

namespace {

/// A thread that does one piece of work after another.
class Worker {
 public:
  std::future<void> operator()(std::function<void()> work) {
    std::packaged_task<void()> task(std::move(work));
    auto result = task.get_future();
    const std::lock_guard lock(mutex_);
    next_ = std::move(task);
    there_ = true;
    wake_.notify_one();
    return result;
  }
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
      wake_.notify_one();
    }
    thread_.join();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return there_ || ends_; });
      if (ends_) return;
      there_ = false;
      auto task = std::move(next_);
      lock.unlock();
      task();
      lock.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::packaged_task<void()> next_;
  bool there_ = false, ends_ = false;
  std::thread thread_{[this] { run(); }};
};

struct Side {
  Party party;
  Ciphertext a;
  EnginePtr engine;
  std::unique_ptr<Ciphertext> result;
  Side(const rlwe::Parameters& parameters, const EnginePtr& on, std::size_t items)
      : party(scheme::make_context(parameters, on), 1), a(party.encrypted(0, items, 9)), engine(on) {}
  void multiply() { result = std::make_unique<Ciphertext>(scheme::multiply_relinearized(a, a, party.evaluation)); }
  void multiply_and_wait() {
    multiply();
    engine->synchronize();
  }
};

double milliseconds(const std::function<void()>& work) {
  double best = 1e300;
  for (int i = 0; i < 12; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main(int count, char** arguments) {
  if (!check::has_device()) return check::skipped;
  const auto number = [&](int i, std::size_t usual) {
    return count > i ? static_cast<std::size_t>(std::strtoul(arguments[i], nullptr, 10)) : usual;
  };
  const std::size_t degree = number(1, 16384), items = number(2, 256);
  const rlwe::Parameters parameters = check::planned(&bfv::scheme(), degree, static_cast<unsigned>(number(3, 372)),
                                                     number(4, 64) == 64 ? Word::u64 : Word::u32, true);
  const auto report = [&](const char* how, double found, double one) {
    std::printf("{\"degree\": %zu, \"items\": %zu, \"how\": \"%s\", \"ms\": %.3f, \"times_one\": %.2f}\n", degree,
                items, how, found, one / found);
    std::fflush(stdout);
  };
  const EnginePtr first = CudaEngine::create(0);
  double whole = 0;
  {
    Side one(parameters, first, items);
    one.multiply_and_wait();
    whole = milliseconds([&] { one.multiply_and_wait(); });
    report("one GPU", whole, whole);
  }
  if (CudaEngine::device_count() < 2) return 0;
  Side here(parameters, first, items / 2), there(parameters, CudaEngine::create(1), items / 2);
  Worker a, b;
  const auto both = [&](const auto& work) {
    work(here);
    work(there);
  };
  const auto lasting = [&] {
    auto one = a([&] { here.multiply(); }), two = b([&] { there.multiply(); });
    one.get();
    two.get();
    here.engine->synchronize();
    there.engine->synchronize();
  };
  const auto anew = [&] {
    std::thread one([&] { here.multiply(); }), two([&] { there.multiply(); });
    one.join();
    two.join();
    here.engine->synchronize();
    there.engine->synchronize();
  };
  const auto single = [&] {
    both([](Side& side) { side.multiply(); });
    both([](Side& side) { side.engine->synchronize(); });
  };
  for (int i = 0; i < 3; ++i) single(), lasting(), anew();
  report("half on the first", milliseconds([&] { here.multiply_and_wait(); }), whole);
  report("half on the second", milliseconds([&] { there.multiply_and_wait(); }), whole);
  report("two, queued by one thread", milliseconds(single), whole);
  report("two, threads that last", milliseconds(lasting), whole);
  report("two, threads made for it", milliseconds(anew), whole);
  const bool equal = here.result->polynomials().to_host() == there.result->polynomials().to_host();
  std::printf("{\"equal\": %s}\n", equal ? "true" : "false");
  return equal ? 0 : 1;
}
