// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "cyclotome/io/container/bytes.hpp"
#include "cyclotome/io/files/file_options.hpp"

namespace cyclotome::io {

/// Writes `bytes` to a file without a name, flushes it to the disk and gives it its name: at every moment `path` is the
/// old file, or the new one, whole, and a process that is killed leaves nothing else (doc/secrets.md has the
/// limits of that). A symbolic link is followed, and a file that is replaced passes its rights on
/// to one that is not secret. A pipe, and an open file by its name (/dev/stdout), get the bytes as they are, and maybe
/// a part of them; no secret. Throws FileError, naming the path, when the disk is full, the folder is not writable, or
/// `path` is a folder or a device; then the old file is as it was. Throws ArgumentError for a path with a zero byte, as
/// all functions here do. Several files at once: io/files/file_set.hpp.
void write_file(const std::string& path, std::span<const std::uint8_t> bytes, Privacy privacy,
                Existing existing = Existing::replaced);

/// Whether `write_file` writes through: a pipe, or an open file by its name. There is nothing to be replaced then.
bool names_stream(const std::string& path);

/// The bytes of a file, pipe or the like; those of a secret key in locked memory. Throws FileError when it can't be
/// read, and FormatError when it has more than `max_bytes` bytes.
Bytes read_file(const std::string& path, std::uint64_t max_bytes);

/// The same for a file that should hold an object of this library: what does not begin as one, or announces more bytes
/// than the limit, is refused before it is read.
Bytes read_object_file(const std::string& path, std::uint64_t max_bytes);

/// True if nobody but its owner (and the administrator) may read or write the file, by its mode bits. A secret key's
/// file should be; callers warn when it is not. Throws FileError when there is no such file.
bool file_is_private(const std::string& path);

}  // namespace cyclotome::io
