// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "cyclotome/io/descriptor.hpp"
#include "cyclotome/io/file_options.hpp"

namespace cyclotome::io {

/// A file whose bytes are on the disk, but which is not at its place yet. It has no name where the file system offers
/// that (O_TMPFILE), else a temporary one, which is removed with this object. Every step may fail with FileError, and
/// can be undone.
class PendingFile {
 public:
  /// Writes and flushes the bytes, beside what `path` is or points to.
  PendingFile(const std::string& path, std::span<const std::uint8_t> bytes, Privacy privacy);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();

  /// The folder that it will lie in.
  std::string folder() const;
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
  bool create_unnamed(bool secret);
  void create_named(bool secret);
  void write(std::span<const std::uint8_t> bytes);
  bool link_to(const std::string& name) noexcept;
  void give_name();
  void discard() noexcept;

  std::string path_, target_;  // as it was given, and with links followed
  Descriptor file_;
  std::string name_;  // its temporary name; empty for none
  std::string kept_;  // its predecessor's other name; empty for none
  bool kept_is_temporary_ = false, placed_ = false;
};

}  // namespace cyclotome::io
