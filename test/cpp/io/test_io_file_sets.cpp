// SPDX-License-Identifier: Apache-2.0
// Files that belong together: all or none, whatever fails; predecessors that are kept; and a set of keys made of them.

#include <csignal>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bfv_fixture.hpp"
#include "check.hpp"
#include "cyclotome/io/files/file_set.hpp"
#include "cyclotome/io/keys/key_files.hpp"
#include "cyclotome/io/keys/keys_io.hpp"
#include "cyclotome/io/keys/protected_key.hpp"
#include "cyclotome/io/objects/inspect.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/sha256.hpp"
#include "cyclotome/ring/randomness/libcrypto.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "folder.hpp"

namespace {

using namespace cyclotome;
namespace fs = std::filesystem;
using check::Folder;
using check::pattern;
using io::Existing;
using io::FileSet;
using io::Privacy;

const std::string names[] = {"first", "second", "third"};

io::Bytes content(const std::string& path) { return io::read_file(path, 1 << 24); }
bool holds(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  return std::ranges::equal(content(path), bytes);
}

// Three files, `which` of which is put in the way of by a folder when all of them are written.
void commit_with_obstacle(const Folder& folder, std::size_t which, const std::string& label) {
  FileSet set;
  for (std::size_t i = 0; i < 3; ++i) {
    set.add(folder.file(names[i]), pattern(100 + i, 9), Privacy::secret, Existing::replaced, i == 0 ? label : "");
  }
  fs::remove(folder.file(names[which]));
  fs::create_directory(folder.file(names[which]));
  set.commit();
}

TEST(a_set_appears_together) {
  const Folder folder;
  FileSet set;
  for (std::size_t i = 0; i < 3; ++i) {
    set.add(folder.file(names[i]), pattern(100 + i, 3), Privacy::secret, Existing::refused);
  }
  CHECK_EQ(folder.entries(), 0U);  // not even under a temporary name
  CHECK(set.commit().empty());
  for (std::size_t i = 0; i < 3; ++i) CHECK(holds(folder.file(names[i]), pattern(100 + i, 3)));
  CHECK_EQ(folder.entries(), 3U);
}

TEST(a_set_that_is_given_up_leaves_nothing) {
  const Folder folder;
  io::write_file(folder.file("first"), pattern(10, 1), Privacy::shared);
  {
    FileSet set;
    set.add(folder.file("first"), pattern(100, 3), Privacy::secret, Existing::replaced);
    CHECK_THROWS(FileError, set.add(folder.file("none/second"), pattern(100, 3), Privacy::secret, Existing::replaced));
  }
  CHECK(holds(folder.file("first"), pattern(10, 1)));
  CHECK_EQ(folder.entries(), 1U);
}

TEST(what_fails_at_the_end_is_undone) {
  for (const bool there_before : {false, true}) {
    for (const std::string label : {"", "old"}) {
      for (std::size_t which = 0; which < 3; ++which) {
        const Folder folder;
        for (std::size_t i = 0; there_before && i < 3; ++i) {
          io::write_file(folder.file(names[i]), pattern(50, static_cast<std::uint8_t>(i)), Privacy::shared);
        }
        CHECK_THROWS(FileError, commit_with_obstacle(folder, which, label));
        for (std::size_t i = 0; i < 3; ++i) {
          if (i == which) continue;
          CHECK_EQ(fs::exists(folder.file(names[i])), there_before);
          if (there_before) CHECK(holds(folder.file(names[i]), pattern(50, static_cast<std::uint8_t>(i))));
        }
        CHECK_EQ(folder.entries(), there_before ? 3U : 1U);
      }
    }
  }
}

// Where the system does not find files without names, they have temporary ones. A child without /proc is such a system.
TEST(without_unnamed_files_all_is_the_same) {
  const Folder folder;
  io::write_file(folder.file("first"), pattern(10, 1), Privacy::secret);
  std::cout.flush();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", "/proc", "tmpfs", 0, nullptr) != 0) {
      ::_exit(77);
    }
    const rlimit small{1000, 1000};
    std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &small);
    FileSet set;
    set.add(folder.file("first"), pattern(100, 3), Privacy::secret, Existing::replaced, "old");
    set.add(folder.file("second"), pattern(101, 3), Privacy::secret, Existing::refused);
    const bool named = folder.entries() == 3 && check::mode(folder.file("first")) == 0600;
    try {
      set.add(folder.file("third"), pattern(5000, 3), Privacy::secret, Existing::replaced);
    } catch (const FileError&) {
      ::_exit(named && set.commit().size() == 1 ? 0 : 1);
    }
    ::_exit(2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) {
    std::cout << "left out: mounting takes rights that this process lacks\n";
    return;
  }
  CHECK_EQ(WEXITSTATUS(status), 0);
  CHECK(holds(folder.file("first"), pattern(100, 3)) && holds(folder.file("second"), pattern(101, 3)));
  CHECK(holds(folder.file("first.old"), pattern(10, 1)));
  CHECK_EQ(check::mode(folder.file("second")), 0600U);
  CHECK_EQ(folder.entries(), 3U);
}

