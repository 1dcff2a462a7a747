// SPDX-License-Identifier: Apache-2.0
// How the CUDA engine lives with its build, its driver and the application around it: which code runs, what the calling
// thread finds afterwards, and what is left of secrets. Needs a GPU; without one it says so and exits with 77.
//
// CYCLOTOME_EXPECTED_CODE says what the build must do on this GPU: "whole-limbs", "general" or "refused".
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "cyclotome/engine/cuda/cuda_device.hpp"
#include "cyclotome/engine/cuda/memory/memory_pool.cuh"
#include "cyclotome/engine/cuda/memory/secret_memory.cuh"
#include "cyclotome/engine/cuda/memory/secret_transfer.cuh"
#include "cyclotome/engine/cuda/transform/transform.cuh"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/program/builder.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "driver.hpp"
#include "engines.hpp"
#include "party.hpp"

using namespace cyclotome;
using check::current_context;
using check::seed;
using check::ThreadState;

namespace {

std::string expected_code() {
  const char* const text = std::getenv("CYCLOTOME_EXPECTED_CODE");
  return text == nullptr ? "" : text;
}

void on_another_thread(const std::function<void()>& work) { std::thread(work).join(); }

RingPtr small_ring() { return Ring::negacyclic(2048, Basis(Word::u32, primes_congruent_to_one(30, 4096, 3))); }

/// out = 3 a by way of a secret temporary: walked the first time, a graph the second.
ExecutionPtr tripling(const EnginePtr& engine, const RingPtr& ring) {
  program::Builder b("triple");
  const auto out = b.output(ring, 1, Domain::coefficient);
  const auto a = b.input(ring, 1, Domain::coefficient, program::each, true);
  const auto twice = b.temporary(ring, 1);
  b.add(twice, a, a);
  b.add(out, twice, a);
  return engine->prepare(b.finish());
}

void run_program(const Execution& execution, const EnginePtr& engine, const RingPtr& ring) {
  PolyArray a(engine, ring, 2, 1), out(engine, ring, 2, 1);
  engine->sample(a.view(), Law::uniform, seed(1), Stream::public_uniform);
  const Operand operands[] = {out.view(), std::as_const(a).view()};
  execution.run(operands);
}

// --- which code runs -------------------------------------------------------------------------------------------------

TEST(code_that_was_loaded_decides) {
  const auto engine = CudaEngine::create(0);
  const CudaDevice device = cuda_system().devices.at(0);
  std::printf("  %s, compute capability %d.%d, runs code for %s: %s\n", device.name.c_str(), device.major, device.minor,
              device.code.c_str(), engine->holds_whole_limbs() ? "whole limbs" : "general kernels");
  CHECK_EQ(device.problem, "");
  CHECK_EQ(engine->holds_whole_limbs(), device.major >= 9 && device.code.size() > 0 && std::stoi(device.code) >= 9);
  if (!expected_code().empty()) CHECK_EQ(engine->holds_whole_limbs(), expected_code() == "whole-limbs");
}

TEST(a_self_test_takes_no_time_to_speak_of) {
  CudaEngine::create(0);
  const auto start = std::chrono::steady_clock::now();
  CudaEngine::create(0);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::printf("  an engine with its self-test: %.2f ms\n", ms);
  CHECK(ms < 500);
}

/// An engine as of a build whose kernels are empty.
class SilentEngine final : public CudaEngine {
 public:
  static void create() {
    const std::shared_ptr<SilentEngine> engine(new SilentEngine);
    engine->test_itself();
  }

