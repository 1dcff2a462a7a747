// SPDX-License-Identifier: Apache-2.0
// Loaded before everything else (LD_PRELOAD): makes the k-th call of a kind fail, once it is told to. Only calls out of
// the library count, and those out of the C++ runtime on its behalf, so that what fails is never the interpreter's own.
// Of allocations only those without the interpreter's lock count: what computes, reads and writes holds none, and
// arguments and results are converted by nanobind, which ends the process where it lacks a few bytes for one.

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/types.h>

namespace {

enum Kind : unsigned { allocation, write_call, flush_call, open_call, name_call, rights_call, thread_start, kinds };

struct Range {
  std::uintptr_t begin = 0, end = 0;
};
constexpr std::size_t most_ranges = 8;
Range ranges[most_ranges];
std::size_t range_count = 0;

std::atomic<unsigned> armed{kinds};
std::atomic<long> calls{0}, failing{0}, failed{0};
std::atomic<bool> onwards{false};

int collect(struct dl_phdr_info* info, std::size_t, void* wanted) {
  const char* const name = info->dlpi_name;
  if (name == nullptr ||
      (std::strstr(name, static_cast<const char*>(wanted)) == nullptr && std::strstr(name, "libstdc++") == nullptr)) {
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum && range_count < most_ranges; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    ranges[range_count++] = {begin, begin + header.p_memsz};
  }
  return 0;
}

bool ours(const void* caller) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  for (std::size_t i = 0; i < range_count; ++i) {
    if (address >= ranges[i].begin && address < ranges[i].end) return true;
  }
  return false;
}

bool holds_interpreter() noexcept {
  static const auto check = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "PyGILState_Check"));
  return check != nullptr && check() != 0;
}

bool fails(Kind kind, const void* caller) noexcept {
  if (armed.load(std::memory_order_relaxed) != kind) return false;
  if (kind != thread_start && !ours(caller)) return false;
  if (kind == allocation && holds_interpreter()) return false;
  const long number = ++calls;
  const long wanted = failing.load(std::memory_order_relaxed);
  const bool fail = wanted > 0 && (onwards.load(std::memory_order_relaxed) ? number >= wanted : number == wanted);
  if (fail) ++failed;
  return fail;
}

template <class Function>
Function real(const char* name) noexcept {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

void* allocated(std::size_t bytes, std::size_t alignment, const void* caller) {
  if (fails(allocation, caller)) return nullptr;
  if (bytes == 0) bytes = 1;
  return alignment == 0 ? std::malloc(bytes)
                        : ::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

int refused(int error) noexcept {
  errno = error;
  return -1;
}

}  // namespace

#define CALLER __builtin_return_address(0)

// --- what tests call
// --------------------------------------------------------------------------------------------------
extern "C" {
/// From now on the call number `number` (from 1) of this kind fails, and with `all` every later one too; 0: none does,
/// and they are counted.
void faults_arm(unsigned kind, long number, bool all, const char* library) {
  if (range_count == 0) ::dl_iterate_phdr(collect, const_cast<char*>(library));
  calls = 0;
  failed = 0;
  failing = number;
  onwards = all;
  armed = kind;
}
/// None fails any more; how many there were.
long faults_disarm() {
  armed = kinds;
  return calls.load();
}
long faults_failed() { return failed.load(); }
}

// --- memory
// -----------------------------------------------------------------------------------------------------------
void* operator new(std::size_t bytes) {
  void* const memory = allocated(bytes, 0, CALLER);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](std::size_t bytes) {
  void* const memory = allocated(bytes, 0, CALLER);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocated(bytes, 0, CALLER); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocated(bytes, 0, CALLER); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  void* const memory = allocated(bytes, static_cast<std::size_t>(alignment), CALLER);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  void* const memory = allocated(bytes, static_cast<std::size_t>(alignment), CALLER);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" {
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  static const auto next = real<void* (*)(std::size_t, std::size_t)>("aligned_alloc");
  return fails(allocation, CALLER) ? nullptr : next(alignment, bytes);
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  static const auto next = real<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap");
  if (fails(allocation, CALLER)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return next(address, bytes, protection, flags, file, offset);
}

// --- files
// ------------------------------------------------------------------------------------------------------------
ssize_t write(int file, const void* data, std::size_t bytes) {
  static const auto next = real<ssize_t (*)(int, const void*, std::size_t)>("write");
  if (fails(write_call, CALLER)) return refused(ENOSPC);
  return next(file, data, bytes);
}

int fsync(int file) {
  static const auto next = real<int (*)(int)>("fsync");
  return fails(flush_call, CALLER) ? refused(EIO) : next(file);
}

int open(const char* path, int flags, ...) {
  static const auto next = real<int (*)(const char*, int, mode_t)>("open");
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = static_cast<mode_t>(va_arg(rest, int));
  va_end(rest);
  return fails(open_call, CALLER) ? refused(EMFILE) : next(path, flags, mode);
}

int rename(const char* from, const char* to) noexcept {
  static const auto next = real<int (*)(const char*, const char*)>("rename");
  return fails(name_call, CALLER) ? refused(EIO) : next(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  static const auto next = real<int (*)(int, const char*, int, const char*, unsigned)>("renameat2");
  return fails(name_call, CALLER) ? refused(EIO) : next(from_folder, from, to_folder, to, flags);
}

int link(const char* from, const char* to) noexcept {
  static const auto next = real<int (*)(const char*, const char*)>("link");
  return fails(name_call, CALLER) ? refused(EIO) : next(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  static const auto next = real<int (*)(int, const char*, int, const char*, int)>("linkat");
  return fails(name_call, CALLER) ? refused(EIO) : next(from_folder, from, to_folder, to, flags);
}

int fchmod(int file, mode_t mode) noexcept {
  static const auto next = real<int (*)(int, mode_t)>("fchmod");
  return fails(rights_call, CALLER) ? refused(EPERM) : next(file, mode);
}

// --- threads
// ----------------------------------------------------------------------------------------------------------
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*body)(void*), void* argument) noexcept {
  static const auto next = real<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return fails(thread_start, CALLER) ? EAGAIN : next(thread, how, body, argument);
}
}
