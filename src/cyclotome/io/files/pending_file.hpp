// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "cyclotome/io/container/descriptor.hpp"
#include "cyclotome/io/files/file_options.hpp"

namespace cyclotome::io {

/// A file whose bytes are on the disk, but which is not at its place yet. It has no name where the file system offers
/// that (O_TMPFILE), else a temporary one, which is removed with this object. Every step may fail with FileError, and
/// can be undone. What a process leaves that is killed while a temporary name is there, the next one removes that
/// writes into the folder (strays.hpp).
class PendingFile {
 public:
  /// Writes and flushes the bytes, beside what `path` is or points to. A file that is not secret gets the rights of the
  /// one that it will replace, else the umask's. Throws ArgumentError for a path with a zero byte.
  PendingFile(const std::string& path, std::span<const std::uint8_t> bytes, Privacy privacy);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();

  /// The folder that it will lie in.
  const std::string& folder() const noexcept { return folder_; }
  /// Whether there is a file at its place now, and nothing else.
  bool has_predecessor() const noexcept;
  /// Gives the file that is at its place now, the predecessor, a second name, and returns it: the path, a dot and
  /// `label` (and a number, should that name be taken); for an empty label a temporary name.
  const std::string& keep_predecessor(const std::string& label);
  /// Moves it to its place.
  void place(Existing existing);
  /// Takes it away again, and puts the predecessor that was kept back.
  void undo() noexcept;
  /// Makes it final: a predecessor with a label stays, one with a temporary name is removed.
  void settle() noexcept;

 private:
  bool create_unnamed(bool owner_only);
  void create_named(bool owner_only);
  bool link_to(const std::string& name) noexcept;
  void give_name();
  void discard() noexcept;

  std::string path_, target_, folder_;  // as it was given, with links followed, and where that lies
  Descriptor file_;
  std::string name_;      // its temporary name; empty for none
  std::string kept_;      // its predecessor's other name; empty for none
  Descriptor kept_file_;  // locked, while that name is a temporary one
  bool kept_is_temporary_ = false, placed_ = false;
};

}  // namespace cyclotome::io