 private:
  SilentEngine() : CudaEngine(0, false) {}
  void do_forward(View) override {}
};

TEST(an_engine_that_transforms_nothing_is_refused) {
  CHECK_THROWS_WITH(EngineError, SilentEngine::create(), "self-test");
}

void check_transforms(const EnginePtr& engine, std::size_t largest) {
  for (std::size_t degree = 256; degree <= largest; degree *= 4) {
    for (const auto& [word, bits] : {std::pair(Word::u32, 30u), std::pair(Word::u64, 61u), std::pair(Word::u64, 50u)}) {
      const RingPtr ring = Ring::negacyclic(degree, Basis(word, primes_congruent_to_one(bits, 2 * degree, 3)));
      PolyArray a(check::host(), ring, 2, 2);
      check::host()->sample(a.view(), Law::uniform, seed(3), Stream::public_uniform);
      PolyArray b = a.to(engine);
      CHECK(a.to_transform().to_host() == b.to_transform().to_host());
      CHECK(a.to_coefficient().to_host() == b.to_coefficient().to_host());
    }
  }
}

/// Products, relinearised and decrypted, often enough to be repeated as graphs.
void check_schemes(const EnginePtr& engine) {
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    const rlwe::Parameters parameters = check::planned(kind, 4096, 109, Word::u32, true);
    const check::Party ours(scheme::make_context(parameters, engine), 1),
        right(scheme::make_context(parameters, check::host()), 1);
    for (std::uint8_t round = 0; round < 3; ++round) {
      const auto product = [&](const check::Party& party) {
        const auto a = party.encrypted(0, 2, round), b = party.encrypted(0, 2, round + 50);
        const auto c = scheme::multiply_relinearized(a, b, party.evaluation);
        auto residues = c.polynomials().to_host();
        const auto plain = scheme::decrypt_unchecked(c, party.secret).polynomials().to_host();
        residues.insert(residues.end(), plain.begin(), plain.end());
        return residues;
      };
      CHECK(product(ours) == product(right));
    }
  }
}

TEST(results_are_the_cpus) {
  const auto engine = CudaEngine::create(0);
  check_transforms(engine, 16384);
  check_schemes(engine);
}

// --- what the calling thread finds afterwards ------------------------------------------------------------------------

/// Everything that an engine is asked for, also what fails, with the thread's state compared after each step.
void check_all_entries() {
  const ThreadState before;
  const auto unchanged = [&] { return ThreadState() == before; };
  cuda_system();
  CHECK(unchanged());
  EnginePtr engine = CudaEngine::create(0);
  CHECK(unchanged());
  CHECK_THROWS(EngineError, CudaEngine::create(CudaEngine::device_count()));
  CHECK(unchanged());
  cuda_memory(0);
  reset_cuda_memory_peak(0);
  CHECK(unchanged());
  const RingPtr ring = small_ring();
  for (const bool secret : {false, true}) {
    PolyArray a(engine, ring, 2, 2, Domain::coefficient, secret);
    CHECK(unchanged());
    engine->sample(a.view(), Law::uniform, seed(1), Stream::secret);
    CHECK(unchanged());
    a.to_transform();
    CHECK(unchanged());
    a.to_host();
    CHECK(unchanged());
    on_another_thread([moved = std::make_shared<PolyArray>(std::move(a))]() mutable {
      moved.reset();
      CHECK_EQ(current_context(), CUcontext{});
    });
    CHECK(unchanged());
  }
  CHECK_THROWS(EngineError, engine->allocate(std::size_t{1} << 45, true));
  CHECK(unchanged());
  ExecutionPtr execution = tripling(engine, ring);
  CHECK(unchanged());
  for (int i = 0; i < 4; ++i) {
    run_program(*execution, engine, ring);
    CHECK(unchanged());
  }
  engine->synchronize();
  CHECK(unchanged());
  execution.reset();
  CHECK(unchanged());
  engine.reset();
  CHECK(unchanged());
}

TEST(a_thread_without_a_context_still_has_none) {
  on_another_thread([] {
    CHECK_EQ(current_context(), CUcontext{});
    check_all_entries();
    CHECK_EQ(current_context(), CUcontext{});
  });
}

TEST(a_context_of_the_applications_own_stays_current) {
  on_another_thread([] {
    CudaEngine::create(0);  // the driver has started
    const check::ForeignContext foreign(0);
    CHECK_EQ(current_context(), foreign.get());
    CHECK(foreign.get() != nullptr);
    check_all_entries();
    CHECK_EQ(current_context(), foreign.get());
  });
}

TEST(the_runtimes_device_stays) {
  for (int device = 0; device < CudaEngine::device_count(); ++device) {
    on_another_thread([device] {
      cudaSetDevice(device);
      check_all_entries();
      int found = -1;
      CHECK_EQ(cudaGetDevice(&found), cudaSuccess);
      CHECK_EQ(found, device);
    });
  }
  if (CudaEngine::device_count() < 2) std::puts("  one GPU only: a second device was not tried");
}

