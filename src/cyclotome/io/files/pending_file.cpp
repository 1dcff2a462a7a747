// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/files/pending_file.hpp"

#include <cerrno>
#include <utility>

#include "cyclotome/io/files/strays.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/platform/files.hpp"

namespace cyclotome::io {

namespace {

constexpr const char* unchanged = "; nothing was changed there";

/// Where the bytes really go: what a symbolic link points to, be there anything or not. Refuses devices, pipes and
/// folders.
std::string resolve_target(const std::string& path) {
  require_whole(path);
  bool found = false;
  const platform::FileStatus status = platform::status_of(path, found);
  if (!found) {
    if (errno == ENOENT) return platform::followed(path);
    fail("write", path);
  }
  const bool open = platform::descriptor_named(path) >= 0;
  if (status.kind != platform::FileKind::regular || open) {
    throw FileError(message("can't write '", path, "': it is ",
                            status.kind == platform::FileKind::folder ? "a folder"
                            : open                                    ? "a file that is open already"
                                                                      : "not a regular file",
                            "; name a file"));
  }
  std::string resolved = platform::resolved(path);
  if (resolved.empty()) fail("write", path);
  return resolved;
}

}  // namespace

PendingFile::PendingFile(const std::string& path, std::span<const std::uint8_t> bytes, Privacy privacy)
    : path_(path), target_(resolve_target(path)), folder_(platform::folder_of(target_)) {
  const bool secret = privacy == Privacy::secret;
  const bool replaces = has_predecessor();
  remove_strays(folder());
  if (!create_unnamed(secret || replaces)) create_named(secret || replaces);
  try {
    // The umask can only have taken rights away; a secret's file has exactly these.
    if (secret && !platform::restrict_to_owner(file_.number()))
      fail("protect", path, "; a secret key needs a file system with modes");
    if (!secret && replaces) platform::take_rights(file_.number(), target_);
    write_all(file_, bytes, path_, unchanged);
    if (!platform::flush(file_.number())) fail("write", path, unchanged);
    if (!name_.empty() && !platform::moves_open_files) file_ = {};
  } catch (...) {
    discard();
    throw;
  }
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      folder_(std::move(other.folder_)),
      file_(std::move(other.file_)),
      name_(std::exchange(other.name_, {})),
      kept_(std::exchange(other.kept_, {})),
      kept_file_(std::move(other.kept_file_)),
      kept_is_temporary_(other.kept_is_temporary_),
      placed_(std::exchange(other.placed_, false)) {}

PendingFile::~PendingFile() { discard(); }

void PendingFile::discard() noexcept {
  if (name_.empty()) return;
  file_ = {};
  platform::remove_file(name_);
}

bool PendingFile::has_predecessor() const noexcept { return platform::is_regular(target_); }

bool PendingFile::create_unnamed(bool owner_only) {
  file_ = Descriptor(platform::create_unnamed(folder(), owner_only));
  if (file_.open()) platform::lock(file_.number(), true);
  return file_.open();
}

void PendingFile::create_named(bool owner_only) {
  std::string name = temporary_name(target_);
  file_ = Descriptor(platform::create_new(name, owner_only));
  if (!file_.open()) fail("create a file beside", path_, "; choose a folder that exists and that you may write to");
  platform::lock(file_.number(), true);
  name_ = std::move(name);
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
  if (kept_is_temporary_) {
    kept_file_ = Descriptor(platform::open_to_read(target_));
    if (kept_file_.open()) platform::lock(kept_file_.number(), false);
  }
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
  constexpr const char* advice = "; choose another name, or ask for it to be replaced";
  if (existing == Existing::refused && platform::is_named(path_)) {  // a link to nothing, too
    errno = EEXIST;
    fail("write", path_, advice);
  }
  if (name_.empty() && link_to(target_)) {
    placed_ = true;
    return;
  }
  if (existing == Existing::refused) {
    give_name();
    if (const int error = platform::move_to_free_name(name_, target_); error != 0) {
      errno = error;
      fail("write", path_, error == EEXIST ? advice : unchanged);
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
    // The predecessor is at its place as well, unless another file is, or the file system knows no second names.
    const bool there = !placed_ && platform::is_named(target_);
    // Where both are names of one file the move does nothing, and the second name goes.
    if (there || platform::replace_file(kept_, target_) == 0) platform::remove_file(kept_);
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
