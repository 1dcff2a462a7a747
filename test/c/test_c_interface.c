/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface from C, as a program would use it and as none should. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cyclotome/cyclotome.h"

static int failures;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "line %d: %s does not hold; the last error: %s\n", line, what, cyclotome_last_error());
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
#define OK(call) check((call) == CYCLOTOME_OK, #call, __LINE__)
/* That a call is refused with this status, in words that hold `part`. */
#define REFUSED(expected, part, call)                                                               \
  do {                                                                                              \
    check((call) == (expected), #call " is refused as " #expected, __LINE__);                       \
    check(strstr(cyclotome_last_error(), (part)) != NULL, "\"" part "\" in the message", __LINE__); \
  } while (0)

/* One party with its keys. */
typedef struct {
  cyclotome_parameters* parameters;
  cyclotome_context* context;
  cyclotome_secret_key* secret;
  cyclotome_public_key* public_key;
  cyclotome_evaluation_keys* evaluation;
} party;

static party made_party(void) {
  party p = {0};
  cyclotome_intent intent = {0};
  intent.size = sizeof intent;
  intent.depth = 1;
  intent.value_bits = 10;
  intent.terms = 16;
  OK(cyclotome_suggest(&intent, &p.parameters));
  OK(cyclotome_context_new(p.parameters, 1, &p.context));
  OK(cyclotome_keygen(p.context, NULL, &p.secret, &p.public_key, &p.evaluation));
  return p;
}

/* Before what was made of it: the order is the caller's. */
static void free_party(party* p) {
  cyclotome_parameters_free(p->parameters);
  cyclotome_context_free(p->context);
  cyclotome_evaluation_keys_free(p->evaluation);
  cyclotome_public_key_free(p->public_key);
  cyclotome_secret_key_free(p->secret);
}

static cyclotome_integers row(const int64_t* values, size_t count) {
  cyclotome_integers integers = {0};
  integers.words = (const uint64_t*)values;
  integers.words_each = 1;
  integers.count = count;
  return integers;
}

static cyclotome_array* encrypted(const party* p, const int64_t* values, size_t count) {
  cyclotome_encryption how = {0};
  how.size = sizeof how;
  how.bound = 1000;
  const cyclotome_integers integers = row(values, count);
  cyclotome_array* plain = NULL;
  cyclotome_array* array = NULL;
  OK(cyclotome_encrypt(p->public_key, &integers, &how, &plain));
  OK(cyclotome_array_with_keys(plain, p->evaluation, &array));
  cyclotome_array_free(plain);
  return array;
}

static void check_values(const party* p, const cyclotome_array* array, const int64_t* expected, size_t count,
                         int line) {
  int64_t* values = malloc(count * sizeof *values);
  check(cyclotome_array_size(array) == count, "the number of values", line);
  check(cyclotome_decrypt(p->secret, array, (uint64_t*)values, 1, count) == CYCLOTOME_OK, "decryption", line);
  check(memcmp(values, expected, count * sizeof *values) == 0, "the values", line);
  free(values);
}

static void arithmetic(const party* p) {
  const int64_t a[3] = {1, -200, 1000}, b[3] = {-7, 3, 11}, w[3] = {2, 0, -5}, m[6] = {1, 2, 3, 0, -1, 1};
  cyclotome_array* x = encrypted(p, a, 3);
  cyclotome_array* y = encrypted(p, b, 3);
  const cyclotome_integers plain = row(w, 3);
  const size_t two_by_three[2] = {2, 3};
  cyclotome_integers matrix = row(m, 6);
  matrix.shape = two_by_three;
  matrix.axes = 2;
  cyclotome_array* r = NULL;
  int64_t expected[3];
#define EACH(call, value)                              \
  do {                                                 \
    OK(call);                                          \
    for (int i = 0; i < 3; ++i) expected[i] = (value); \
    check_values(p, r, expected, 3, __LINE__);         \
    cyclotome_array_free(r);                           \
  } while (0)
  EACH(cyclotome_add(x, y, &r), a[i] + b[i]);
  EACH(cyclotome_subtract(x, y, &r), a[i] - b[i]);
  EACH(cyclotome_multiply(x, y, &r), a[i] * b[i]);
  EACH(cyclotome_negate(x, &r), -a[i]);
  EACH(cyclotome_add_plain(x, &plain, &r), a[i] + w[i]);
  EACH(cyclotome_subtract_plain(x, &plain, &r), a[i] - w[i]);
  EACH(cyclotome_subtract_from_plain(&plain, x, &r), w[i] - a[i]);
  EACH(cyclotome_multiply_plain(x, &plain, &r), a[i] * w[i]);
  OK(cyclotome_plain_matmul(&matrix, x, &r));
  for (int i = 0; i < 2; ++i) expected[i] = m[3 * i] * a[0] + m[3 * i + 1] * a[1] + m[3 * i + 2] * a[2];
  check_values(p, r, expected, 2, __LINE__);
  cyclotome_array_free(r);
  OK(cyclotome_sum(x, NULL, 0, 0, &r));
  CHECK(cyclotome_array_axes(r) == 0 && cyclotome_array_size(r) == 1);
  expected[0] = a[0] + a[1] + a[2];
  check_values(p, r, expected, 1, __LINE__);
  cyclotome_array_free(r);
  cyclotome_array_free(x);
  cyclotome_array_free(y);
}

static void shapes(const party* p) {
  const int64_t values[6] = {1, 2, 3, 4, 5, 6};
  const size_t shape[2] = {2, 3}, turned[3] = {2, 1, 3};
  cyclotome_integers integers = row(values, 6);
  integers.shape = shape;
  integers.axes = 2;
  cyclotome_array *x = NULL, *r = NULL;
  cyclotome_encryption how = {0};
  how.size = sizeof how;
  how.bound_bits = 4;
  how.from_zero = 1;
  OK(cyclotome_encrypt_by_owner(p->secret, &integers, &how, &x));
  size_t found[2] = {0, 0};
  OK(cyclotome_array_shape(x, found, 2));
  CHECK(found[0] == 2 && found[1] == 3);
  double headroom = 0;
  OK(cyclotome_array_noise_headroom(x, &headroom));
  CHECK(headroom > 1);
  OK(cyclotome_item(x, -1, &r));
  check_values(p, r, values + 3, 3, __LINE__);
  cyclotome_array_free(r);
  OK(cyclotome_slice(x, 0, 1, &r));
  check_values(p, r, values, 3, __LINE__);
  cyclotome_array_free(r);
  OK(cyclotome_reshape(x, turned, 3, &r));
  CHECK(cyclotome_array_axes(r) == 3);
  cyclotome_array_free(r);
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "2 axes", cyclotome_array_shape(x, found, 3));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "NULL", cyclotome_array_noise_headroom(x, NULL));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "axes", cyclotome_reshape(x, turned, 1000, &r));
  CHECK(r == NULL);
  cyclotome_array_free(x);
}

