// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Files by number and by name, as POSIX has them. Paths are UTF-8 under Windows, elsewhere any bytes but zero. What
// fails says so as its comment tells, and leaves the reason in errno; no function throws for a refusal of the system's.
namespace cyclotome::platform {

enum class FileKind { absent, regular, folder, pipe, other };

struct FileStatus {
  FileKind kind = FileKind::absent;
  std::uint64_t bytes = 0;
  bool owner_only = false;  ///< nobody else may read or write it, as far as modes tell
};

/// What a path leads to, links followed; `found` is false, with errno, where there is nothing or no way to look.
FileStatus status_of(const std::string& path, bool& found) noexcept;
/// The same of an open file.
FileStatus status_of(int file, bool& found) noexcept;
/// Whether the path itself names something, be it a link to nothing; and whether that is a regular file.
bool is_named(const std::string& path) noexcept;
bool is_regular(const std::string& path) noexcept;
/// Whether it is a regular file, and belongs to this process's user.
bool is_own(const std::string& path) noexcept;
/// The path with all links followed; empty, with errno, on failure.
std::string resolved(const std::string& path);
/// What the links of the last name lead to, whether or not there is anything; the path itself where it is no link.
std::string followed(const std::string& path);
/// The number of this process's open file that a path stands for, as /dev/stdout and /dev/fd/3 do, or links to these;
/// -1 for other paths.
int descriptor_named(const std::string& path);

/// The folder of what a path names; "." where it names none.
std::string folder_of(const std::string& path);
/// The names of what lies in a folder; none where it can't be read. Throws std::bad_alloc, which the standard library's
/// iterator over folders ends the process by.
std::vector<std::string> names_in(const std::string& folder);

/// Numbers of open files, which children that run other programs do not inherit; -1 on failure.
int open_to_read(const std::string& path) noexcept;
/// A new file for writing where nothing has that name, with the umask's rights, or for its owner only.
int create_new(const std::string& path, bool owner_only) noexcept;
/// A new file without a name in a folder, to which `link_open_file` gives one; -1 where the system has no such thing.
int create_unnamed(const std::string& folder, bool owner_only) noexcept;
/// A pipe that has a name, for writing; ENXIO where nobody reads from it.
int open_pipe(const std::string& path) noexcept;
/// Another number of the same open file.
int duplicate(int file) noexcept;
void close_file(int file) noexcept;

/// Bytes read (0 at the end) or written; -1 on failure, EINTR among the reasons, and EPIPE, which sends no signal.
std::ptrdiff_t read_some(int file, void* data, std::size_t bytes) noexcept;
std::ptrdiff_t write_some(int file, const void* data, std::size_t bytes) noexcept;
/// Takes all rights from everybody but the owner. Whether that worked.
bool restrict_to_owner(int file) noexcept;
/// Gives the rights that the file `like` has, where the system has rights and lets one.
void take_rights(int file, const std::string& like) noexcept;
/// Takes a lock on an open file, which it keeps until it is closed, also by the process's end: alone, or beside others.
/// False, at once, where somebody else's is in the way, or the file system has none.
bool lock(int file, bool alone) noexcept;
/// Waits until the file's bytes are on the disk.
bool flush(int file) noexcept;
/// Waits until a folder's names are on the disk, where the file system can; else nothing.
void flush_folder(const std::string& folder) noexcept;

/// Whether a file can be moved while it is open.
extern const bool moves_open_files;

/// Gives an unnamed open file a name that is free. Whether that worked.
bool link_open_file(int file, const std::string& to) noexcept;
/// Gives a file a second name, or another one, that is free. 0 or an error: EEXIST where the name is taken.
int link_file(const std::string& from, const std::string& to) noexcept;
int move_to_free_name(const std::string& from, const std::string& to) noexcept;
/// Whether an error of `link_file` means that the file system, or its owner, allows no second names.
bool means_no_links(int error) noexcept;
/// Moves a file, in one step, in place of what has the name `to`. 0 or an error.
int replace_file(const std::string& from, const std::string& to) noexcept;
/// Waits until no other process, and nothing else in this one, holds the file of this name by this function, and holds
/// it: a number for `unlock_file`, or -1. Whoever holds it may replace the file.
int lock_file(const std::string& path) noexcept;
void unlock_file(int lock) noexcept;
/// Takes a file's name away; nobody needs to know whether that worked.
void remove_file(const std::string& path) noexcept;

}  // namespace cyclotome::platform