TEST(predecessors_are_kept_and_never_overwritten) {
  const Folder folder;
  const std::string path = folder.file("key");
  for (std::uint8_t i = 0; i < 4; ++i) {
    FileSet set;
    set.add(path, pattern(20, i), Privacy::secret, Existing::replaced, "old");
    const auto kept = set.commit();
    CHECK_EQ(kept.size(), i == 0 ? 0U : 1U);
    if (i > 0) CHECK(holds(kept[0], pattern(20, i - 1)));
  }
  CHECK(holds(path, pattern(20, 3)));
  for (std::uint8_t i = 0; i < 3; ++i) {
    CHECK(holds(path + ".old" + (i == 0 ? "" : "-" + std::to_string(i + 1)), pattern(20, i)));
  }
}

// --- keys
// -------------------------------------------------------------------------------------------------------------
struct Keys {
  rlwe::SecretKey secret;
  rlwe::PublicKey public_key;
  rlwe::EvaluationKeys evaluation;
  Keys(const rlwe::ContextPtr& context, std::uint8_t first)
      : secret(rlwe::deterministic::generate_secret_key(context, check::seed(first))),
        public_key(rlwe::deterministic::generate_public_key(secret, check::seed(first + 1))),
        evaluation(rlwe::deterministic::generate_evaluation_keys(secret, true, {}, check::seed(first + 2))) {}
};

rlwe::ContextPtr small_context() {
  rlwe::ParametersLiteral p = check::literal(Word::u64, 1);
  p.plain_moduli = {12289};
  return bfv::make_context(rlwe::Parameters(p), CpuEngine::create(1));
}

io::KeyPaths paths_in(const Folder& folder) {
  return {folder.file("secret.key"), folder.file("public.key"), folder.file("evaluation.key")};
}

rlwe::KeyId id_of(const std::string& path) {
  const io::Bytes bytes = content(path);
  return io::Container(bytes, {.allow_insecure = true}).key_id();
}

TEST(keys_replace_keys_whole_and_the_old_secret_stays) {
  const Folder folder;
  const io::KeyPaths paths = paths_in(folder);
  const rlwe::ContextPtr context = small_context();
  const Keys old(context, 1), fresh(context, 11);
  CHECK_EQ(io::write_keys(paths, old.secret, old.public_key, old.evaluation), "");
  CHECK_EQ(check::mode(paths.secret), 0600U);
  CHECK_THROWS_WITH(FileError, io::write_keys(paths, fresh.secret, fresh.public_key, fresh.evaluation), "exists");
  CHECK(id_of(paths.secret) == old.secret.id() && id_of(paths.public_key) == old.secret.id());
  CHECK_THROWS(MismatchError, io::write_keys(paths, fresh.secret, old.public_key, fresh.evaluation));

  const io::KeyFileOptions replace{.existing = Existing::replaced};
  const std::string backup = io::write_keys(paths, fresh.secret, fresh.public_key, fresh.evaluation, replace);
  CHECK(backup.starts_with(paths.secret + ".bak-"));
  CHECK(id_of(backup) == old.secret.id());
  for (const auto& path : {paths.secret, paths.public_key, paths.evaluation}) CHECK(id_of(path) == fresh.secret.id());
  CHECK_EQ(folder.entries(), 4U);
  // The same key once more loses nothing, so nothing is kept: no copy without a passphrase stays behind one with it.
  CHECK_EQ(io::write_secret_key(paths.secret, fresh.secret, replace), "");
  // What is no key could be one that was damaged.
  io::write_file(paths.secret, pattern(77, 1), Privacy::secret);
  CHECK(holds(io::write_secret_key(paths.secret, old.secret, replace), pattern(77, 1)));
}

