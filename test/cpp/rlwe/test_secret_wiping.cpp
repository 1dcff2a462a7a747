// SPDX-License-Identifier: Apache-2.0
// Nothing of a secret key, a message or a phase is left in the process's memory when its owners are gone: after all
// that touches them, and after an exception at any place where memory is asked for.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "bfv_fixture.hpp"
#include "check.hpp"
#include "cyclotome/io/keys/keys_io.hpp"
#include "cyclotome/rlwe/keys/encryption.hpp"
#include "cyclotome/rlwe/keys/seed_derivation.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/deterministic.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "memory_scan.hpp"

namespace {

// Requests for memory until one is refused; negative: none is.
std::atomic<long> requests_left{-1};
std::atomic<long> requests{0};

}  // namespace

// Not inlined: the compiler would take what is freed below for memory of another kind.
__attribute__((noinline)) void* operator new(std::size_t bytes) {
  ++requests;
  if (requests_left >= 0 && requests_left-- == 0) throw std::bad_alloc();
  if (void* const data = std::malloc(bytes)) return data;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* data) noexcept { std::free(data); }
__attribute__((noinline)) void operator delete(void* data, std::size_t) noexcept { std::free(data); }

namespace {

using namespace cyclotome;
using check::MemoryScan;
using check::Values;

rlwe::ContextPtr make_context(const rlwe::Scheme* scheme, Word word, std::size_t threads) {
  rlwe::ParametersLiteral p = check::literal(word, 1);
  p.scheme = scheme;
  return scheme::make_context(rlwe::Parameters(p), CpuEngine::create(threads));
}

// Values that the caller of the library owns, and so the test wipes.
struct Owned {
  Values values;
  ~Owned() { secure_zero(values.data(), values.size() * sizeof(values[0])); }
};

// A seed of bytes that nothing else in memory is like.
Seed distinct(std::uint8_t which) {
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(which + 151 * i + i * i * i);
  Seed seed(bytes);
  secure_zero(bytes.data(), bytes.size());
  return seed;
}

Owned message(std::size_t n) { return {check::numbers(n, 12345)}; }

// All that the owner of keys and messages does, whose intermediate results `scan` (if there is one) looks for then.
void work(const rlwe::ContextPtr& context, MemoryScan* scan) {
  const std::size_t n = context->degree();
  const rlwe::SecretKey key = rlwe::deterministic::generate_secret_key(context, distinct(77));
  const rlwe::PublicKey public_key = rlwe::deterministic::generate_public_key(key, distinct(78));
  const rlwe::EvaluationKeys evaluation = rlwe::deterministic::generate_evaluation_keys(key, true, {3}, distinct(79));
  const Owned owned = message(n);
  const rlwe::Plaintext plain =
      encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, owned.values, 1, n);
  const rlwe::Ciphertext encrypted = scheme::deterministic::encrypt(plain, public_key, distinct(80));
  const rlwe::Ciphertext symmetric = scheme::deterministic::encrypt(plain, key, distinct(81));
  for (const auto* ciphertext : {&encrypted, &symmetric}) {
    const Owned decoded{decode_residues(scheme::decrypt(*ciphertext, key), Encoding::Kind::slots)};
    CHECK(decoded.values == owned.values);
  }
  const Owned revealed{
      decode_residues(scheme::deterministic::reveal(encrypted, key, 8, distinct(82)), Encoding::Kind::slots)};
  CHECK_EQ(scheme::noise_budget(encrypted, key).size(), 1U);
  const io::Bytes bytes = io::serialize(key);
  const io::Container container(bytes, {.allow_insecure = true});
  const rlwe::SecretKey read = io::read_secret_key(container, context);
  if (scan == nullptr) return;
  scan->look_for("coefficients", key.coefficients());
  scan->look_for("stored", container.payload()[0].bytes);
  scan->look_for("transform", key.over_key_ring().data,
                 key.over_key_ring().degree() * bytes_of(context->key_ring()->word()));
  const Seed seed = distinct(77);
  scan->look_for("seed", seed.bytes());
  const Seed derived = rlwe::derive_seed(seed, context->parameters(), {.purpose = rlwe::Purpose::secret_key});
  scan->look_for("derived seed", derived.bytes());
  scan->look_for("values", owned.values);
  scan->look_for("message", plain.polynomials().view().data, plain.polynomials().bytes());
  PolyArray slots = plain.polynomials().clone();
  ZeroisingVector<std::uint64_t> wide(slots.size());
  slots.to_host(wide);
  scan->look_for("message, wide", wide);
  slots.to_transform().to_host(wide);
  scan->look_for("slots, wide", wide);
  scan->look_for("slots", slots.view().data, slots.bytes());
  const PolyArray phase = rlwe::phase(key, encrypted);
  scan->look_for("phase", phase.view().data, n * bytes_of(phase.word()));
}

