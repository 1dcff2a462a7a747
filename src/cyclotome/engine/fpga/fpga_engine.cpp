// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/fpga/fpga_engine.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>
#include <thread>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/program/program.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome {

using fpga::Operation;

namespace {

constexpr std::size_t max_boards = 1024, max_threads = 1024;

void require_count(const char* what, std::size_t count, std::size_t limit) {
  if (count == 0 || count > limit) throw ArgumentError(message(count, " ", what, "; there can be 1 to ", limit));
}

/// Words on their way to or from a circuit; they may be secret.
using Words = ZeroisingVector<std::uint64_t>;

/// One limb of all polynomials of `shape`, one after another; `a` is broadcast to it.
void gather(std::span<std::uint64_t> words, ConstView a, ConstView shape, std::size_t l) {
  const std::size_t n = a.degree();
  with_word(a.word(), [&]<class W>(W) {
    for (std::size_t i = 0; i < shape.batch * shape.parts; ++i) {
      const W* const limb = a.limb<W>(i / shape.parts, i % shape.parts, l);
      std::copy_n(limb, n, words.begin() + static_cast<std::ptrdiff_t>(i * n));
    }
  });
}

void scatter(View out, std::span<const std::uint64_t> words, std::size_t l) {
  const std::size_t n = out.degree();
  with_word(out.word(), [&]<class W>(W) {
    for (std::size_t i = 0; i < out.batch * out.parts; ++i) {
      W* const limb = out.limb<W>(i / out.parts, i % out.parts, l);
      for (std::size_t c = 0; c < n; ++c) limb[c] = static_cast<W>(words[i * n + c]);
    }
  });
}

/// body(i) for i = 0 ... count-1 on up to `threads` threads. Rethrows the first exception. Each body takes
/// milliseconds at least, so that threads can be started for them.
template <class Body>
void in_parallel(std::size_t count, std::size_t threads, const Body& body) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        check_interrupt();
        body(i);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        if (failure == nullptr) failure = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(count, threads); ++i) others.emplace_back(work);
    work();
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

std::uint64_t root_of(const Ring& ring, std::size_t l) {
  return with_word(ring.word(), [&]<class W>(W) { return static_cast<std::uint64_t>(ring.tables<W>(l).root); });
}

void require_narrow(const fpga::CircuitLibrary& circuit, const Ring& ring) {
  for (const std::uint64_t p : ring.basis().values()) {
    if (const auto bits = static_cast<unsigned>(std::bit_width(p)); bits > circuit.word_bits()) {
      throw EngineError(message("the prime ", p, " has ", bits, " bits; the circuit (", circuit.description(),
                                ") takes ", circuit.word_bits(),
                                ". Use parameters of smaller primes or a circuit of wider words"));
    }
  }
}

PolyArray in_coefficients(const EnginePtr& host, ConstView a) {
  PolyArray copy(host, a.ring->shared_from_this(), a.batch, a.parts, Domain::transform, true);
  host->copy(copy.view(), a);
  copy.to_coefficient();
  return copy;
}

/// product(out, a, b, scratch) for pieces of the batch, so that scratch stays small. Their size is the engine's own,
/// not the host's: ticks must not depend on how many cores this machine has.
template <class Product>
void for_each_piece(const Engine& engine, const EnginePtr& host, View out, ConstView a, ConstView b,
                    const Product& product) {
  const std::size_t item_bytes = 3 * out.parts * out.limbs() * out.degree() * bytes_of(out.word());
  const std::size_t tile = engine.batch_tile(out.batch, item_bytes);
  for (std::size_t first = 0; first < out.batch; first += tile) {
    check_interrupt();
    const std::size_t count = std::min(tile, out.batch - first);
    const auto window = [&](ConstView v) { return v.batch == 1 ? v : v.items(first, count); };
    PolyArray scratch(host, out.ring->shared_from_this(), count, out.parts, Domain::coefficient, true);
    product(out.items(first, count), window(a), window(b), scratch);
  }
}

}  // namespace

std::shared_ptr<FpgaEngine> FpgaEngine::create(EnginePtr host, const FpgaOptions& options) {
  require_count("boards", options.boards, max_boards);
  require_count("threads", options.threads, max_threads);
  return std::shared_ptr<FpgaEngine>(new FpgaEngine(std::move(host), options));
}

FpgaEngine::FpgaEngine(EnginePtr host, const FpgaOptions& options)
    : HostedEngine(std::move(host)), options_(options), loaded_(options.boards) {}

bool FpgaEngine::is_own(const program::Op& op) const {
  using program::Verb;
  const bool transforms = op.verb == Verb::forward || op.verb == Verb::inverse;
  const bool product = op.verb == Verb::multiply || op.verb == Verb::multiply_accumulate;
  return transforms || (product && multiplies(*op.a.ring, op.a.domain));
}

void FpgaEngine::open(const std::string& path) {
  auto library = fpga::CircuitLibrary::open(path);
  const bool products = options_.mode == CircuitMode::product;
  if (products ? !library->offers(Operation::product)
               : !library->offers(Operation::forward) || !library->offers(Operation::inverse)) {
    throw EngineError(message("the circuit (", library->description(), ") computes no ",
                              products ? "products; use mode transform" : "transforms of their own; use mode product",
                              ", or another design"));
  }
  const std::lock_guard lock(circuits_mutex_);
  const std::size_t degree = library->degree();
  circuits_.try_emplace(degree, std::make_unique<fpga::CircuitPool>(std::move(library)));
}

bool FpgaEngine::is_open(std::size_t degree) const {
  const std::lock_guard lock(circuits_mutex_);
  return circuits_.contains(degree);
}