/* Values of more than a word, and what is refused of them. */
static void wide_values(void) {
  party p = {0};
  cyclotome_intent intent = {0};
  intent.size = sizeof intent;
  intent.value_bits = 100;
  intent.result_bits = 101;
  OK(cyclotome_suggest(&intent, &p.parameters));
  OK(cyclotome_context_new(p.parameters, 1, &p.context));
  OK(cyclotome_keygen(p.context, NULL, &p.secret, &p.public_key, &p.evaluation));
  const uint64_t words[4] = {5, UINT64_C(1) << 35, UINT64_MAX, UINT64_MAX}; /* 2^99 + 5 and -1 */
  cyclotome_integers integers = {0};
  integers.words = words;
  integers.words_each = 2;
  integers.count = 2;
  cyclotome_encryption how = {0};
  how.size = sizeof how;
  how.bound_bits = 100;
  cyclotome_array* x = NULL;
  OK(cyclotome_encrypt(p.public_key, &integers, &how, &x));
  CHECK(cyclotome_array_words(x) == 2);
  uint64_t found[6] = {0};
  OK(cyclotome_decrypt(p.secret, x, found, 2, 2));
  CHECK(memcmp(found, words, sizeof words) == 0);
  OK(cyclotome_decrypt(p.secret, x, found, 3, 2));
  CHECK(found[0] == 5 && found[2] == 0 && found[3] == UINT64_MAX && found[5] == UINT64_MAX);
  REFUSED(CYCLOTOME_RANGE_ERROR, "2 words", cyclotome_decrypt(p.secret, x, found, 1, 2));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "room for 3", cyclotome_decrypt(p.secret, x, found, 2, 3));
  cyclotome_array_free(x);
  how.bound_bits = 99;
  REFUSED(CYCLOTOME_RANGE_ERROR, "", cyclotome_encrypt(p.public_key, &integers, &how, &x));
  how.bound_bits = UINT32_MAX;
  REFUSED(CYCLOTOME_RANGE_ERROR, "bits", cyclotome_encrypt(p.public_key, &integers, &how, &x));
  CHECK(x == NULL);
  free_party(&p);
}

