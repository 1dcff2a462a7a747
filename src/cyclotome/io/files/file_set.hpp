// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/io/files/pending_file.hpp"

namespace cyclotome::io {

/// Files that belong together and appear together: all of them or, where anything fails, none, and what they would have
/// replaced is as it was. A process that is killed while they get their names leaves, for each, the old file or the new
/// one, whole.
class FileSet {
 public:
  /// Writes the bytes and flushes them to the disk; under `path` nothing changes yet. With a label, a file that has the
  /// name stays as `path`.label. Throws FileError.
  void add(const std::string& path, std::span<const std::uint8_t> bytes, Privacy privacy, Existing existing,
           const std::string& label = {});
  /// Gives the files their names, in the order in which they were added. Returns the names of the predecessors that
  /// stay. Throws FileError.
  std::vector<std::string> commit();

 private:
  struct Entry {
    PendingFile file;
    Existing existing;
    std::string label;
  };
  void flush_folders() const noexcept;

  std::vector<Entry> entries_;
};

}  // namespace cyclotome::io