TEST(keys_that_do_not_fit_on_the_disk_leave_the_old_ones) {
  const Folder folder;
  const io::KeyPaths paths = paths_in(folder);
  const rlwe::ContextPtr context = small_context();
  const Keys old(context, 1), fresh(context, 11);
  io::write_keys(paths, old.secret, old.public_key, old.evaluation);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  // Too small for the evaluation keys; for the public key too; for all three.
  const std::size_t sizes[] = {fs::file_size(paths.evaluation), fs::file_size(paths.public_key),
                               fs::file_size(paths.secret)};
  for (const std::size_t size : sizes) {
    const rlimit small{size - 1, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    CHECK_THROWS_WITH(
        FileError,
        io::write_keys(paths, fresh.secret, fresh.public_key, fresh.evaluation, {.existing = Existing::replaced}),
        "File too large");
    ::setrlimit(RLIMIT_FSIZE, &before);
    for (const auto& path : {paths.secret, paths.public_key, paths.evaluation}) CHECK(id_of(path) == old.secret.id());
    CHECK_EQ(folder.entries(), 3U);
  }
}

// --- passphrases
// ------------------------------------------------------------------------------------------------------
using Phrase = std::vector<std::uint8_t>;
const Phrase phrase = {'c', 'o', 'r', 'r', 'e', 'c', 't', 0xc3, 0xa9};
constexpr io::ScryptCost quick{10, 8, 1};

io::Bytes resealed(io::Bytes bytes) {
  const auto body = std::span(bytes).first(bytes.size() - 32);
  std::ranges::copy(sha256(body), std::span(bytes).last(32).begin());
  return bytes;
}

TEST(a_protected_key_opens_with_its_passphrase_only) {
  if (libcrypto::state() != "ready") {
    std::cout << "left out, " << libcrypto::state() << '\n';
    return;
  }
  const rlwe::ContextPtr context = small_context();
  const Keys keys(context, 1);
  const std::vector<std::uint8_t> note = {'{', '}'};
  const io::Bytes bytes = io::serialize_protected(keys.secret, phrase, note, quick);
  const io::Limits insecure{.allow_insecure = true};
  const auto open = [&](const io::Bytes& data, const Phrase& with) {
    return io::read_protected_key(io::Container(data, insecure), context, with);
  };
  CHECK(open(bytes, phrase).coefficients() == keys.secret.coefficients());
  CHECK(open(bytes, phrase).id() == keys.secret.id());
  CHECK(io::serialize_protected(keys.secret, phrase, note, quick) != bytes);  // another salt
  Phrase wrong = phrase;
  wrong.push_back(' ');
  CHECK_THROWS(PassphraseError, open(bytes, wrong));
  CHECK_THROWS_WITH(PassphraseError, open(bytes, {}), "none was given");
  CHECK_THROWS_WITH(ArgumentError, io::serialize_protected(keys.secret, {}), "no characters");
  CHECK_THROWS_WITH(FormatError, io::read_secret_key(io::Container(bytes, insecure), context), "protected");
  CHECK_EQ(io::inspect(bytes).protection->log2_n, 10U);
  CHECK(!io::inspect(io::serialize(keys.secret)).protection.has_value());

  // Nothing of the key is readable in the file, and no byte of it can be changed unseen.
  const io::Bytes open_bytes = io::serialize(keys.secret);
  const io::Container open_container(open_bytes, insecure);
  const auto coefficients = open_container.payload()[0].bytes.subspan(100, 16);
  CHECK(std::search(bytes.begin(), bytes.end(), coefficients.begin(), coefficients.end()) == bytes.end());
  int opened = 0;
  for (std::size_t i = 0; i < bytes.size() - 32; i += i < 700 ? 1 : 7) {
    io::Bytes changed = bytes;
    changed[i] ^= 1;
    try {
      open(resealed(changed), phrase);
      ++opened;
    } catch (const Error&) {  // of whichever kind
    }
  }
  CHECK_EQ(opened, 0);
}

TEST(a_hostile_file_can_not_ask_for_much) {
  if (libcrypto::state() != "ready") return;
  const rlwe::ContextPtr context = small_context();
  const Keys keys(context, 1);
  const io::Bytes bytes = io::serialize_protected(keys.secret, phrase, {}, quick);
  const io::Container container(bytes, {.allow_insecure = true});
  const std::size_t start = container.payload()[0].offset;
  const std::pair<std::size_t, std::uint32_t> changes[] = {{0, 2},          {4, 9},  {4, 21},         {4, 63},
                                                           {4, 0xffffffff}, {8, 9},  {8, 1 << 30},    {8, 0},
                                                           {12, 0},         {12, 5}, {12, 0xffffffff}};
  for (const auto& [offset, value] : changes) {
    io::Bytes changed = bytes;
    for (std::size_t i = 0; i < 4; ++i) changed[start + offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
    changed = resealed(changed);
    CHECK_THROWS(FormatError,
                 io::read_protected_key(io::Container(changed, {.allow_insecure = true}), context, phrase));
    CHECK_THROWS(FormatError, io::inspect(changed));
  }
  for (const io::ScryptCost& cost : {io::ScryptCost{9, 8, 1}, io::ScryptCost{21, 8, 1}, io::ScryptCost{17, 8, 5}}) {
    CHECK_THROWS_WITH(ArgumentError, io::serialize_protected(keys.secret, phrase, {}, cost), "out of bounds");
  }
}

}  // namespace

int main() { return check::run(); }
