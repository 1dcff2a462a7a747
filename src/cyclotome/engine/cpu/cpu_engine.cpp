// SPDX-License-Identifier: Apache-2.0
// Memory, loops over threads, and the verbs that work limb by limb. Those that work across limbs: across_limbs.cpp.
#include "cyclotome/engine/cpu/cpu_engine.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "cyclotome/engine/cpu/steps/convert.hpp"
#include "cyclotome/engine/cpu/steps/limb_transform.hpp"
#include "cyclotome/engine/cpu/steps/operands.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/platform/process.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome {

namespace {

class CpuBuffer final : public Buffer {
 public:
  CpuBuffer(std::shared_ptr<Engine> engine, cpu::MemoryPool& pool, void* block, std::size_t capacity, std::size_t bytes,
            bool secret)
      : Buffer(block, bytes, secret), engine_(std::move(engine)), pool_(pool), capacity_(capacity) {}
  ~CpuBuffer() override {
    if (secret()) secure_zero(data(), bytes());
    pool_.release(data(), capacity_, secret());
  }

 private:
  std::shared_ptr<Engine> engine_;  // keeps the pool alive
  cpu::MemoryPool& pool_;
  std::size_t capacity_;
};

/// An address in a seed's stream, whose copy of the seed is wiped with it.
struct SecretAddress : cpu::StreamAddress {
  ~SecretAddress() { secure_zero(key.data(), sizeof(key)); }
};

/// Small integers that are wiped when they go.
struct SmallTile {
  int values[cpu::conversion_tile];
  ~SmallTile() { secure_zero(values, sizeof(values)); }
};
/// memcpy in pieces of a few milliseconds.
void copy_bytes(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t piece = std::size_t{16} << 20;
  for (std::size_t at = 0; at < bytes; at += piece) {
    check_interrupt();
    std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, std::min(piece, bytes - at));
  }
}

}  // namespace

std::shared_ptr<CpuEngine> CpuEngine::create(std::size_t threads, std::optional<cpu::InstructionSet> instruction_set) {
  if (threads > 1024) throw ArgumentError(message(threads, " threads were asked for; at most 1024 are possible"));
  const std::vector<cpu::InstructionSet> sets = cpu::instruction_sets();
  const cpu::InstructionSet set = instruction_set.value_or(sets.back());
  if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
    throw EngineError(message("this machine has no ", cpu::name_of(set), " instructions; the best it has is ",
                              cpu::name_of(sets.back()), ", which is the default"));
  }
  return std::shared_ptr<CpuEngine>(new CpuEngine(threads == 0 ? platform::usable_cores() : threads, set));
}

std::unique_ptr<Buffer> CpuEngine::allocate(std::size_t bytes, bool secret) {
  std::size_t capacity = 0;
  void* const block = memory_.acquire(bytes, capacity, secret);
  return std::make_unique<CpuBuffer>(shared_from_this(), memory_, block, capacity, bytes, secret);
}

MemoryState CpuEngine::memory(bool with_free) const {
  MemoryState state{memory_.used(), std::nullopt};
  if (with_free) state.free = free_main_memory();
  if (state.free) *state.free += memory_.cached();
  return state;
}

void CpuEngine::upload(void* destination, const void* host, std::size_t bytes) { copy_bytes(destination, host, bytes); }
void CpuEngine::download(void* host, const void* source, std::size_t bytes) { copy_bytes(host, source, bytes); }

bool CpuEngine::computes_in(const Ring& ring) const noexcept {
  switch (ring.kind()) {
    case RingKind::negacyclic:
    case RingKind::cyclotomic:
      return true;
  }
  return false;
}

/// body(row, first value, values) for some tiles of a row's values at a time, over all threads; scratch is wiped.
template <LimbWord W, class Body>
void CpuEngine::for_each_run_of_values(std::size_t rows, std::size_t width, const Body& body) {
  constexpr std::size_t run = 8 * cpu::conversion_tile;
  const std::size_t runs = (width + run - 1) / run;
  loops_.in_parallel(rows * runs, rows * width, [&](std::size_t i) {
    const std::size_t last = std::min(width, (i % runs + 1) * run);
    const cpu::AtEnd wiped([] { cpu::wipe_scratch(W{}); });
    cpu::TileScratch<W> scratch(1);
    W* const staged = scratch.tile(1).data;
    for (std::size_t first = i % runs * run; first < last; first += cpu::conversion_tile) {
      body(i / runs, first, std::min(last - first, cpu::conversion_tile), staged);
    }
  });
}

