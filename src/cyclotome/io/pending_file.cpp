// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/pending_file.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/platform/files.hpp"
#include "cyclotome/ring/sampling.hpp"

namespace cyclotome::io {

namespace {

constexpr const char* unchanged = "; nothing was changed there";

/// Where the bytes really go: what a symbolic link points to. Refuses devices, pipes and folders.
std::string resolve_target(const std::string& path) {
  bool found = false;
  const platform::FileStatus status = platform::status_of(path, found);
  if (!found) {
    if (errno == ENOENT) return path;
    fail("write", path);
  }
  if (status.kind != platform::FileKind::regular) {
    throw FileError(message("can't write '", path, "': it is ",
                            status.kind == platform::FileKind::folder ? "a folder" : "not a regular file",
                            "; name a file"));
  }
  std::string resolved = platform::resolved(path);
  if (resolved.empty()) fail("write", path);
  return resolved;
}

/// A name beside `target` that nobody can guess.
std::string temporary_name(const std::string& target) {
  constexpr char digits[] = "0123456789abcdef";
  std::string name = platform::folder_of(target) + "/.cyclotome-";
  const Seed random = Seed::from_system();
  for (std::size_t i = 0; i < 12; ++i) {
    name += digits[random.bytes()[i] >> 4];
    name += digits[random.bytes()[i] & 15];
  }
  return name + ".tmp";
}

}  // namespace

PendingFile::PendingFile(const std::string& path, std::span<const std::uint8_t> bytes, Privacy privacy)
    : path_(path), target_(resolve_target(path)) {
  const bool secret = privacy == Privacy::secret;
  if (!create_unnamed(secret)) create_named(secret);
  try {
    // The umask can only have taken rights away; a secret's file has exactly these.
    if (secret && !platform::restrict_to_owner(file_.number()))
      fail("protect", path, "; a secret key needs a file system with modes");
    write(bytes);
    if (!platform::flush(file_.number())) fail("write", path, unchanged);
    // Not every system moves or removes files that are open; one without a name lives only as long as it is.
    if (!name_.empty()) file_ = {};
  } catch (...) {
    discard();
    throw;
  }
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      file_(std::move(other.file_)),
      name_(std::exchange(other.name_, {})),
      kept_(std::exchange(other.kept_, {})),
      kept_is_temporary_(other.kept_is_temporary_),
      placed_(std::exchange(other.placed_, false)) {}

PendingFile::~PendingFile() { discard(); }

void PendingFile::discard() noexcept {
  if (name_.empty()) return;
  file_ = {};
  platform::remove_file(name_);
}

std::string PendingFile::folder() const { return platform::folder_of(target_); }

bool PendingFile::has_predecessor() const noexcept { return platform::is_regular(target_); }

bool PendingFile::create_unnamed(bool secret) {
  file_ = Descriptor(platform::create_unnamed(folder(), secret));
  return file_.open();
}

void PendingFile::create_named(bool secret) {
  std::string name = temporary_name(target_);
  file_ = Descriptor(platform::create_new(name, secret));
  if (!file_.open()) fail("create a file beside", path_, "; choose a folder that exists and that you may write to");
  name_ = std::move(name);
}

void PendingFile::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    check_interrupt();
    const std::ptrdiff_t written =
        platform::write_some(file_.number(), bytes.data(), std::min(bytes.size(), piece_bytes));
    if (written < 0) {
      if (errno == EINTR) {
        check_interrupt_now();
        continue;
      }
      fail("write", path_, unchanged);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

bool PendingFile::link_to(const std::string& name) noexcept { return platform::link_open_file(file_.number(), name); }

void PendingFile::give_name() {
  if (!name_.empty()) return;
  std::string name = temporary_name(target_);
  if (!link_to(name)) fail("create a file beside", path_, unchanged);
  name_ = std::move(name);
}

const std::string& PendingFile::keep_predecessor(const std::string& label) {
  constexpr int attempts = 1000;
  kept_is_temporary_ = label.empty();
  for (int attempt = 1; attempt <= attempts; ++attempt) {
    std::string name = kept_is_temporary_ ? temporary_name(target_) : target_ + "." + label;
    if (attempt > 1 && !kept_is_temporary_) name += "-" + std::to_string(attempt);
    int error = platform::link_file(target_, name);
    if (error != 0 && platform::means_no_links(error)) error = platform::move_to_free_name(target_, name);
    if (error == 0) return kept_ = std::move(name);
    errno = error;
    if (error != EEXIST) break;
  }
  fail("keep the old file", target_, unchanged);
}

void PendingFile::place(Existing existing) {
  if (name_.empty() && link_to(target_)) {
    placed_ = true;
    return;
  }
  if (existing == Existing::refused) {
    give_name();
    if (const int error = platform::move_to_free_name(name_, target_); error != 0) {
      errno = error;
      fail("write", path_, error == EEXIST ? "; choose another name, or ask for it to be replaced" : unchanged);
    }
  } else {
    give_name();
    if (const int error = platform::replace_file(name_, target_); error != 0) {
      errno = error;
      fail("replace", path_, unchanged);
    }
  }
  name_.clear();
  placed_ = true;
}

void PendingFile::undo() noexcept {
  if (!kept_.empty()) {
    // Where both are names of one file the move does nothing, and the second name goes.
    if (platform::replace_file(kept_, target_) == 0) platform::remove_file(kept_);
    kept_.clear();
  } else if (placed_) {
    platform::remove_file(target_);
  }
  placed_ = false;
}

void PendingFile::settle() noexcept {
  if (kept_is_temporary_ && !kept_.empty()) platform::remove_file(kept_);
  kept_.clear();
}

}  // namespace cyclotome::io
