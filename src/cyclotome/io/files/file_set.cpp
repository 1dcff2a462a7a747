// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/files/file_set.hpp"

#include <algorithm>

#include "cyclotome/platform/files.hpp"

namespace cyclotome::io {

void FileSet::add(const std::string& path, std::span<const std::uint8_t> bytes, Privacy privacy, Existing existing,
                  const std::string& label) {
  entries_.push_back({PendingFile(path, bytes, privacy), existing, label});
}

std::vector<std::string> FileSet::commit() {
  std::vector<std::string> kept;
  try {
    // Everything that is to be replaced gets a second name first: what can still fail then can be undone. The last file
    // needs none: when it has its name, nothing can fail any more.
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Entry& entry = entries_[i];
      const bool last = i + 1 == entries_.size();
      if (entry.existing == Existing::refused || !entry.file.has_predecessor()) continue;
      if (last && entry.label.empty()) continue;
      const std::string& name = entry.file.keep_predecessor(entry.label);
      if (!entry.label.empty()) kept.push_back(name);
    }
    flush_folders();
    for (Entry& entry : entries_) entry.file.place(entry.existing);
  } catch (...) {
    for (std::size_t i = entries_.size(); i-- > 0;) entries_[i].file.undo();
    throw;
  }
  for (Entry& entry : entries_) entry.file.settle();
  flush_folders();
  entries_.clear();
  return kept;
}

void FileSet::flush_folders() const noexcept {
  // New names reach the disk with their folder; not every file system lets one flush a folder, and the files are
  // complete already.
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::string& name = entries_[i].file.folder();
    const auto same = [&](const Entry& entry) { return entry.file.folder() == name; };
    if (std::none_of(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(i), same)) {
      platform::flush_folder(name);
    }
  }
}

}  // namespace cyclotome::io
