// SPDX-License-Identifier: Apache-2.0
// Pages for secrets: what the system is asked for, what it answers, who shares what; and owners that keep their secrets
// where they are.

#include <cstring>
#include <fstream>
#include <functional>
#include <linux/capability.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bfv_fixture.hpp"
#include "check.hpp"
#include "cyclotome/engine/cpu/memory_pool.hpp"
#include "cyclotome/io/keys/keys_io.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace {

using namespace cyclotome;

// The kernel's flags of the mapping around an address, such as "lo" (locked) and "dd" (not dumped), between spaces.
std::string flags_at(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t first = 0, end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> first >> dash >> end && dash == '-') inside = first <= wanted && wanted < end;
    if (inside && line.starts_with("VmFlags:")) return line.substr(8) + " ";
  }
  return "";
}
bool locked(const void* address) { return flags_at(address).find(" lo ") != std::string::npos; }
bool undumped(const void* address) { return flags_at(address).find(" dd ") != std::string::npos; }

// Whether this process can lock memory at all: containers may not let it, and AddressSanitizer's mlock does nothing.
bool can_lock() {
  void* const page = map_secret_pages(1);
  lock_secret_pages(page);
  const bool can = locked(page);
  unmap_secret_pages(page);
  return can;
}

// The exit status of a child that runs `body`.
int in_child(const std::function<bool()>& body) {
  std::cout.flush();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Takes the right to lock without limit, which the administrator has, and the limit.
[[maybe_unused]] void forbid_locking() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  ::syscall(SYS_capget, &header, data);
  for (auto& half : data) half.inheritable = 0;
  data[0].effective &= ~(1U << CAP_IPC_LOCK);
  data[0].permitted &= ~(1U << CAP_IPC_LOCK);
  ::syscall(SYS_capset, &header, data);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_MEMLOCK, &none);
}

TEST(pages_are_left_out_of_dumps_and_locked_when_asked) {
  const SecretPages before = secret_pages();
  void* const pages = map_secret_pages(10000);
  std::memset(pages, 1, 10000);
  CHECK_EQ(reinterpret_cast<std::uintptr_t>(pages) % static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)), 0U);
  CHECK(undumped(pages));
  CHECK(!locked(pages));
  CHECK(secret_pages().mapped >= before.mapped + 10000);
  if (can_lock()) {
    CHECK(lock_secret_pages(pages));
    CHECK(lock_secret_pages(pages));  // again changes nothing
    CHECK(locked(pages) && locked(static_cast<char*>(pages) + 9999));
    CHECK(secret_pages().locked >= before.locked + 10000);
  }
  unmap_secret_pages(pages);
  CHECK_EQ(secret_pages().mapped, before.mapped);
  CHECK_EQ(secret_pages().locked, before.locked);
  int elsewhere = 0;
  CHECK(!lock_secret_pages(&elsewhere));
  CHECK(map_secret_pages(SIZE_MAX) == nullptr);
}

TEST(small_blocks_share_pages_and_do_not_unlock_one_another) {
  std::vector<ZeroisingVector<std::uint8_t>> kept;
  for (std::size_t i = 0; i < 200; ++i) {
    kept.emplace_back(8 + i, Residence::locked);
    const ZeroisingVector<std::uint8_t> gone(8 + i, Residence::locked);  // beside it, and freed before it
  }
  for (const auto& block : kept) {
    CHECK(undumped(block.data()));
    if (can_lock()) CHECK(locked(block.data()));
  }
  for (std::size_t i = 0; i < kept.size(); i += 2) kept[i] = {};
  for (std::size_t i = 1; i < kept.size(); i += 2) {
    if (can_lock()) CHECK(locked(kept[i].data()));
  }
}

TEST(owners_keep_their_residence) {
  using Owner = ZeroisingVector<std::uint8_t>;
  const auto residence = [](const Owner& owner) { return owner.get_allocator().residence(); };
  Owner heap(100, Residence::heap), secret(5000, Residence::locked);
  const Owner copy = secret;
  CHECK(residence(copy) == Residence::locked && undumped(copy.data()));
  const std::uint8_t* const place = secret.data();
  heap = std::move(secret);  // moves the memory, and so what it is
  CHECK(heap.data() == place && residence(heap) == Residence::locked);
  Owner assigned(100, Residence::heap);
  assigned = copy;
  CHECK(residence(assigned) == Residence::locked);
  Owner other(10);
  swap(other, assigned);
  CHECK(residence(other) == Residence::locked && residence(assigned) == Residence::heap);
  other.resize(1 << 20);
  CHECK(undumped(other.data()) && (!can_lock() || locked(other.data())));
}

#ifndef __SANITIZE_ADDRESS__  // whose mlock never fails
TEST(without_the_right_to_lock_all_works_and_it_is_counted) {
  CHECK_EQ(in_child([] {
             forbid_locking();
             const SecretPages before = secret_pages();
             const ZeroisingVector<std::uint8_t> block(100000, Residence::locked);
             const SecretPages after = secret_pages();
             return undumped(block.data()) && !locked(block.data()) && after.refused == before.refused + 1 &&
                    after.locked == before.locked;
           }),
           0);
}
#endif

TEST(a_child_of_a_fork_has_its_own_blocks) {
  const ZeroisingVector<std::uint8_t> block(3000, Residence::locked);
  std::memset(const_cast<std::uint8_t*>(block.data()), 7, block.size());
  CHECK_EQ(in_child([&] {
             const ZeroisingVector<std::uint8_t> more(3000, Residence::locked);
             return block[2999] == 7 && more[2999] == 0;  // not zeros: keys must go on working
           }),
           0);
}

TEST(a_pool_keeps_secret_blocks_apart) {
  cpu::MemoryPool pool;
  std::size_t capacity = 0, again = 0;
  void* const secret = pool.acquire(50000, capacity, true);
  CHECK(undumped(secret));
  pool.release(secret, capacity, true);
  void* const open = pool.acquire(capacity, again);
  CHECK(open != secret && !undumped(open));
  CHECK(pool.acquire(50000, capacity, true) == secret);
  pool.release(secret, capacity, true);
  pool.release(open, again);
}

TEST(secret_keys_are_locked_while_they_live) {
  const check::Fixture f(check::literal(Word::u64, 1));
  if (can_lock()) CHECK(locked(f.secret.over_key_ring().data));
  CHECK(undumped(f.secret.over_key_ring().data));
  const io::Bytes bytes = io::serialize(f.secret);
  CHECK(bytes.get_allocator().residence() == Residence::locked);
  CHECK(f.secret.coefficients().get_allocator().residence() == Residence::locked);
}

}  // namespace

int main() { return check::run(); }
