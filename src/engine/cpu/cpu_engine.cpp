// SPDX-License-Identifier: Apache-2.0
// Memory, loops over threads, and the verbs that work limb by limb. Those that work across limbs: across_limbs.cpp.
#include "cyclotome/engine/cpu/cpu_engine.hpp"

#include <sched.h>

#include <cstring>

#include "cyclotome/engine/cpu/loops.hpp"
#include "cyclotome/engine/cpu/sample.hpp"
#include "cyclotome/engine/cpu/transform.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/secure_memory.hpp"

namespace cyclotome {

namespace {

std::size_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

class CpuBuffer final : public Buffer {
 public:
  CpuBuffer(std::shared_ptr<Engine> engine, cpu::MemoryPool& pool, void* block, std::size_t capacity, std::size_t bytes,
            bool secret)
      : Buffer(block, bytes, secret), engine_(std::move(engine)), pool_(pool), capacity_(capacity) {}
  ~CpuBuffer() override {
    if (secret()) secure_zero(data(), bytes());
    pool_.release(data(), capacity_);
  }

 private:
  std::shared_ptr<Engine> engine_;  // keeps the pool alive
  cpu::MemoryPool& pool_;
  std::size_t capacity_;
};

}  // namespace

std::shared_ptr<CpuEngine> CpuEngine::create(std::size_t threads) {
  if (threads > 1024) throw ArgumentError(message(threads, " threads were asked for; at most 1024 are possible"));
  return std::shared_ptr<CpuEngine>(new CpuEngine(threads == 0 ? usable_cores() : threads));
}

std::unique_ptr<Buffer> CpuEngine::allocate(std::size_t bytes, bool secret) {
  std::size_t capacity = 0;
  void* const block = memory_.acquire(bytes, capacity);
  return std::make_unique<CpuBuffer>(shared_from_this(), memory_, block, capacity, bytes, secret);
}

void CpuEngine::upload(void* destination, const void* host, std::size_t bytes) { std::memcpy(destination, host, bytes); }
void CpuEngine::download(void* host, const void* source, std::size_t bytes) { std::memcpy(host, source, bytes); }

void CpuEngine::do_forward(View a) {
  for_each_limb(a, [&]<class W>(std::size_t, std::size_t, std::size_t l, W* x) {
    cpu::forward_transform(x, a.ring->tables<W>(l));
  });
}

void CpuEngine::do_inverse(View a) {
  for_each_limb(a, [&]<class W>(std::size_t, std::size_t, std::size_t l, W* x) {
    cpu::inverse_transform(x, a.ring->tables<W>(l));
  });
}

void CpuEngine::do_copy(View out, ConstView a) {
  for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
    const W* const source = a.limb<W>(b, p, l);
    if (source != x) std::memcpy(x, source, out.degree() * sizeof(W));
  });
}

void CpuEngine::do_clear(View out) {
  for_each_limb(out, [&]<class W>(std::size_t, std::size_t, std::size_t, W* x) {
    std::memset(x, 0, out.degree() * sizeof(W));
  });
}

void CpuEngine::do_add(View out, ConstView a, ConstView b) {
  for_each_limb(out, [&]<class W>(std::size_t i, std::size_t p, std::size_t l, W* x) {
    const W *y = a.limb<W>(i, p, l), *z = b.limb<W>(i, p, l);
    const Modulus<W> q = out.ring->basis().moduli<W>()[l];
    for (std::size_t c = 0; c < out.degree(); ++c) x[c] = q.add(y[c], z[c]);
  });
}

void CpuEngine::do_subtract(View out, ConstView a, ConstView b) {
  for_each_limb(out, [&]<class W>(std::size_t i, std::size_t p, std::size_t l, W* x) {
    const W *y = a.limb<W>(i, p, l), *z = b.limb<W>(i, p, l);
    const Modulus<W> q = out.ring->basis().moduli<W>()[l];
    for (std::size_t c = 0; c < out.degree(); ++c) x[c] = q.subtract(y[c], z[c]);
  });
}