fpga::CircuitPool& FpgaEngine::circuits(std::size_t degree) const {
  const std::lock_guard lock(circuits_mutex_);
  const auto found = circuits_.find(degree);
  if (found == circuits_.end()) {
    throw EngineError(message("no circuit for polynomials of degree ", degree, " is open on this engine; open one"));
  }
  return *found->second;
}

fpga::Statistics FpgaEngine::statistics() const {
  const std::lock_guard lock(statistics_mutex_);
  return statistics_;
}

void FpgaEngine::reset_statistics() {
  const std::lock_guard lock(statistics_mutex_);
  statistics_ = {};
}

bool FpgaEngine::multiplies(const Ring& ring, Domain domain) const {
  if (options_.mode != CircuitMode::product || domain != Domain::transform) return false;
  for (std::size_t l = 0; l < ring.limbs(); ++l) {
    if (!ring.has_transform(l)) return false;  // no product of polynomials: residues in slots of their own
  }
  return true;
}

void FpgaEngine::do_multiply(View out, ConstView a, ConstView b) {
  if (!multiplies(*a.ring, a.domain)) return host()->multiply(out, a, b);
  for_each_piece(*this, host(), out, a, b, [&](View z, ConstView x, ConstView y, PolyArray& product) {
    circuit_product(product.view(), x, y);
    host()->copy(z, product.to_transform().view());
  });
}

void FpgaEngine::do_multiply_accumulate(View accumulator, ConstView a, ConstView b) {
  if (!multiplies(*a.ring, a.domain)) return host()->multiply_accumulate(accumulator, a, b);
  for_each_piece(*this, host(), accumulator, a, b, [&](View z, ConstView x, ConstView y, PolyArray& product) {
    circuit_product(product.view(), x, y);
    host()->add(z, z, product.to_transform().view());
  });
}

void FpgaEngine::circuit_product(View out, ConstView a, ConstView b) {
  const PolyArray x = in_coefficients(host(), a), y = in_coefficients(host(), b);
  run(out, x.view(), y.view(), Operation::product);
}

void FpgaEngine::do_forward(View a) {
  if (options_.mode == CircuitMode::product) return host()->forward(a);
  run(a, a, {}, Operation::forward);
}

void FpgaEngine::do_inverse(View a) {
  if (options_.mode == CircuitMode::product) return host()->inverse(a);
  run(a, a, {}, Operation::inverse);
}

void FpgaEngine::run(View out, ConstView a, ConstView b, Operation operation) {
  const Ring& ring = *out.ring;
  fpga::CircuitPool& pool = circuits(ring.degree());
  require_narrow(pool.library(), ring);
  const bool product = operation == Operation::product;
  const std::size_t count = out.batch * out.parts, size = count * ring.degree();
  std::vector<Run> runs = runs_of(ring, product && pool.library().several_primes());
  in_parallel(runs.size(), options_.threads, [&](std::size_t i) {
    const std::vector<std::size_t>& limbs = runs[i].limbs;
    Words x(limbs.size() * size), y(product ? limbs.size() * size : 0), z(limbs.size() * size);
    for (std::size_t k = 0; k < limbs.size(); ++k) {
      gather(std::span(x).subspan(k * size, size), a, out, limbs[k]);
      if (product) gather(std::span(y).subspan(k * size, size), b, out, limbs[k]);
    }
    if (limbs.size() == 1) {
      auto circuit = pool.acquire(ring.basis()[limbs[0]], root_of(ring, limbs[0]));
      runs[i].ticks = circuit.run(operation, x, y, z).total;
    } else {
      std::vector<std::uint64_t> moduli, roots;
      for (const std::size_t l : limbs) {
        moduli.insert(moduli.end(), count, ring.basis()[l]);
        roots.insert(roots.end(), count, root_of(ring, l));
      }
      runs[i].ticks = pool.acquire().multiply_each(moduli, roots, x, y, z).total;
    }
    for (std::size_t k = 0; k < limbs.size(); ++k) scatter(out, std::span(z).subspan(k * size, size), limbs[k]);
  });
  account(ring, operation, count, runs);
}

std::vector<FpgaEngine::Run> FpgaEngine::runs_of(const Ring& ring, bool together) {
  const std::lock_guard lock(statistics_mutex_);
  std::vector<Run> runs;
  std::map<std::size_t, std::size_t> run_of;  // by board
  for (std::size_t l = 0; l < ring.limbs(); ++l) {
    const Prime prime{ring.degree(), ring.basis()[l]};
    const std::size_t board = board_of_.try_emplace(prime, board_of_.size() % options_.boards).first->second;
    const auto [place, fresh] = run_of.try_emplace(board, runs.size());
    if (fresh || !together) {
      runs.push_back({board, {l}});
    } else {
      runs[place->second].limbs.push_back(l);
    }
  }
  return runs;
}

void FpgaEngine::account(const Ring& ring, Operation operation, std::size_t count, const std::vector<Run>& runs) {
  const std::lock_guard lock(statistics_mutex_);
  fpga::Statistics& s = statistics_;
  const std::uint64_t done = count * ring.limbs(), words = (operation == Operation::product ? 3 : 2) * ring.degree();
  (operation == Operation::product ? s.products : operation == Operation::forward ? s.forwards : s.inverses) += done;
  s.transfer_bytes += 8 * words * done;
  std::vector<std::uint64_t> busy(options_.boards, 0);
  for (const Run& run : runs) {
    for (const std::size_t l : run.limbs) {
      const Prime prime{ring.degree(), ring.basis()[l]};
      if (std::exchange(loaded_[run.board], prime) == prime) continue;
      ++s.loads;
      s.transfer_bytes += 8 * ring.degree();
    }
    s.ticks += run.ticks;
    busy[run.board] += run.ticks;
  }
  s.critical_ticks += *std::max_element(busy.begin(), busy.end());
}

}  // namespace cyclotome