TEST(errors_of_the_application_are_not_taken_away) {
  on_another_thread([] {
    cudaSetDevice(0);
    void* memory = nullptr;
    CHECK_EQ(cudaMalloc(&memory, std::size_t{1} << 60), cudaErrorMemoryAllocation);
    const EnginePtr engine = CudaEngine::create(0);
    const RingPtr ring = small_ring();
    const ExecutionPtr execution = tripling(engine, ring);
    for (int i = 0; i < 4; ++i) run_program(*execution, engine, ring);
    PolyArray(engine, ring, 1, 1).to_transform().to_host();
    cuda_system();
    cuda_ceilings(0);
    CHECK_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    // And the engine's own, which it has reported, are not left.
    CHECK_THROWS(EngineError, engine->allocate(std::size_t{1} << 45, false));
    CHECK_EQ(cudaPeekAtLastError(), cudaSuccess);
  });
}

// --- what is left of secrets -----------------------------------------------------------------------------------------

constexpr std::size_t secret_bytes = 3 << 20;

std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<std::byte>(i * 37 % 251 + 1);
  return result;
}

/// What lies at `address`, which the engine has just freed: waits for the device, and gets the memory again from the
/// pool, whole or in parts. Not a call to the engine among it. Empty if that does not succeed.
std::vector<std::byte> what_is_left(void* address, std::size_t bytes) {
  cudaSetDevice(0);
  cudaDeviceSynchronize();
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  auto* const wanted = static_cast<std::byte*>(address);
  std::vector<void*> taken;
  std::vector<std::byte> found(bytes);
  std::size_t covered = 0;
  for (int i = 0; i < 256 && covered < bytes; ++i) {
    void* data = nullptr;
    if (cudaMallocFromPoolAsync(&data, bytes, cuda::memory_pool(0), stream) != cudaSuccess) break;
    taken.push_back(data);
    auto* const block = static_cast<std::byte*>(data);
    std::byte *const begin = std::max(wanted, block), *const end = std::min(wanted, block) + bytes;
    if (begin >= end) continue;
    const auto size = static_cast<std::size_t>(end - begin);
    cudaMemcpyAsync(found.data() + (begin - wanted), begin, size, cudaMemcpyDeviceToHost, stream);
    covered += size;
  }
  cudaStreamSynchronize(stream);
  for (void* const data : taken) cudaFreeAsync(data, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  if (covered < bytes) found.clear();
  return found;
}

bool all_zero(const std::vector<std::byte>& bytes) {
  return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

/// A secret on the device, as a copy past the engine finds it.
std::unique_ptr<Buffer> make_secret(const EnginePtr& engine) {
  std::unique_ptr<Buffer> secret = engine->allocate(secret_bytes, true);
  const std::vector<std::byte> bytes = pattern(secret_bytes);
  engine->upload(secret->data(), bytes.data(), bytes.size());
  std::vector<std::byte> seen(secret_bytes);
  cudaMemcpy(seen.data(), secret->data(), secret_bytes, cudaMemcpyDeviceToHost);
  CHECK(seen == bytes);
  return secret;
}

TEST(freed_secrets_are_zeros_without_another_call) {
  const EnginePtr engine = CudaEngine::create(0);
  std::unique_ptr<Buffer> secret = make_secret(engine);
  void* const address = secret->data();
  secret.reset();
  CHECK(all_zero(what_is_left(address, secret_bytes)));
}

/// What an engine keeps of small secrets for its next arrays is zeros, whoever gets it, on whichever stream.
TEST(small_secrets_are_kept_as_zeros) {
  const EnginePtr engine = CudaEngine::create(0);
  constexpr std::size_t bytes = 64 << 10;
  const std::vector<std::byte> sent = pattern(bytes);
  const RingPtr ring = small_ring();
  const ExecutionPtr execution = tripling(engine, ring);
  for (int round = 0; round < 50; ++round) {
    std::unique_ptr<Buffer> secret = engine->allocate(bytes, true);
    engine->upload(secret->data(), sent.data(), bytes);
    void* const address = secret->data();
    run_program(*execution, engine, ring);  // whose operands are given back among others
    secret.reset();
    if (round % 3 == 0) cudaDeviceSynchronize();
    const auto find = [&] {
      const std::unique_ptr<Buffer> next = engine->allocate(bytes, round % 2 == 0);
      std::vector<std::byte> found(bytes);
      engine->download(found.data(), next->data(), bytes);
      CHECK(next->data() != address || all_zero(found));
      return next->data() == address;
    };
    bool same = false;
    if (round % 5 == 4) {
      on_another_thread([&] { same = find(); });
    } else {
      same = find();
    }
    CHECK(same);
  }
  // Threads at once: what one gives back another may have next.
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 20; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        const std::unique_ptr<Buffer> secret = engine->allocate(bytes, true);
        std::vector<std::byte> found(bytes);
        engine->download(found.data(), secret->data(), bytes);
        wrong += found == sent;
        engine->upload(secret->data(), sent.data(), bytes);
        engine->download(found.data(), secret->data(), bytes);
        wrong += found != sent;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
}

TEST(secrets_given_back_within_an_operation_are_zeros_after_it) {
  cudaSetDevice(0);
  cudaStream_t stream = nullptr;
  CHECK_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  cuda::SecretMemory memory(cuda::primary_context(0));
  cuda::SecretQueue queue(memory, stream);
  const std::vector<std::byte> bytes = pattern(secret_bytes);
  for (const bool fails : {false, true}) {
    void* address = nullptr;
    try {
      const cuda::SecretQueue::Operation together(queue);
      address = cuda::allocate(cuda::memory_pool(0), secret_bytes, stream, "allocation");
      memory.hold(address, secret_bytes);
      CHECK_EQ(cudaMemcpyAsync(address, bytes.data(), secret_bytes, cudaMemcpyHostToDevice, stream), cudaSuccess);
      memory.let_go(address);
      queue.take_back(address, secret_bytes);
      std::vector<std::byte> seen(secret_bytes);
      CHECK_EQ(cudaMemcpyAsync(seen.data(), address, secret_bytes, cudaMemcpyDeviceToHost, stream), cudaSuccess);
      CHECK_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      CHECK(seen == bytes);  // not yet
      if (fails) throw ArgumentError("refused");
    } catch (const ArgumentError&) {
      CHECK(fails);
    }
    CHECK(all_zero(what_is_left(address, secret_bytes)));
  }
  cudaStreamDestroy(stream);
}

TEST(the_last_handle_leaves_no_secret) {
  EnginePtr engine = CudaEngine::create(0);
  std::unique_ptr<Buffer> secret = make_secret(engine);
  void* const address = secret->data();
  engine.reset();
  on_another_thread([&] { secret.reset(); });
  CHECK(all_zero(what_is_left(address, secret_bytes)));
}

TEST(secrets_move_in_pieces) {
  const EnginePtr engine = CudaEngine::create(0);
  constexpr std::size_t piece = cuda::SecretTransfer::capacity;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, piece - 1, piece, piece + 1, 3 * piece + 5}) {
    const std::unique_ptr<Buffer> secret = engine->allocate(bytes, true);
    const std::vector<std::byte> sent = pattern(bytes);
    engine->upload(secret->data(), sent.data(), bytes);
    std::vector<std::byte> received(bytes);
    engine->download(received.data(), secret->data(), bytes);
    CHECK(received == sent);
  }
  const std::unique_ptr<Buffer> secret = engine->allocate(4 * piece, true);
  const std::vector<std::byte> sent = pattern(4 * piece);
  engine->upload(secret->data(), sent.data(), sent.size());
  struct Runs {
    std::size_t bytes, stride, count;
  };
  for (const Runs& runs : {Runs{24, 40, 1000}, Runs{piece / 3, piece / 2, 7}, Runs{piece + 8, piece + 64, 3},
                           Runs{4 * piece, 4 * piece, 1}, Runs{16, 16, 5000}}) {
    std::vector<std::byte> received(runs.bytes * runs.count), right;
    engine->download_runs(received.data(), secret->data(), runs.bytes, runs.stride, runs.count);
    for (std::size_t i = 0; i < runs.count; ++i) {
      const auto begin = sent.begin() + static_cast<std::ptrdiff_t>(i * runs.stride);
      right.insert(right.end(), begin, begin + static_cast<std::ptrdiff_t>(runs.bytes));
    }
    CHECK(received == right);
  }
}

