// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>

#include "cyclotome/engine/cpu/thread_pool.hpp"
#include "cyclotome/engine/cpu/tile.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/view.hpp"

namespace cyclotome::cpu {

/// Loops over fewer words than this run on the calling thread: waking the others would take longer.
inline constexpr std::size_t parallel_threshold = 4096;

/// Calls a function when it is destroyed, also by an exception.
template <class Action>
class AtEnd {
 public:
  explicit AtEnd(const Action& action) noexcept : action_(action) {}
  ~AtEnd() { action_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Action action_;
};

/// The loops of an engine's verbs, over its threads. Each asks whether to go on before it starts.
class Loops {
 public:
  explicit Loops(std::size_t threads) : threads_(threads) {}
  std::size_t threads() const noexcept { return threads_.threads(); }

  /// body(i) for i = 0 ... count-1; over all threads unless `words`, the size of the work, is small.
  template <class Body>
  void in_parallel(std::size_t count, std::size_t words, const Body& body);
  /// body(b, p, l, pointer to the limb) for every limb of `out`, over all threads.
  template <class Body>
  void for_each_limb(View out, const Body& body);
  /// What follows a job where nothing has to.
  struct Nothing {
    template <LimbWord W>
    void operator()(W) const noexcept {}
  };
  /// body(b, p, first coefficient, width, W{}) for every tile of coefficients of every item and part of `out`, over all
  /// threads. end_of_job(W{}) follows every few tiles of a thread, and the last.
  template <LimbWord W, class Body, class End>
  void for_each_tile_of(View out, const Body& body, const End& end_of_job);
  template <class Body, class End>
  void for_each_tile(View out, const Body& body, const End& end_of_job);
  template <LimbWord W, class Body>
  void for_each_tile_of(View out, const Body& body) {
    for_each_tile_of<W>(out, body, Nothing{});
  }
  template <class Body>
  void for_each_tile(View out, const Body& body) {
    for_each_tile(out, body, Nothing{});
  }
  /// body(b, l, first coefficient, width, W{}) for all parts of an item at once: every tile of every limb, all items of
  /// a tile on one thread.
  template <class Body>
  void for_each_limb_tile(View out, const Body& body);

 private:
  ThreadPool threads_;
};

template <class Body>
void Loops::in_parallel(std::size_t count, std::size_t words, const Body& body) {
  check_interrupt_often();  // every verb comes by here
  if (words < parallel_threshold) {
    for (std::size_t i = 0; i < count; ++i) body(i);
  } else {
    threads_.parallel_for(count, std::ref(body));  // by reference: nothing is copied to the heap
  }
}

template <class Body>
void Loops::for_each_limb(View out, const Body& body) {
  // All polynomials of a limb follow each other, so that the limb's tables stay in cache.
  const std::size_t polynomials = out.batch * out.parts, count = polynomials * out.limbs();
  with_word(out.word(), [&]<class W>(W) {
    in_parallel(count, count * out.degree(), [&](std::size_t i) {
      const std::size_t l = i / polynomials, p = i % out.parts, b = i % polynomials / out.parts;
      body(b, p, l, out.limb<W>(b, p, l));
    });
  });
}

template <LimbWord W, class Body, class End>
void Loops::for_each_tile_of(View out, const Body& body, const End& end_of_job) {
  // A job is a run of tiles, so that a job is worth handing to a thread.
  constexpr std::size_t job = 4 * conversion_tile;
  const std::size_t n = out.degree(), jobs = (n + job - 1) / job;
  const std::size_t count = out.batch * out.parts;
  in_parallel(count * jobs, count * out.limbs() * n, [&](std::size_t i) {
    const std::size_t p = i / jobs % out.parts, b = i / jobs / out.parts;
    const std::size_t end = std::min(n, (i % jobs + 1) * job);
    const AtEnd at_end([&] { end_of_job(W{}); });
    for (std::size_t first = i % jobs * job; first < end; first += conversion_tile) {
      body(b, p, first, std::min(end - first, conversion_tile), W{});
    }
  });
}

template <class Body, class End>
void Loops::for_each_tile(View out, const Body& body, const End& end_of_job) {
  with_word(out.word(), [&]<class W>(W) { for_each_tile_of<W>(out, body, end_of_job); });
}

template <class Body>
void Loops::for_each_limb_tile(View out, const Body& body) {
  const std::size_t n = out.degree(), limbs = out.limbs(), tiles = (n + product_tile - 1) / product_tile;
  with_word(out.word(), [&]<class W>(W) {
    in_parallel(limbs * tiles, out.batch * out.parts * limbs * n, [&](std::size_t i) {
      const std::size_t first = i % tiles * product_tile, width = std::min(n - first, product_tile);
      for (std::size_t b = 0; b < out.batch; ++b) {
        if (b % 64 == 63) check_interrupt();
        body(b, i / tiles, first, width, W{});
      }
    });
  });
}

}  // namespace cyclotome::cpu
