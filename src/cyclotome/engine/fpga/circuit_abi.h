/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiled circuit, or the driver of a real board, offers as a shared library. C only; an instance is a board.
 *
 * Words are residues in [0, p) of polynomials of N = degree coefficients; arrays of `count` polynomials lie one after
 * another. Functions that return int return 0 when all went well, otherwise a code of the library's own whose text
 * cyclotome_circuit_error gives. An instance is not thread-safe; several instances may work at once. */
#ifndef CYCLOTOME_CIRCUIT_ABI_H
#define CYCLOTOME_CIRCUIT_ABI_H

#include <stdint.h>

/* The version of this interface; cyclotome_circuit_info.abi of a library that implements it. */
#define CYCLOTOME_CIRCUIT_ABI 1

/* Bits of cyclotome_circuit_info.operations. */
#define CYCLOTOME_CIRCUIT_PRODUCT UINT32_C(1)        /* multiply */
#define CYCLOTOME_CIRCUIT_FORWARD UINT32_C(2)        /* forward */
#define CYCLOTOME_CIRCUIT_INVERSE UINT32_C(4)        /* inverse */
#define CYCLOTOME_CIRCUIT_SEVERAL_PRIMES UINT32_C(8) /* multiply_each */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cyclotome_circuit cyclotome_circuit;

typedef struct {
  uint32_t abi;        /* CYCLOTOME_CIRCUIT_ABI */
  uint32_t degree;     /* N, a power of two */
  uint32_t pipes;      /* parallel lanes of butterflies, in the design's own counting */
  uint32_t word_bits;  /* moduli lie below 2^word_bits */
  uint32_t operations; /* CYCLOTOME_CIRCUIT_... */
  const char* design;  /* name of the design, such as "iterative" */
} cyclotome_circuit_info;

/* What this library is; valid while it is loaded. */
const cyclotome_circuit_info* cyclotome_circuit_describe(void);

/* A board without tables; NULL: out of memory. */
cyclotome_circuit* cyclotome_circuit_create(void);
void cyclotome_circuit_destroy(cyclotome_circuit*);

/* Loads the tables of a prime p = 1 mod 2N and psi, a primitive 2N-th root of unity modulo p; earlier ones are gone. */
int cyclotome_circuit_load(cyclotome_circuit*, uint64_t modulus, uint64_t psi);

/* out = a b modulo (x^N + 1, p), `count` times one after another; coefficients in natural order.
 * *ticks: clock ticks from the first input word in to the last output word out, as counted by the circuit.
 * *interval: ticks between one result and the next when the circuit is full; 0 when count is 1.
 * `out` must not overlap an operand. */
int cyclotome_circuit_multiply(cyclotome_circuit*, uint64_t count, const uint64_t* a, const uint64_t* b, uint64_t* out,
                               uint64_t* ticks, uint64_t* interval);

/* Only with CYCLOTOME_CIRCUIT_SEVERAL_PRIMES: product k is modulo moduli[k], with roots[k], and its tables are written
 * while earlier products are in flight. What was loaded is gone afterwards. */
int cyclotome_circuit_multiply_each(cyclotome_circuit*, uint64_t count, const uint64_t* moduli, const uint64_t* roots,
                                    const uint64_t* a, const uint64_t* b, uint64_t* out, uint64_t* ticks,
                                    uint64_t* interval);

/* Negacyclic transform of a, natural order in, bit-reversed order out: out[k] = a(psi^(2 br(k) + 1)); and back. */
int cyclotome_circuit_forward(cyclotome_circuit*, uint64_t count, const uint64_t* a, uint64_t* out, uint64_t* ticks,
                              uint64_t* interval);
int cyclotome_circuit_inverse(cyclotome_circuit*, uint64_t count, const uint64_t* a, uint64_t* out, uint64_t* ticks,
                              uint64_t* interval);

/* Why the last call on this instance failed; valid until its next call. */
const char* cyclotome_circuit_error(const cyclotome_circuit*);

#ifdef __cplusplus
}
#endif

#endif
