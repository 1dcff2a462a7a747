// SPDX-License-Identifier: Apache-2.0
// Files: whole or not there, private from their first moment when they hold a secret, never through a device or folder.

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "check.hpp"
#include "cyclotome/io/files/file.hpp"
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
    fs::remove(folder.file("shared"));
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

TEST(what_is_replaced_passes_its_rights_on) {
  const Folder folder;
  for (const auto rights : {fs::perms(0600), fs::perms(0444), fs::perms(0666), fs::perms(0640)}) {
    io::write_file(folder.file("shared"), pattern(10, 1), Privacy::shared);
    fs::permissions(folder.file("shared"), rights);
    io::write_file(folder.file("shared"), pattern(11, 1), Privacy::shared);
    CHECK_EQ(mode(folder.file("shared")), static_cast<unsigned>(rights));
  }
}

TEST(links_are_followed) {
  const Folder folder;
  io::write_file(folder.file("target"), pattern(5, 1), Privacy::shared);
  fs::create_symlink("target", folder.file("link"));
  io::write_file(folder.file("link"), pattern(9, 2), Privacy::shared);
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(std::ranges::equal(io::read_file(folder.file("target"), no_limit), pattern(9, 2)));
  // To nothing: the file appears where it leads, and is not asked for where there must be none of the name.
  fs::create_symlink(folder.file("absent"), folder.file("to-nothing"));
  CHECK_THROWS_WITH(FileError,
                    io::write_file(folder.file("to-nothing"), pattern(9, 2), Privacy::secret, Existing::refused),
                    "exists");
  io::write_file(folder.file("to-nothing"), pattern(9, 2), Privacy::shared);
  CHECK(fs::is_symlink(folder.file("to-nothing")) && fs::is_regular_file(folder.file("absent")));
  fs::create_symlink("loop", folder.file("loop"));
  CHECK_THROWS(FileError, io::write_file(folder.file("loop"), pattern(9, 2), Privacy::shared));
}

TEST(a_zero_byte_ends_no_name) {
  using namespace std::string_literals;
  const Folder folder;
  io::write_file(folder.file("a"), pattern(5, 1), Privacy::shared);
  for (const std::string& name : {"a\0"s, "a\0b"s, "\0"s, "\0a"s}) {
    const std::string path = folder.file(name);
    CHECK_THROWS_WITH(ArgumentError, io::write_file(path, pattern(9, 2), Privacy::shared), "zero byte");
    CHECK_THROWS_WITH(ArgumentError, io::write_file(path, pattern(9, 2), Privacy::secret), "zero byte");
    CHECK_THROWS_WITH(ArgumentError, io::read_file(path, no_limit), "zero byte");
    CHECK_THROWS_WITH(ArgumentError, io::read_object_file(path, no_limit), "zero byte");
    CHECK_THROWS_WITH(ArgumentError, io::file_is_private(path), "zero byte");
    CHECK_THROWS_WITH(ArgumentError, io::names_stream(path), "zero byte");
  }
  CHECK(std::ranges::equal(io::read_file(folder.file("a"), no_limit), pattern(5, 1)));
  CHECK_EQ(folder.entries(), 1U);
}

TEST(names_are_any_bytes) {
  const Folder folder;
  const std::string path = folder.file("caf\xe9\x01\n");
  io::write_file(path, pattern(5, 1), Privacy::secret);
  CHECK(std::ranges::equal(io::read_file(path, no_limit), pattern(5, 1)));
  CHECK(io::file_is_private(path));
}

