/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CYCLOTOME_CYCLOTOME_H
#define CYCLOTOME_CYCLOTOME_H

#include <stddef.h>
#include <stdint.h>

/* The C interface: what bindings of other languages stand on. Everything a client needs, and arithmetic on encrypted
 * arrays of exact integers.
 *
 * Results. Every function that can fail returns a status: 0 (CYCLOTOME_OK), or why not. What went wrong, with the
 * value, the limit and the way out, is cyclotome_last_error(). No C++ exception leaves a function. What a function
 * makes it returns through its last arguments, each of which is NULL after a failure.
 *
 * Ownership. What a function makes is the caller's, who gives it to the _free function of its type once. NULL may be
 * freed. Objects hold whatever they need of each other: they can be freed in any order. What a function is given it
 * copies or holds by itself; the caller may free it at once.
 *
 * Threads. Objects don't change, so any number of threads may use one at the same time; it is freed when none does.
 * cyclotome_last_error and cyclotome_set_check belong to the calling thread.
 *
 * Wrong use. NULL for something that is needed is refused (CYCLOTOME_ARGUMENT_ERROR), and so are lengths that
 * contradict each other. What can't be seen from here is the caller's to keep: pointers that lead to as much as is
 * said, and no object after it was freed.
 *
 * Versions. CYCLOTOME_C_VERSION is raised when a program that was compiled before has to be changed. Functions and
 * status numbers are added without that; structures begin with their size and grow at their end. */