const rlwe::Scheme* const schemes[] = {&bfv::scheme(), &bgv::scheme()};

TEST(the_search_finds_what_is_there) {
  const rlwe::ContextPtr context = make_context(&bfv::scheme(), Word::u64, 1);
  MemoryScan scan;
  work(context, &scan);
  CHECK_EQ(scan.found(), "");
  const rlwe::SecretKey key = rlwe::deterministic::generate_secret_key(context, distinct(77));
  CHECK(scan.found().starts_with("transform"));
  const auto forgotten = std::make_unique<std::vector<std::int64_t>>(check::numbers(context->degree(), 12345));
  CHECK(scan.found().find("values") != std::string::npos);
  secure_zero(forgotten->data(), forgotten->size() * sizeof(std::int64_t));
}

// Small integers are zeros for the most part, and lie anywhere.
TEST(the_search_finds_bytes_among_zeros) {
  for (std::size_t first = 20; first < 44; ++first) {
    std::vector<std::uint8_t> small(64);
    for (std::size_t i = first; i < 44; ++i) small[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 0xff : 17 * i);
    MemoryScan scan;
    scan.look_for("small", small);
    std::vector<std::uint8_t> buffer(256);
    for (std::size_t place = 0; place < 9; ++place) {
      std::copy(small.begin(), small.end(), buffer.begin() + static_cast<std::ptrdiff_t>(100 + place));
      secure_zero(small.data(), small.size());
      CHECK(scan.found().starts_with("small in"));
      std::copy_n(buffer.begin() + static_cast<std::ptrdiff_t>(100 + place), small.size(), small.begin());
      secure_zero(buffer.data(), buffer.size());
    }
    secure_zero(small.data(), small.size());
    if (first < 43) CHECK_EQ(scan.found(), "");
  }
}

TEST(nothing_is_left_when_the_work_is_done) {
  for (const auto scheme : schemes) {
    for (const Word word : {Word::u32, Word::u64}) {
      for (const std::size_t threads : {1U, 3U}) {
        const rlwe::ContextPtr context = make_context(scheme, word, threads);
        MemoryScan scan;
        work(context, &scan);
        work(context, nullptr);
        CHECK_EQ(scan.found(), "");
      }
    }
  }
}

TEST(nothing_is_left_when_the_work_fails_anywhere) {
  for (const auto scheme : schemes) {
    const rlwe::ContextPtr context = make_context(scheme, Word::u64, 1);
    MemoryScan scan;
    work(context, &scan);
    const long before = requests;
    work(context, nullptr);
    const long all = requests - before;
    int failed = 0;
    for (long i = 0; i < all; i += 1 + i / 8) {  // each of the first requests, and fewer of the many after
      requests_left = i;
      try {
        work(context, nullptr);
      } catch (const std::exception&) {
        ++failed;
      }
      requests_left = -1;
      const std::string left = scan.found();
      CHECK_EQ(left, "");
      if (!left.empty()) break;
    }
    CHECK(failed > 30);
  }
}

}  // namespace

int main() {
#ifdef __SANITIZE_ADDRESS__
  std::cout << "skipped: the sanitizer keeps freed memory, and maps terabytes of its own\n";
  return 77;
#else
  return check::run();
#endif
}