static void wrong_use(const party* p) {
  const int64_t values[2] = {1, 2};
  cyclotome_integers integers = row(values, 2);
  cyclotome_array* x = encrypted(p, values, 2);
  cyclotome_array* r = NULL;
  cyclotome_bytes* bytes = NULL;
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "NULL was given for the public key", cyclotome_encrypt(NULL, &integers, NULL, &r));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "NULL was given for the values", cyclotome_encrypt(p->public_key, NULL, NULL, &r));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "result", cyclotome_encrypt(p->public_key, &integers, NULL, NULL));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "NULL", cyclotome_add(x, NULL, &r));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "NULL", cyclotome_multiply_plain(x, NULL, &r));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "NULL", cyclotome_decrypt(p->secret, x, NULL, 1, 2));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "NULL", cyclotome_sum(x, NULL, 3, 0, &r));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "NULL", cyclotome_preset(NULL, 0, &(cyclotome_parameters*){NULL}));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "NULL", cyclotome_array_to_bytes(x, NULL, 5, &bytes));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "32 bytes", cyclotome_parameters_fingerprint(p->parameters, (uint8_t[16]){0}, 16));
  REFUSED(CYCLOTOME_PARAMETER_ERROR, "nonsense", cyclotome_preset("nonsense", 0, &(cyclotome_parameters*){NULL}));
  integers.words = NULL;
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "NULL", cyclotome_encrypt(p->public_key, &integers, NULL, &r));
  integers = row(values, 0);
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "", cyclotome_encrypt(p->public_key, &integers, NULL, &r));
  integers = row(values, 2);
  integers.words_each = 0;
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "words_each 0", cyclotome_encrypt(p->public_key, &integers, NULL, &r));
  integers.words_each = SIZE_MAX / 8;
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "memory", cyclotome_encrypt(p->public_key, &integers, NULL, &r));
  integers = row(values, 2);
  const size_t shape[2] = {3, 1};
  integers.shape = shape;
  integers.axes = 2;
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "holds 3", cyclotome_encrypt(p->public_key, &integers, NULL, &r));
  const size_t vast[3] = {SIZE_MAX, SIZE_MAX, 2};
  integers.shape = vast;
  integers.axes = 3;
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "", cyclotome_encrypt(p->public_key, &integers, NULL, &r));
  integers.axes = SIZE_MAX;
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "axes", cyclotome_encrypt(p->public_key, &integers, NULL, &r));
  integers = row(values, 2);
  cyclotome_encryption how = {0}; /* without its size */
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "sizeof", cyclotome_encrypt(p->public_key, &integers, &how, &r));
  how.size = sizeof how + 8; /* of a later version */
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "sizeof", cyclotome_encrypt(p->public_key, &integers, &how, &r));
  how.size = sizeof how;
  how.placement = 17;
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "17", cyclotome_encrypt(p->public_key, &integers, &how, &r));
  how.placement = CYCLOTOME_SLOTS;
  how.bound = 1;
  REFUSED(CYCLOTOME_RANGE_ERROR, "", cyclotome_encrypt(p->public_key, &integers, &how, &r));
  how.bound_bits = 3;
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "twice", cyclotome_encrypt(p->public_key, &integers, &how, &r));
  /* An older program's options end before what it does not know. */
  how.bound_bits = 0;
  how.bound = 5;
  how.row_bound = 1; /* would refuse {1, 2} */
  how.size = offsetof(cyclotome_encryption, row_bound);
  OK(cyclotome_encrypt(p->public_key, &integers, &how, &r));
  check_values(p, r, values, 2, __LINE__);
  cyclotome_array_free(r);
  /* Keys of somebody else. */
  party other = made_party();
  int64_t found[2];
  REFUSED(CYCLOTOME_MISMATCH_ERROR, "", cyclotome_decrypt(other.secret, x, (uint64_t*)found, 1, 2));
  free_party(&other);
  /* Nothing of nothing. */
  CHECK(cyclotome_array_size(NULL) == 0 && cyclotome_parameters_degree(NULL) == 0);
  CHECK(cyclotome_bytes_data(NULL) == NULL && cyclotome_object_kind(NULL) == NULL);
  cyclotome_array_free(NULL);
  cyclotome_bytes_free(NULL);
  cyclotome_secret_key_free(NULL);
  CHECK(strcmp(cyclotome_status_name(CYCLOTOME_NOISE_ERROR), "NoiseError") == 0);
  CHECK(strcmp(cyclotome_status_name(-1), "unknown status") == 0);
  CHECK(strcmp(cyclotome_status_name(99), "unknown status") == 0);
  CHECK(cyclotome_c_version() == CYCLOTOME_C_VERSION && strchr(cyclotome_version(), '.') != NULL);
  cyclotome_array_free(x);
}