bool CpuEngine::place(View out, std::span<const std::int64_t> values, std::size_t width,
                      std::span<const std::uint32_t> positions, bool reduce) {
  const std::uint64_t t = out.ring->basis()[0];
  std::atomic<std::uint64_t> outside{0};
  if (values.size() < out.batch * out.degree()) do_clear(out);
  with_word(out.word(), [&]<class W>(W) {
    const Modulus<W> modulus = out.ring->basis().moduli<W>()[0];
    for_each_run_of_values<W>(out.batch, width, [&](std::size_t row, std::size_t first, std::size_t most, W* staged) {
      const std::size_t before = row * width + first;
      const std::size_t count = std::min(most, values.size() - std::min(values.size(), before));
      W* const limb = out.limb<W>(row, 0, 0);
      W* const residues = positions.empty() ? limb + first : staged;
      const std::int64_t* const from = values.data() + before;
      std::uint64_t wrong = 0;
      if (reduce) {
        for (std::size_t j = 0; j < count; ++j) residues[j] = modulus.reduce_signed(from[j]);
      } else {
        wrong = kernels<W>().to_residues(residues, from, count, t);
      }
      if (!positions.empty()) {
        for (std::size_t j = 0; j < count; ++j) limb[positions[first + j]] = residues[j];
      }
      outside.fetch_or(wrong, std::memory_order_relaxed);
    });
  });
  return !declassify(outside != 0);
}

void CpuEngine::collect(std::span<std::int64_t> values, ConstView a, std::size_t width,
                        std::span<const std::uint32_t> positions) {
  const std::uint64_t t = a.ring->basis()[0];
  with_word(a.word(), [&]<class W>(W) {
    for_each_run_of_values<W>(a.batch, width, [&](std::size_t row, std::size_t first, std::size_t count, W* staged) {
      const W* const limb = a.limb<W>(row, 0, 0);
      const W* residues = limb + first;
      if (!positions.empty()) {
        for (std::size_t j = 0; j < count; ++j) staged[j] = limb[positions[first + j]];
        residues = staged;
      }
      kernels<W>().to_values(values.data() + row * width + first, residues, count, t);
    });
  });
}

void CpuEngine::do_forward(View a) {
  loops_.for_each_limb(
      a, [&]<class W>(std::size_t, std::size_t, std::size_t l, W* x) { cpu::forward(kernels<W>(), x, *a.ring, l); });
}

void CpuEngine::do_inverse(View a) {
  loops_.for_each_limb(
      a, [&]<class W>(std::size_t, std::size_t, std::size_t l, W* x) { cpu::inverse(kernels<W>(), x, *a.ring, l); });
}

void CpuEngine::do_copy(View out, ConstView a) {
  loops_.for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
    const W* const source = a.limb<W>(b, p, l);
    if (source != x) std::memcpy(x, source, out.degree() * sizeof(W));
  });
}

void CpuEngine::do_clear(View out) {
  loops_.for_each_limb(
      out, [&]<class W>(std::size_t, std::size_t, std::size_t, W* x) { std::memset(x, 0, out.degree() * sizeof(W)); });
}

void CpuEngine::do_decompose(View out, const std::uint64_t* words, std::size_t count) {
  const std::size_t n = out.degree();
  loops_.for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
    const Modulus<W>& q = out.ring->basis().moduli<W>()[l];
    const std::uint64_t* const integers = words + (b * out.parts + p) * count * n;
    // A word of all coefficients after another: steps of one coefficient wait for each other, these don't.
    std::memset(x, 0, n * sizeof(W));
    for (std::size_t w = count; w-- > 0;) {
      for (std::size_t c = 0; c < n; ++c) x[c] = residue_with_word(x[c], integers[w * n + c], q);
    }
  });
}

void CpuEngine::do_add(View out, ConstView a, ConstView b) {
  loops_.for_each_limb(out, [&]<class W>(std::size_t i, std::size_t p, std::size_t l, W* x) {
    kernels<W>().add(x, a.limb<W>(i, p, l), b.limb<W>(i, p, l), out.degree(), out.ring->basis().moduli<W>()[l]);
  });
}

void CpuEngine::do_subtract(View out, ConstView a, ConstView b) {
  loops_.for_each_limb(out, [&]<class W>(std::size_t i, std::size_t p, std::size_t l, W* x) {
    kernels<W>().subtract(x, a.limb<W>(i, p, l), b.limb<W>(i, p, l), out.degree(), out.ring->basis().moduli<W>()[l]);
  });
}