TEST(what_is_no_file_is_refused) {
  const Folder folder;
  fs::create_directory(folder.file("folder"));
  CHECK_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  const auto bytes = pattern(5, 1);
  CHECK_THROWS_WITH(FileError, io::write_file(folder.file("folder"), bytes, Privacy::shared), "is a folder");
  CHECK_THROWS_WITH(FileError, io::write_file(folder.file("pipe"), bytes, Privacy::secret), "a secret goes");
  CHECK_THROWS_WITH(FileError, io::write_file("/dev/stdout", bytes, Privacy::secret), "a secret goes");
  CHECK_THROWS_WITH(FileError, io::write_file("/dev/null", bytes, Privacy::shared), "/dev/null");
  CHECK_THROWS_WITH(FileError, io::write_file("/dev/full", bytes, Privacy::secret), "not a regular file");
  CHECK_THROWS_WITH(FileError, io::write_file("/dev/fd/999999", bytes, Privacy::shared), "Bad file descriptor");
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

TEST(pipes_and_open_files_are_written_through) {
  const Folder folder;
  const std::string pipe = folder.file("pipe");
  const auto bytes = pattern(300000, 7);
  CHECK_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  io::Bytes read;
  std::thread reader([&] { read = io::read_file(pipe, no_limit); });
  io::write_file(pipe, bytes, Privacy::shared, Existing::refused);  // nothing is replaced
  reader.join();
  CHECK(std::ranges::equal(read, bytes));
  // A reader that leaves is an error, and no signal.
  const auto handler = std::signal(SIGPIPE, SIG_DFL);
  std::thread leaver([&] { std::ifstream(pipe, std::ios::binary).get(); });
  CHECK_THROWS_WITH(FileError, io::write_file(pipe, bytes, Privacy::shared), "Broken pipe");
  leaver.join();
  std::signal(SIGPIPE, handler);
  // And so is one whom nobody sends, some seconds after.
  CHECK_THROWS_WITH(FileError, io::write_file(pipe, bytes, Privacy::shared), "nobody reads");
  // What an open file holds before and after stays.
  std::FILE* const file = std::fopen(folder.file("log").c_str(), "ab");
  CHECK(file != nullptr && std::fputs("before", file) >= 0 && std::fflush(file) == 0);
  const std::string number = std::to_string(::fileno(file));
  fs::create_symlink("/dev/fd/" + number, folder.file("link"));
  for (const std::string& name : {"/dev/fd/" + number, "/proc/self/fd/" + number, folder.file("link")}) {
    CHECK(io::names_stream(name));
    io::write_file(name, pattern(3, 'a'), Privacy::shared);
  }
  std::fputs("after", file);
  std::fclose(file);
  CHECK_EQ(io::read_file(folder.file("log"), no_limit).size(), 6U + 3 * 3 + 5);
  CHECK(!io::names_stream(folder.file("log")) && !io::names_stream(folder.file("absent")) &&
        !io::names_stream("/dev/fd/1x") && !io::names_stream("/dev/null"));
}

// What a killed process leaves under a temporary name goes when the next one writes there, and nothing else does.
TEST(strays_are_removed) {
  const Folder folder;
  const auto put = [&](const std::string& name, const char* text) { std::ofstream(folder.file(name)) << text; };
  const std::string digits = "0123456789abcdef01234567";
  put(".cyclotome-" + digits + ".tmp", "numbers");
  put(".cyclotome-" + digits + ".tmp2", "another's");
  put(".cyclotome-0123.tmp", "another's");
  put(".cyclotome-" + digits.substr(1) + "G.tmp", "another's");
  put(".cyclotome-a" + digits.substr(1) + ".tmp", "");  // perhaps a moment old
  fs::create_symlink("precious", folder.file(".cyclotome-b" + digits.substr(1) + ".tmp"));
  put("precious", "precious");
  const std::string held = folder.file(".cyclotome-c" + digits.substr(1) + ".tmp");
  put(held.substr(folder.path.size() + 1), "a living process's");
  const int file = ::open(held.c_str(), O_RDONLY);
  CHECK_EQ(::flock(file, LOCK_EX), 0);
  io::write_file(folder.file("a"), pattern(10, 1), Privacy::shared);
  CHECK(!fs::exists(folder.file(".cyclotome-" + digits + ".tmp")));
  CHECK(fs::exists(held) && fs::exists(folder.file("precious")));
  CHECK_EQ(folder.entries(), 8U);
  ::close(file);
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