#ifdef __cplusplus
extern "C" {
#endif

#define CYCLOTOME_C_VERSION 1

/* Of the library that is linked: CYCLOTOME_C_VERSION, and "0.1.0". */
uint32_t cyclotome_c_version(void);
const char* cyclotome_version(void);

/* --- results ------------------------------------------------------------------------------------------------------ */

typedef int32_t cyclotome_status;

enum {
  CYCLOTOME_OK = 0,
  CYCLOTOME_ERROR = 1,               /* any other refusal of this library */
  CYCLOTOME_PARAMETER_ERROR = 2,     /* parameters that contradict each other */
  CYCLOTOME_SECURITY_ERROR = 3,      /* parameters below the demanded security */
  CYCLOTOME_ARGUMENT_ERROR = 4,      /* arguments that don't fit the operation: NULL, shapes, lengths */
  CYCLOTOME_MISMATCH_ERROR = 5,      /* objects of different parameters, contexts or keys */
  CYCLOTOME_MISSING_KEY_ERROR = 6,   /* a key that was not made, or not given */
  CYCLOTOME_PASSPHRASE_ERROR = 7,    /* none, or a wrong one */
  CYCLOTOME_NOISE_ERROR = 8,         /* the result could not be decrypted */
  CYCLOTOME_CONTRADICTION_ERROR = 9, /* a ciphertext that somebody altered */
  CYCLOTOME_BUDGET_ERROR = 10,       /* more than was planned for the life of a key */
  CYCLOTOME_RANGE_ERROR = 11,        /* values that don't fit */
  CYCLOTOME_UNSUPPORTED_ERROR = 12,  /* what encrypted integers don't have */
  CYCLOTOME_TRANSPARENT_ERROR = 13,  /* a result that would hide nothing */
  CYCLOTOME_FORMAT_ERROR = 14,       /* bytes that are not what they claim to be */
  CYCLOTOME_FILE_ERROR = 15,         /* a file that can't be read or written */
  CYCLOTOME_ENGINE_ERROR = 16,       /* an engine, or randomness, that is absent */
  CYCLOTOME_MEMORY_LIMIT_ERROR = 17, /* more memory than there is, told before */
  CYCLOTOME_INTERRUPTED = 18,        /* the check of cyclotome_set_check said so */
  CYCLOTOME_OUT_OF_MEMORY = 19,      /* the system refused memory */
  CYCLOTOME_INTERNAL_ERROR = 20      /* anything else: an error of this library */
};

/* "NoiseError"; "unknown status" for a number that is none. */
const char* cyclotome_status_name(cyclotome_status status);

/* What the last call that failed on this thread says; "" if none did. Valid until the next one that fails. */
const char* cyclotome_last_error(void);

/* Calls `check(data)` on this thread some ten times a second while a function of this header computes: what is not 0
 * ends the call with CYCLOTOME_INTERRUPTED. NULL: no more. */
void cyclotome_set_check(int (*check)(void* data), void* data);

/* --- bytes -------------------------------------------------------------------------------------------------------- */

/* Bytes that this library made; they may be secret, and are wiped when they are freed. A zero byte follows, which
 * doesn't count: texts can be read as such. */
typedef struct cyclotome_bytes cyclotome_bytes;
const uint8_t* cyclotome_bytes_data(const cyclotome_bytes* bytes); /* NULL of NULL */
size_t cyclotome_bytes_size(const cyclotome_bytes* bytes);         /* 0 of NULL */
void cyclotome_bytes_free(cyclotome_bytes* bytes);

/* --- parameters --------------------------------------------------------------------------------------------------- */

typedef struct cyclotome_parameters cyclotome_parameters;

/* What a computation needs. 0 stands for the usual of each; set `size` to sizeof(cyclotome_intent). */
typedef struct cyclotome_intent {
  size_t size;
  uint32_t depth;          /* products of encrypted values in a row */
  uint32_t value_bits;     /* values lie in (-2^value_bits, 2^value_bits); 0: 16 */
  uint32_t result_bits;    /* and so does everything that is computed; 0: what depth and terms imply */
  uint32_t plain_products; /* products with public values, besides */
  uint64_t terms;          /* how many values are added up at most; 0: 2^14 */
  uint64_t min_slots;      /* values that a ciphertext holds at least */
  uint32_t security;       /* 128, 192 or 256; 0: 128 */
  uint32_t word_bits;      /* of residues, 32 or 64; 0: whichever computes faster */
} cyclotome_intent;

/* The cheapest parameters that serve. */
cyclotome_status cyclotome_suggest(const cyclotome_intent* intent, cyclotome_parameters** parameters);
/* A set by its name. */
cyclotome_status cyclotome_preset(const char* name, int32_t allow_insecure, cyclotome_parameters** parameters);
/* n; values of a ciphertext; bits of security: 0 of NULL. */
size_t cyclotome_parameters_degree(const cyclotome_parameters* parameters);
size_t cyclotome_parameters_slots(const cyclotome_parameters* parameters);
uint32_t cyclotome_parameters_security(const cyclotome_parameters* parameters);
/* 32 bytes that stand for them in every key and array. */
cyclotome_status cyclotome_parameters_fingerprint(const cyclotome_parameters* parameters, uint8_t* fingerprint,
                                                  size_t size);
/* One line for people. */
cyclotome_status cyclotome_parameters_summary(const cyclotome_parameters* parameters, cyclotome_bytes** text);
cyclotome_status cyclotome_parameters_to_bytes(const cyclotome_parameters* parameters, cyclotome_bytes** bytes);
void cyclotome_parameters_free(cyclotome_parameters* parameters);

/* Parameters on this machine's cores, with their tables. */
typedef struct cyclotome_context cyclotome_context;
/* threads: 0 for one on each core. */
cyclotome_status cyclotome_context_new(const cyclotome_parameters* parameters, size_t threads,
                                       cyclotome_context** context);
void cyclotome_context_free(cyclotome_context* context);

/* --- keys --------------------------------------------------------------------------------------------------------- */

typedef struct cyclotome_secret_key cyclotome_secret_key;           /* decrypts; stays with its owner */
typedef struct cyclotome_public_key cyclotome_public_key;           /* encrypts; for everybody */
typedef struct cyclotome_evaluation_keys cyclotome_evaluation_keys; /* computes; for whoever does */

/* What the evaluating side can do. Set `size` to sizeof(cyclotome_key_options). */
typedef struct cyclotome_key_options {
  size_t size;
  int32_t no_relinearization; /* encrypted values can't be multiplied with each other */
  int32_t chosen_rotations;   /* 0: rotations that sums take, which serve all others; else those that follow */
  const int64_t* rotations;   /* steps to the left */
  size_t rotation_count;
  int32_t columns; /* of chosen rotations: the two rows of slots can be swapped as well */
} cyclotome_key_options;

/* Keys that belong together, with randomness of the system. options: NULL for the usual. */
cyclotome_status cyclotome_keygen(const cyclotome_context* context, const cyclotome_key_options* options,
                                  cyclotome_secret_key** secret, cyclotome_public_key** public_key,
                                  cyclotome_evaluation_keys** evaluation);
/* The 16 bytes that keys and arrays have which belong together. */
cyclotome_status cyclotome_public_key_id(const cyclotome_public_key* key, uint8_t* id, size_t size);
cyclotome_status cyclotome_secret_key_id(const cyclotome_secret_key* key, uint8_t* id, size_t size);
void cyclotome_secret_key_free(cyclotome_secret_key* key); /* wiped */
void cyclotome_public_key_free(cyclotome_public_key* key);
void cyclotome_evaluation_keys_free(cyclotome_evaluation_keys* keys);

/* --- encrypted arrays --------------------------------------------------------------------------------------------- */

typedef struct cyclotome_array cyclotome_array;

/* Public integers: two's complement in `words_each` words of 64 bits, the least significant first, in C order (the last
 * axis varies fastest). With words_each 1 they are int64_t. */
typedef struct cyclotome_integers {
  const uint64_t* words;
  size_t words_each;   /* at least 1 */
  size_t count;        /* values: the product of the shape */
  const size_t* shape; /* NULL: one axis of `count` values */
  size_t axes;         /* of a shape; 0: a scalar */
} cyclotome_integers;

enum { CYCLOTOME_USUAL_PLACEMENT = 0, CYCLOTOME_SLOTS = 1, CYCLOTOME_COEFFICIENTS = 2 };

/* What is stated of values in the open; it must hold for whatever may stand in their place. Set `size` to
 * sizeof(cyclotome_encryption). */
typedef struct cyclotome_encryption {
  size_t size;
  uint64_t bound;      /* the largest magnitude; 0: see bound_bits */
  uint32_t bound_bits; /* else values lie in (-2^bits, 2^bits); 0: as large as fits, which leaves no room to compute */
  int32_t from_zero;   /* no value is below 0 */
  int32_t wrap;        /* values and results are meant modulo T, and have no bound */
  int32_t placement;   /* CYCLOTOME_USUAL_PLACEMENT, ... */
  uint64_t row_bound;  /* the largest sum of magnitudes along the last axis; 0: what the bound implies */
} cyclotome_encryption;

/* how: NULL for no bound. */
cyclotome_status cyclotome_encrypt(const cyclotome_public_key* key, const cyclotome_integers* values,
                                   const cyclotome_encryption* how, cyclotome_array** array);
/* By the owner of the secret key: half the bytes, and less noise. */
cyclotome_status cyclotome_encrypt_by_owner(const cyclotome_secret_key* key, const cyclotome_integers* values,
                                            const cyclotome_encryption* how, cyclotome_array** array);
/* The values, exact, or a refusal. words: count values of `words_each` words each, of which cyclotome_array_words
 * suffice. What was decrypted, and whether it could be, is for the key's owner alone. */
cyclotome_status cyclotome_decrypt(const cyclotome_secret_key* key, const cyclotome_array* array, uint64_t* words,
                                   size_t words_each, size_t count);

/* Number of axes and values, and words that a value takes at most: 0 of NULL. */
size_t cyclotome_array_axes(const cyclotome_array* array);
size_t cyclotome_array_size(const cyclotome_array* array);
size_t cyclotome_array_words(const cyclotome_array* array);
/* The lengths of its axes; `axes` is their number. */
cyclotome_status cyclotome_array_shape(const cyclotome_array* array, size_t* shape, size_t axes);
/* Bits by which noise may grow until decryption refuses. */
cyclotome_status cyclotome_array_noise_headroom(const cyclotome_array* array, double* bits);
/* The same array that knows these keys: what products and sums over slots take. */
cyclotome_status cyclotome_array_with_keys(const cyclotome_array* array, const cyclotome_evaluation_keys* keys,
                                           cyclotome_array** result);
void cyclotome_array_free(cyclotome_array* array);

/* --- arithmetic: shapes broadcast as in NumPy; results are exact integers, or a refusal --------------------------- */

cyclotome_status cyclotome_add(const cyclotome_array* x, const cyclotome_array* y, cyclotome_array** result);
cyclotome_status cyclotome_subtract(const cyclotome_array* x, const cyclotome_array* y, cyclotome_array** result);
cyclotome_status cyclotome_multiply(const cyclotome_array* x, const cyclotome_array* y, cyclotome_array** result);
cyclotome_status cyclotome_negate(const cyclotome_array* x, cyclotome_array** result);
/* With public integers: x + w, x - w, w - x, x w; w @ x and x @ w as numpy.matmul. */
cyclotome_status cyclotome_add_plain(const cyclotome_array* x, const cyclotome_integers* w, cyclotome_array** result);
cyclotome_status cyclotome_subtract_plain(const cyclotome_array* x, const cyclotome_integers* w,
                                          cyclotome_array** result);
cyclotome_status cyclotome_subtract_from_plain(const cyclotome_integers* w, const cyclotome_array* x,
                                               cyclotome_array** result);
cyclotome_status cyclotome_multiply_plain(const cyclotome_array* x, const cyclotome_integers* w,
                                          cyclotome_array** result);
cyclotome_status cyclotome_plain_matmul(const cyclotome_integers* w, const cyclotome_array* x,
                                        cyclotome_array** result);
cyclotome_status cyclotome_matmul_plain(const cyclotome_array* x, const cyclotome_integers* w,
                                        cyclotome_array** result);
/* Over `count` axes, negative ones counted from the end; axes NULL: over all. */
cyclotome_status cyclotome_sum(const cyclotome_array* x, const int64_t* axes, size_t count, int32_t keep_axes,
                               cyclotome_array** result);
/* Item `index` along the first axis, which must number ciphertexts; items start to stop - 1; another shape. */
cyclotome_status cyclotome_item(const cyclotome_array* x, int64_t index, cyclotome_array** result);
cyclotome_status cyclotome_slice(const cyclotome_array* x, size_t start, size_t stop, cyclotome_array** result);
cyclotome_status cyclotome_reshape(const cyclotome_array* x, const size_t* shape, size_t axes,
                                   cyclotome_array** result);

/* --- objects as bytes and in files (doc/wire-format.md): what other languages write and read too -------------------
 */

/* metadata: the caller's own bytes beside an object, in the clear, up to 1 MiB; NULL and 0 for none. */
cyclotome_status cyclotome_array_to_bytes(const cyclotome_array* array, const uint8_t* metadata, size_t metadata_size,
                                          cyclotome_bytes** bytes);
cyclotome_status cyclotome_public_key_to_bytes(const cyclotome_public_key* key, cyclotome_bytes** bytes);
cyclotome_status cyclotome_evaluation_keys_to_bytes(const cyclotome_evaluation_keys* keys, cyclotome_bytes** bytes);
/* passphrase: NULL and 0 for the secret itself, which nothing protects then; else sealed under it, for which the
 * system's OpenSSL is needed. */
cyclotome_status cyclotome_secret_key_to_bytes(const cyclotome_secret_key* key, const uint8_t* passphrase,
                                               size_t passphrase_size, cyclotome_bytes** bytes);

/* What is accepted from outside. Set `size` to sizeof(cyclotome_limits); 0 stands for the usual. */
typedef struct cyclotome_limits {
  size_t size;
  uint64_t max_bytes;          /* of an object as it is stored; 0: 4 GiB */
  uint64_t max_expanded_bytes; /* of what it takes in memory; 0: 16 GiB */
  int32_t allow_insecure;      /* parameters below 128 bits of security */
} cyclotome_limits;

/* Bytes from outside, checked but for their residues, which are checked when the object in them is read. */
typedef struct cyclotome_object cyclotome_object;

/* How many of these bytes belong to the first object, which others may follow; CYCLOTOME_FORMAT_ERROR for what doesn't
 * begin as one. It may be more than are there. */
cyclotome_status cyclotome_announced_size(const uint8_t* data, size_t size, uint64_t* bytes);
/* The bytes are copied. limits: NULL for the usual. */
cyclotome_status cyclotome_object_from_bytes(const uint8_t* data, size_t size, const cyclotome_limits* limits,
                                             cyclotome_object** object);
cyclotome_status cyclotome_object_load(const char* path, const cyclotome_limits* limits, cyclotome_object** object);
/* "a public key"; NULL of NULL. It lives as long as the object, and so does the metadata. */
const char* cyclotome_object_kind(const cyclotome_object* object);
cyclotome_status cyclotome_object_metadata(const cyclotome_object* object, const uint8_t** metadata, size_t* size);
cyclotome_status cyclotome_object_parameters(const cyclotome_object* object, cyclotome_parameters** parameters);
/* What is in it, for a context of the same parameters. CYCLOTOME_FORMAT_ERROR for an object of another kind. */
cyclotome_status cyclotome_object_array(const cyclotome_object* object, const cyclotome_context* context,
                                        cyclotome_array** array);
cyclotome_status cyclotome_object_public_key(const cyclotome_object* object, const cyclotome_context* context,
                                             cyclotome_public_key** key);
cyclotome_status cyclotome_object_evaluation_keys(const cyclotome_object* object, const cyclotome_context* context,
                                                  cyclotome_evaluation_keys** keys);
cyclotome_status cyclotome_object_secret_key(const cyclotome_object* object, const cyclotome_context* context,
                                             const uint8_t* passphrase, size_t passphrase_size,
                                             cyclotome_secret_key** key);
void cyclotome_object_free(cyclotome_object* object);

/* Writes bytes that are no secret to a file: whole, or not at all. replace 0: CYCLOTOME_FILE_ERROR where there is one.
 */
cyclotome_status cyclotome_write_file(const char* path, const uint8_t* data, size_t size, int32_t replace);
/* For the owner of the file alone; a secret key that it replaces stays beside it. */
cyclotome_status cyclotome_write_secret_key(const char* path, const cyclotome_secret_key* key,
                                            const uint8_t* passphrase, size_t passphrase_size, int32_t replace);

#ifdef __cplusplus
}
#endif

#endif
