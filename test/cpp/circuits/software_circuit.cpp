// SPDX-License-Identifier: Apache-2.0
// A circuit in software, straight from the definitions: schoolbook products, transforms as evaluations. What it counts
// follows no design, only a rule that tests can check: a result leaves `fill` ticks after the first input word, further
// ones `interval` ticks apart.
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "cyclotome/engine/fpga/circuit_abi.h"

#ifndef DEGREE
#define DEGREE 128
#endif
#ifndef WORD_BITS
#define WORD_BITS 63
#endif
#ifndef ABI
#define ABI CYCLOTOME_CIRCUIT_ABI
#endif
#ifndef FAILS_AFTER
#define FAILS_AFTER 0  // never
#endif

namespace {

constexpr std::size_t n = DEGREE;
constexpr cyclotome_circuit_info info = {ABI, DEGREE, 2, WORD_BITS, OPERATIONS, "software"};

__extension__ using u128 = unsigned __int128;

std::uint64_t power(std::uint64_t base, std::uint64_t exponent, std::uint64_t p) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = static_cast<std::uint64_t>(static_cast<u128>(result) * base % p);
    base = static_cast<std::uint64_t>(static_cast<u128>(base) * base % p);
  }
  return result;
}

/// 2 br(k) + 1: the exponent of psi at place k of a transform.
std::size_t exponent_at(std::size_t k) {
  std::size_t reversed = 0;
  for (std::size_t bit = 1; bit < n; bit *= 2) reversed = 2 * reversed + ((k & bit) != 0 ? 1 : 0);
  return 2 * reversed + 1;
}

}  // namespace

struct cyclotome_circuit {
  std::uint64_t p = 0, psi = 0;
  std::uint64_t calls = 0;
  std::string error;

  int refuse(const char* why) {
    error = why;
    return 1;
  }
  bool fails() { return FAILS_AFTER != 0 && ++calls > FAILS_AFTER; }
  std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const {
    return static_cast<std::uint64_t>(static_cast<u128>(a) * b % p);
  }
};

extern "C" {

const cyclotome_circuit_info* cyclotome_circuit_describe(void) { return &info; }
cyclotome_circuit* cyclotome_circuit_create(void) { return new (std::nothrow) cyclotome_circuit; }
void cyclotome_circuit_destroy(cyclotome_circuit* circuit) { delete circuit; }
const char* cyclotome_circuit_error(const cyclotome_circuit* circuit) { return circuit->error.c_str(); }

int cyclotome_circuit_load(cyclotome_circuit* circuit, std::uint64_t modulus, std::uint64_t psi) {
  if (modulus < 2 || power(psi, n, modulus) != modulus - 1) return circuit->refuse("psi^n is not -1");
  circuit->p = modulus;
  circuit->psi = psi;
  return 0;
}

int cyclotome_circuit_multiply(cyclotome_circuit* circuit, std::uint64_t count, const std::uint64_t* a,
                               const std::uint64_t* b, std::uint64_t* out, std::uint64_t* ticks,
                               std::uint64_t* interval) {
  if (circuit->fails()) return circuit->refuse("a fuse has blown");
  const std::uint64_t p = circuit->p;
  for (std::size_t item = 0; item < count; ++item, a += n, b += n, out += n) {
    for (std::size_t k = 0; k < n; ++k) out[k] = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::uint64_t term = circuit->multiply(a[i], b[j]);
        std::uint64_t& sum = out[(i + j) % n];
        sum = (i + j < n ? sum + term : sum + (p - term)) % p;
      }
    }
  }
  *interval = count > 1 ? 3 * n : 0;
  *ticks = 10 * n + (count - 1) * 3 * n;
  return 0;
}

int cyclotome_circuit_multiply_each(cyclotome_circuit* circuit, std::uint64_t count, const std::uint64_t* moduli,
                                    const std::uint64_t* roots, const std::uint64_t* a, const std::uint64_t* b,
                                    std::uint64_t* out, std::uint64_t* ticks, std::uint64_t* interval) {
  for (std::size_t k = 0; k < count; ++k) {
    if (const int code = cyclotome_circuit_load(circuit, moduli[k], roots[k]); code != 0) return code;
    if (const int code = cyclotome_circuit_multiply(circuit, 1, a + k * n, b + k * n, out + k * n, ticks, interval);
        code != 0) {
      return code;
    }
  }
  *interval = count > 1 ? 2 * n : 0;
  *ticks = 10 * n + (count - 1) * 2 * n;
  return 0;
}

int cyclotome_circuit_forward(cyclotome_circuit* circuit, std::uint64_t count, const std::uint64_t* a,
                              std::uint64_t* out, std::uint64_t* ticks, std::uint64_t* interval) {
  for (std::size_t item = 0; item < count; ++item, a += n, out += n) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint64_t x = power(circuit->psi, exponent_at(k), circuit->p);
      std::uint64_t value = 0;
      for (std::size_t i = n; i-- > 0;) value = (circuit->multiply(value, x) + a[i]) % circuit->p;
      out[k] = value;
    }
  }
  *interval = count > 1 ? n : 0;
  *ticks = 4 * n + (count - 1) * n;
  return 0;
}

int cyclotome_circuit_inverse(cyclotome_circuit* circuit, std::uint64_t count, const std::uint64_t* a,
                              std::uint64_t* out, std::uint64_t* ticks, std::uint64_t* interval) {
  const std::uint64_t p = circuit->p, scale = power(n, p - 2, p);
  for (std::size_t item = 0; item < count; ++item, a += n, out += n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint64_t step = power(circuit->psi, 2 * n - exponent_at(k), p);
      std::uint64_t x = circuit->multiply(scale, a[k]);
      for (std::size_t i = 0; i < n; ++i) {
        out[i] = (out[i] + x) % p;
        x = circuit->multiply(x, step);
      }
    }
  }
  *interval = count > 1 ? n : 0;
  *ticks = 5 * n + (count - 1) * n;
  return 0;
}

}  // extern "C"