static cyclotome_object* object_of(const cyclotome_bytes* bytes) {
  cyclotome_object* object = NULL;
  OK(cyclotome_object_from_bytes(cyclotome_bytes_data(bytes), cyclotome_bytes_size(bytes), NULL, &object));
  return object;
}

static void files(const party* p, const char* folder) {
  const int64_t values[2] = {31, -41};
  cyclotome_array* x = encrypted(p, values, 2);
  cyclotome_bytes *bytes = NULL, *text = NULL;
  const uint8_t note[] = "{\"note\": {\"by\": \"C\"}}";
  OK(cyclotome_array_to_bytes(x, note, sizeof note - 1, &bytes));
  uint64_t announced = 0;
  OK(cyclotome_announced_size(cyclotome_bytes_data(bytes), cyclotome_bytes_size(bytes), &announced));
  CHECK(announced == cyclotome_bytes_size(bytes));
  CHECK(cyclotome_bytes_data(bytes)[cyclotome_bytes_size(bytes)] == 0);

  char path[4096];
  snprintf(path, sizeof path, "%s/x.ct", folder);
  OK(cyclotome_write_file(path, cyclotome_bytes_data(bytes), cyclotome_bytes_size(bytes), 1));
  REFUSED(CYCLOTOME_FILE_ERROR, "x.ct",
          cyclotome_write_file(path, cyclotome_bytes_data(bytes), cyclotome_bytes_size(bytes), 0));
  cyclotome_object* object = NULL;
  OK(cyclotome_object_load(path, NULL, &object));
  const uint8_t* metadata = NULL;
  size_t size = 0;
  OK(cyclotome_object_metadata(object, &metadata, &size));
  CHECK(size == sizeof note - 1 && memcmp(metadata, note, size) == 0);
  /* The same, read by a context of its own, as another program would. */
  cyclotome_parameters* parameters = NULL;
  cyclotome_context* context = NULL;
  cyclotome_array* y = NULL;
  OK(cyclotome_object_parameters(object, &parameters));
  OK(cyclotome_context_new(parameters, 1, &context));
  OK(cyclotome_object_array(object, p->context, &y));
  check_values(p, y, values, 2, __LINE__);
  cyclotome_public_key* key = NULL;
  REFUSED(CYCLOTOME_FORMAT_ERROR, "", cyclotome_object_public_key(object, context, &key));
  CHECK(key == NULL);
  cyclotome_object_free(object);
  cyclotome_array_free(y);

  /* Every byte of the header, and some others, forged; every short length. */
  uint8_t* forged = malloc(cyclotome_bytes_size(bytes));
  for (size_t at = 0; at < cyclotome_bytes_size(bytes); at += at < 64 ? 1 : 9973) {
    memcpy(forged, cyclotome_bytes_data(bytes), cyclotome_bytes_size(bytes));
    forged[at] ^= 0x5a;
    CHECK(cyclotome_object_from_bytes(forged, cyclotome_bytes_size(bytes), NULL, &object) != CYCLOTOME_OK);
    CHECK(object == NULL && cyclotome_last_error()[0] != 0);
  }
  free(forged);
  for (size_t length = 0; length < 64; ++length) {
    REFUSED(CYCLOTOME_FORMAT_ERROR, "",
            cyclotome_object_from_bytes(cyclotome_bytes_data(bytes), length, NULL, &object));
  }
  cyclotome_limits limits = {0};
  limits.size = sizeof limits;
  limits.max_bytes = 100;
  REFUSED(CYCLOTOME_FORMAT_ERROR, "100",
          cyclotome_object_from_bytes(cyclotome_bytes_data(bytes), cyclotome_bytes_size(bytes), &limits, &object));
  REFUSED(CYCLOTOME_FILE_ERROR, "nowhere", cyclotome_object_load("/nowhere/x.ct", NULL, &object));
  REFUSED(CYCLOTOME_ARGUMENT_ERROR, "path", cyclotome_object_load(NULL, NULL, &object));
  cyclotome_bytes_free(bytes);

  /* Keys there and back. */
  uint8_t id[16], again[16];
  OK(cyclotome_public_key_id(p->public_key, id, sizeof id));
  OK(cyclotome_public_key_to_bytes(p->public_key, &bytes));
  object = object_of(bytes);
  CHECK(strcmp(cyclotome_object_kind(object), "a public key") == 0);
  OK(cyclotome_object_public_key(object, context, &key));
  OK(cyclotome_public_key_id(key, again, sizeof again));
  CHECK(memcmp(id, again, sizeof id) == 0);
  cyclotome_public_key_free(key);
  cyclotome_object_free(object);
  cyclotome_bytes_free(bytes);
  cyclotome_secret_key* secret = NULL;
  snprintf(path, sizeof path, "%s/secret.key", folder);
  OK(cyclotome_write_secret_key(path, p->secret, NULL, 0, 0));
  REFUSED(CYCLOTOME_FILE_ERROR, "secret.key", cyclotome_write_secret_key(path, p->secret, NULL, 0, 0));
  OK(cyclotome_object_load(path, NULL, &object));
  OK(cyclotome_object_secret_key(object, p->context, NULL, 0, &secret));
  int64_t found[2] = {0, 0};
  OK(cyclotome_decrypt(secret, x, (uint64_t*)found, 1, 2));
  CHECK(found[0] == 31 && found[1] == -41);
  cyclotome_secret_key_free(secret);
  cyclotome_object_free(object);
  /* Under a passphrase, where the system has OpenSSL. */
  const uint8_t phrase[] = "correct horse", wrong[] = "battery";
  const cyclotome_status sealed = cyclotome_secret_key_to_bytes(p->secret, phrase, sizeof phrase - 1, &bytes);
  CHECK(sealed == CYCLOTOME_OK || sealed == CYCLOTOME_ENGINE_ERROR);
  if (sealed == CYCLOTOME_OK) {
    object = object_of(bytes);
    REFUSED(CYCLOTOME_PASSPHRASE_ERROR, "", cyclotome_object_secret_key(object, p->context, NULL, 0, &secret));
    REFUSED(CYCLOTOME_PASSPHRASE_ERROR, "",
            cyclotome_object_secret_key(object, p->context, wrong, sizeof wrong - 1, &secret));
    OK(cyclotome_object_secret_key(object, p->context, phrase, sizeof phrase - 1, &secret));
    cyclotome_secret_key_free(secret);
    cyclotome_object_free(object);
    cyclotome_bytes_free(bytes);
  }
  OK(cyclotome_parameters_summary(p->parameters, &text));
  CHECK(strstr((const char*)cyclotome_bytes_data(text), "bfv n=") != NULL);
  cyclotome_bytes_free(text);
  cyclotome_parameters_free(parameters);
  cyclotome_context_free(context);
  cyclotome_array_free(x);
}