// --- processes of their own ------------------------------------------------------------------------------------------

/// Exit status of this program with an argument.
int child(const std::string& argument) {
  char path[4096] = {};
  if (readlink("/proc/self/exe", path, sizeof(path) - 1) <= 0) return -1;
  const int status = std::system((std::string(path) + " " + argument).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Buffer* kept = nullptr;
EnginePtr* kept_engine = nullptr;

/// Runs after the engine's own handler, which was set later; a secret that nobody freed must be gone.
void look_at_the_end() {
  cudaSetDevice(0);
  std::vector<std::byte> found(secret_bytes);
  const bool copied = cudaMemcpy(found.data(), kept->data(), secret_bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
  bool refuses = false;
  try {
    (*kept_engine)->synchronize();
  } catch (const EngineError&) {
    refuses = true;
  }
  std::printf("  at exit: %s, %s\n", copied && all_zero(found) ? "zeros" : "SECRETS", refuses ? "closed" : "OPEN");
  std::fflush(stdout);
  _exit(copied && all_zero(found) && refuses ? 0 : 1);
}

[[noreturn]] void exit_with_a_secret() {
  cudaSetDevice(0);
  cudaFree(nullptr);  // CUDA's own handlers come first, and are called last
  std::atexit(look_at_the_end);
  kept_engine = new EnginePtr(CudaEngine::create(0));
  kept = make_secret(*kept_engine).release();
  std::exit(3);
}

TEST(secrets_that_nobody_freed_go_with_the_process) { CHECK_EQ(child("--exit-with-a-secret"), 0); }

/// Whether a kernel of whole limbs ends in an error where its code is for older devices. The context is lost by it.
int launch_without_a_body() {
  cudaSetDevice(0);
  const RingPtr ring = small_ring();
  cudaStream_t stream = nullptr;
  void *data = nullptr, *tables = nullptr;
  cudaStreamCreate(&stream);
  cudaMalloc(&data, ring->degree() * sizeof(std::uint32_t));
  cudaMalloc(&tables, sizeof(cuda::RingTables<std::uint32_t>));
  cudaMemset(tables, 0, sizeof(cuda::RingTables<std::uint32_t>));
  const cuda::DeviceView<std::uint32_t> view{static_cast<std::uint32_t*>(data), 0, 0, 1, 2048};
  try {
    cuda::forward_in_one_pass(cuda::Queue(stream, 0, {.one_pass = true}), view, view, 1, 1,
                              static_cast<const cuda::RingTables<std::uint32_t>*>(tables), {true, false});
  } catch (const EngineError&) {
    return 0;
  }
  return cudaStreamSynchronize(stream) == cudaSuccess ? 1 : 0;
}

TEST(kernels_without_a_body_are_an_error) {
  if (CudaEngine::create(0)->holds_whole_limbs())
    return std::puts("  not in this build: all kernels have bodies"), void();
  CHECK_EQ(child("--launch-without-a-body"), 0);
}

int check_refusal() {
  CHECK_THROWS_WITH(EngineError, CudaEngine::create(0), "this build has code for compute capability");
  CHECK(cuda_system().problem.find("make install-cuda GPUS=") != std::string::npos);
  std::printf("  %s\n", cuda_system().problem.c_str());
  return check::tally().failures == 0 ? 0 : 1;
}

/// What a checker of memory can follow in a minute.
int check_shortly() {
  const EnginePtr engine = CudaEngine::create(0);
  check_transforms(engine, 4096);
  check_schemes(engine);
  std::printf("%llu checks, %llu failures\n", static_cast<unsigned long long>(check::tally().checks),
              static_cast<unsigned long long>(check::tally().failures));
  return check::tally().failures == 0 && check::tally().checks != 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string argument = argc > 1 ? argv[1] : "";
  if (argument == "--exit-with-a-secret") exit_with_a_secret();
  if (argument == "--launch-without-a-body") return launch_without_a_body();
  if (!check::has_device()) return check::skipped;
  if (argument == "--short") return check_shortly();
  return expected_code() == "refused" ? check_refusal() : check::run();
}