void CpuEngine::do_negate(View out, ConstView a) {
  for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
    const W* const y = a.limb<W>(b, p, l);
    const Modulus<W> q = out.ring->basis().moduli<W>()[l];
    for (std::size_t c = 0; c < out.degree(); ++c) x[c] = q.negate(y[c]);
  });
}

void CpuEngine::do_multiply(View out, ConstView a, ConstView b) {
  for_each_limb(out, [&]<class W>(std::size_t i, std::size_t p, std::size_t l, W* x) {
    const W *y = a.limb<W>(i, p, l), *z = b.limb<W>(i, p, l);
    const Modulus<W> q = out.ring->basis().moduli<W>()[l];
    for (std::size_t c = 0; c < out.degree(); ++c) x[c] = q.multiply(y[c], z[c]);
  });
}

void CpuEngine::do_multiply_accumulate(View accumulator, ConstView a, ConstView b) {
  for_each_limb(accumulator, [&]<class W>(std::size_t i, std::size_t p, std::size_t l, W* x) {
    const W *y = a.limb<W>(i, p, l), *z = b.limb<W>(i, p, l);
    const Modulus<W> q = accumulator.ring->basis().moduli<W>()[l];
    for (std::size_t c = 0; c < accumulator.degree(); ++c) x[c] = q.add(x[c], q.multiply(y[c], z[c]));
  });
}

void CpuEngine::do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) {
  for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
    const W* const y = a.limb<W>(b, p, l);
    const W q = static_cast<W>(out.ring->basis()[l]);
    const ShoupFactor<W> factor(static_cast<W>(factors[l]), q);
    for (std::size_t c = 0; c < out.degree(); ++c) x[c] = factor.multiply(y[c], q);
  });
}

void CpuEngine::do_automorphism(View out, ConstView a, std::uint64_t element) {
  const std::size_t n = out.degree();
  const unsigned bits = bit_length(n) - 1;
  for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
    const W* const y = a.limb<W>(b, p, l);
    const Modulus<W> q = out.ring->basis().moduli<W>()[l];
    if (a.domain == Domain::coefficient) {
      for (std::size_t i = 0, exponent = 0; i < n; ++i, exponent = (exponent + element) & (2 * n - 1)) {
        // x^n = -1: an exponent in [n, 2n) changes the sign.
        x[exponent & (n - 1)] = exponent < n ? y[i] : q.negate(y[i]);
      }
    } else {
      // Slot k holds a(psi^(2 br(k) + 1)); its new value stands where the exponent is element times that one.
      for (std::size_t k = 0; k < n; ++k) {
        const std::uint64_t exponent = ((2 * reverse_bits(k, bits) + 1) * element) & (2 * n - 1);
        x[k] = y[reverse_bits(exponent >> 1, bits)];
      }
    }
  });
}

void CpuEngine::do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) {
  const auto address = [&](std::size_t b, std::size_t p, std::size_t l) {
    return cpu::StreamAddress{seed.words(),
                              {static_cast<std::uint32_t>(stream) << 16 | static_cast<std::uint32_t>(p),
                               first_item + static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(l)}};
  };
  if (law == Law::uniform) {
    for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
      cpu::sample_uniform(x, 0, out.degree(), static_cast<W>(out.ring->basis()[l]), address(b, p, l));
    });
    return;
  }
  for_each_tile(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
    int small[cpu::conversion_tile];
    cpu::sample_small(small, first, width, law, address(b, p, 0));
    for (std::size_t l = 0; l < out.limbs(); ++l) {
      W* const x = out.limb<W>(b, p, l) + first;
      const W q = static_cast<W>(out.ring->basis()[l]);
      for (std::size_t c = 0; c < width; ++c) x[c] = small_residue(small[c], q);
    }
    secure_zero(small, sizeof(small));
  });
}

}  // namespace cyclotome