static int always(void* data) {
  ++*(int*)data;
  return 1;
}

/* Shared objects on several threads, each with a last error of its own. */
typedef struct {
  const party* p;
  const cyclotome_array* x;
  int number;
} job;

static void* worked(void* data) {
  const job* j = data;
  CHECK(cyclotome_last_error()[0] == 0); /* of a new thread */
  for (int i = 0; i < 3; ++i) {
    cyclotome_array* r = NULL;
    OK(cyclotome_multiply(j->x, j->x, &r));
    const int64_t squares[2] = {9, 16};
    check_values(j->p, r, squares, 2, __LINE__);
    cyclotome_array_free(r);
    char name[32];
    snprintf(name, sizeof name, "preset %d", j->number);
    cyclotome_parameters* none = NULL;
    CHECK(cyclotome_preset(name, 0, &none) == CYCLOTOME_PARAMETER_ERROR);
    CHECK(strstr(cyclotome_last_error(), name) != NULL);
  }
  return NULL;
}

static void threads(const party* p) {
  const int64_t values[2] = {3, -4};
  cyclotome_array* x = encrypted(p, values, 2);
  pthread_t thread[3];
  job jobs[3];
  for (int i = 0; i < 3; ++i) {
    jobs[i] = (job){p, x, i};
    CHECK(pthread_create(&thread[i], NULL, worked, &jobs[i]) == 0);
  }
  for (int i = 0; i < 3; ++i) pthread_join(thread[i], NULL);
  cyclotome_array_free(x);
}

