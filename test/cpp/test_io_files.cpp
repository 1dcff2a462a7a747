// SPDX-License-Identifier: Apache-2.0
// Files: whole or not there, private from their first moment when they hold a secret, never through a device or folder.

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "check.hpp"
#include "cyclotome/io/file.hpp"
#include "cyclotome/math/errors.hpp"
#include "folder.hpp"

namespace {

using namespace cyclotome;
namespace fs = std::filesystem;
using check::Folder;
using check::mode;
using check::pattern;
using io::Existing;
using io::Privacy;

constexpr std::uint64_t no_limit = std::uint64_t{1} << 40;

TEST(files_come_back) {
  const Folder folder;
  for (const std::size_t size : {0U, 1U, 4095U, 65536U, 65537U, 1000000U}) {
    const auto bytes = pattern(size, 3);
    io::write_file(folder.file("a"), bytes, Privacy::shared);
    const io::Bytes read = io::read_file(folder.file("a"), size);  // the limit itself is fine
    CHECK(std::ranges::equal(read, bytes));
    if (size > 0) CHECK_THROWS_WITH(FormatError, io::read_file(folder.file("a"), size - 1), folder.file("a"));
  }
  CHECK_EQ(folder.entries(), 1U);  // no temporary file is left
}

TEST(secrets_are_private_whatever_the_umask) {
  const Folder folder;
  for (const unsigned mask : {0U, 022U, 077U, 0277U}) {
    const mode_t before = ::umask(mask);
    io::write_file(folder.file("secret"), pattern(10, 1), Privacy::secret);
    io::write_file(folder.file("shared"), pattern(10, 1), Privacy::shared);
    ::umask(before);
    CHECK_EQ(mode(folder.file("secret")), 0600U);
    CHECK_EQ(mode(folder.file("shared")), 0666U & ~mask);
    CHECK(io::file_is_private(folder.file("secret")));
    CHECK_EQ(io::file_is_private(folder.file("shared")), (mask & 077U) == 077U);
  }
  // A file that others could read does not pass its mode on.
  io::write_file(folder.file("was-shared"), pattern(10, 1), Privacy::shared);
  CHECK(!io::file_is_private(folder.file("was-shared")));
  io::write_file(folder.file("was-shared"), pattern(10, 1), Privacy::secret);
  CHECK_EQ(mode(folder.file("was-shared")), 0600U);
}

TEST(links_are_followed) {
  const Folder folder;
  io::write_file(folder.file("target"), pattern(5, 1), Privacy::shared);
  fs::create_symlink("target", folder.file("link"));
  io::write_file(folder.file("link"), pattern(9, 2), Privacy::shared);
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(std::ranges::equal(io::read_file(folder.file("target"), no_limit), pattern(9, 2)));
}

TEST(what_is_no_file_is_refused) {
  const Folder folder;
  fs::create_directory(folder.file("folder"));
  CHECK_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  const auto bytes = pattern(5, 1);
  CHECK_THROWS_WITH(FileError, io::write_file(folder.file("folder"), bytes, Privacy::shared), "is a folder");
  CHECK_THROWS_WITH(FileError, io::write_file(folder.file("pipe"), bytes, Privacy::shared), "not a regular file");
  CHECK_THROWS_WITH(FileError, io::write_file("/dev/null", bytes, Privacy::shared), "/dev/null");
  CHECK_THROWS_WITH(FileError, io::write_file(folder.file("absent/file"), bytes, Privacy::shared), "absent/file");
  CHECK_THROWS_WITH(FileError, io::read_file(folder.file("absent"), no_limit), folder.file("absent"));
  CHECK_THROWS_WITH(FileError, io::read_file(folder.file("folder"), no_limit), "folder");
  CHECK_THROWS_WITH(FileError, io::file_is_private(folder.file("absent")), "absent");
  CHECK_THROWS(FileError, io::write_file("", bytes, Privacy::shared));
  CHECK_EQ(folder.entries(), 2U);
}

TEST(pipes_can_be_read_up_to_the_limit) {
  const Folder folder;
  const std::string pipe = folder.file("pipe");
  const auto bytes = pattern(300000, 7);
  const auto read_through_pipe = [&](std::uint64_t limit) {
    std::thread writer(
        [&] { std::ofstream(pipe, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), 300000); });
    const struct Join {
      std::thread& thread;
      ~Join() { thread.join(); }
    } join{writer};
    return io::read_file(pipe, limit);
  };
  std::signal(SIGPIPE, SIG_IGN);
  CHECK_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  CHECK(std::ranges::equal(read_through_pipe(300000), bytes));
  CHECK_THROWS_WITH(FormatError, read_through_pipe(299999), "max_bytes");
}

TEST(a_failed_write_leaves_the_old_file) {
  const Folder folder;
  const auto old = pattern(100, 1);
  io::write_file(folder.file("a"), old, Privacy::shared);
  // A limit on the size of files stands for a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  CHECK_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 1000;
  CHECK_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  CHECK_THROWS_WITH(FileError, io::write_file(folder.file("a"), pattern(5000, 2), Privacy::shared), folder.file("a"));
  CHECK_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  CHECK(std::ranges::equal(io::read_file(folder.file("a"), no_limit), old));
  CHECK_EQ(folder.entries(), 1U);
}

TEST(a_process_that_is_killed_leaves_nothing) {
  const Folder folder;
  const auto old = pattern(100, 1);
  io::write_file(folder.file("a"), old, Privacy::secret);
  std::cout.flush();
  const pid_t child = ::fork();
  if (child == 0) {  // the system ends it in the middle of a write
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit small{100000, 100000}, no_dump{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &small);
    ::setrlimit(RLIMIT_CORE, &no_dump);
    io::write_file(folder.file("a"), pattern(300000, 2), Privacy::secret);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
  CHECK(std::ranges::equal(io::read_file(folder.file("a"), no_limit), old));
  CHECK_EQ(folder.entries(), 1U);
}

TEST(a_file_that_exists_can_be_refused) {
  const Folder folder;
  io::write_file(folder.file("a"), pattern(10, 1), Privacy::secret, Existing::refused);
  CHECK_THROWS_WITH(FileError, io::write_file(folder.file("a"), pattern(10, 2), Privacy::secret, Existing::refused),
                    "exists");
  CHECK(std::ranges::equal(io::read_file(folder.file("a"), no_limit), pattern(10, 1)));
  CHECK_EQ(folder.entries(), 1U);
}

}  // namespace

int main() { return check::run(); }