void CpuEngine::do_negate(View out, ConstView a) {
  loops_.for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
    kernels<W>().negate(x, a.limb<W>(b, p, l), out.degree(), out.ring->basis().moduli<W>()[l]);
  });
}

void CpuEngine::do_multiply(View out, ConstView a, ConstView b) {
  loops_.for_each_limb(out, [&]<class W>(std::size_t i, std::size_t p, std::size_t l, W* x) {
    kernels<W>().multiply(x, a.limb<W>(i, p, l), b.limb<W>(i, p, l), out.degree(), out.ring->basis().moduli<W>()[l]);
  });
}

void CpuEngine::do_multiply_accumulate(View accumulator, ConstView a, ConstView b) {
  loops_.for_each_limb(accumulator, [&]<class W>(std::size_t i, std::size_t p, std::size_t l, W* x) {
    kernels<W>().multiply_accumulate(x, a.limb<W>(i, p, l), b.limb<W>(i, p, l), accumulator.degree(),
                                     accumulator.ring->basis().moduli<W>()[l]);
  });
}

void CpuEngine::do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) {
  loops_.for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
    const W q = static_cast<W>(out.ring->basis()[l]);
    kernels<W>().scale(x, a.limb<W>(b, p, l), ShoupFactor<W>(static_cast<W>(factors[l]), q), out.degree(), q);
  });
}

void CpuEngine::do_automorphism(View out, ConstView a, std::uint64_t element) {
  const GaloisGroup& galois = out.ring->galois();
  const std::size_t n = out.degree();
  if (a.domain == Domain::coefficient) {
    const cpu::CoefficientTurn turn(galois.coefficients(element));
    loops_.for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
      turn.apply(x, a.limb<W>(b, p, l), 0, n, out.ring->basis().moduli<W>()[l]);
    });
    return;
  }
  const cpu::SlotTurn turn(galois.slots(element));
  loops_.for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
    turn.apply(kernels<W>(), x, a.limb<W>(b, p, l), 0, n);
  });
}

template <class Address>
void CpuEngine::sample_sums(View out, const ErrorSums& errors, const Address& address) {
  const std::size_t n = out.degree(), count = out.batch * out.parts;
  with_word(out.word(), [&]<class W>(W) {
    loops_.in_parallel(count, count * out.limbs() * n, [&](std::size_t i) {
      const std::size_t p = i % out.parts, b = i / out.parts;
      constexpr std::size_t draws = small_draws_per_block;
      ZeroisingVector<int> drawn((errors.draws + draws - 1) / draws * draws);
      kernels<W>().sample_small(drawn.data(), 0, drawn.size(), Law::error, address(b, p, 0));
      for (std::size_t first = 0; first < n; first += cpu::conversion_tile) {
        const std::size_t width = std::min(n - first, cpu::conversion_tile);
        SmallTile small;
        std::fill_n(small.values, width, 0);
        for (std::size_t term = 0; term < errors.terms; ++term) {
          const std::uint32_t* const from = errors.addresses.data() + term * n + first;
          const int sign = ErrorSums::negative(term) ? -1 : 1;
          for (std::size_t c = 0; c < width; ++c) small.values[c] += sign * drawn[from[c]];
        }
        for (std::size_t l = 0; l < out.limbs(); ++l) {
          kernels<W>().reduce_small(out.limb<W>(b, p, l) + first, small.values, width,
                                    static_cast<W>(out.ring->basis()[l]));
        }
      }
    });
  });
}

void CpuEngine::do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) {
  const auto address = [&](std::size_t b, std::size_t p, std::size_t l) {
    return SecretAddress{{seed.words(),
                          {static_cast<std::uint32_t>(stream) << 16 | static_cast<std::uint32_t>(p),
                           first_item + static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(l)}}};
  };
  if (law == Law::uniform) {
    loops_.for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
      kernels<W>().sample_uniform(x, 0, out.degree(), static_cast<W>(out.ring->basis()[l]), address(b, p, l));
    });
    return;
  }
  if (const ErrorSums& errors = out.ring->shape()->errors(); law == Law::error && errors.terms > 1) {
    sample_sums(out, errors, address);
    return;
  }
  loops_.for_each_tile(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
    SmallTile small;
    kernels<W>().sample_small(small.values, first, width, law, address(b, p, 0));
    for (std::size_t l = 0; l < out.limbs(); ++l) {
      kernels<W>().reduce_small(out.limb<W>(b, p, l) + first, small.values, width,
                                static_cast<W>(out.ring->basis()[l]));
    }
  });
}

}  // namespace cyclotome