static void interruption(void) {
  cyclotome_intent intent = {0};
  intent.size = sizeof intent;
  intent.depth = 4;
  intent.value_bits = 2;
  intent.result_bits = 40;
  cyclotome_parameters* parameters = NULL;
  cyclotome_context* context = NULL;
  OK(cyclotome_suggest(&intent, &parameters));
  OK(cyclotome_context_new(parameters, 1, &context));
  int asked = 0;
  cyclotome_secret_key* secret = NULL;
  cyclotome_public_key* public_key = NULL;
  cyclotome_evaluation_keys* evaluation = NULL;
  cyclotome_set_check(always, &asked);
  /* Asked every tenth of a second: a fast machine may have made keys by then. */
  cyclotome_status ended = CYCLOTOME_OK;
  for (int i = 0; i < 100 && ended == CYCLOTOME_OK; ++i) {
    ended = cyclotome_keygen(context, NULL, &secret, &public_key, &evaluation);
    if (ended != CYCLOTOME_OK) break;
    cyclotome_secret_key_free(secret);
    cyclotome_public_key_free(public_key);
    cyclotome_evaluation_keys_free(evaluation);
  }
  CHECK(ended == CYCLOTOME_INTERRUPTED);
  CHECK(asked == 1 && secret == NULL && public_key == NULL && evaluation == NULL);
  cyclotome_set_check(NULL, NULL);
  cyclotome_context_free(context);
  cyclotome_parameters_free(parameters);
}

int main(int count, char** arguments) {
  CHECK(cyclotome_last_error()[0] == 0);
  party p = made_party();
  arithmetic(&p);
  shapes(&p);
  wide_values();
  wrong_use(&p);
  threads(&p);
  interruption();
  if (count > 1) files(&p, arguments[1]);
  free_party(&p);
  if (failures == 0) puts("the C interface does what it says");
  return failures == 0 ? 0 : 1;
}
