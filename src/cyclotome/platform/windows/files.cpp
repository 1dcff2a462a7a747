// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "cyclotome/platform/files.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <io.h>
#include <share.h>
#include <sys/stat.h>
#include <system_error>
#include <windows.h>

#include "cyclotome/platform/windows/wide.hpp"

namespace cyclotome::platform {

namespace {

/// The system's last error as errno has them.
int last_error() noexcept {
  const std::error_code error(static_cast<int>(::GetLastError()), std::system_category());
  const std::error_condition known = error.default_error_condition();
  return known.category() == std::generic_category() ? known.value() : EIO;
}

/// What `action` returns for the wide spelling of a path; `refused`, with errno, for what is no UTF-8.
template <class Action, class Result>
Result with_wide(const std::string& path, Result refused, const Action& action) noexcept {
  try {
    return action(wide(path));
  } catch (const std::exception&) {
    errno = EINVAL;
    return refused;
  }
}

/// 0 or an error, of a move or a link.
template <class Action>
int between(const std::string& from, const std::string& to, const Action& action) noexcept {
  return with_wide(from, EINVAL, [&](const std::wstring& source) {
    return with_wide(to, EINVAL, [&](const std::wstring& target) {
      return action(source.c_str(), target.c_str()) != 0 ? 0 : last_error();
    });
  });
}

FileStatus described(const struct _stat64& status) noexcept {
  const FileKind kind = (status.st_mode & _S_IFREG) != 0   ? FileKind::regular
                        : (status.st_mode & _S_IFDIR) != 0 ? FileKind::folder
                        : (status.st_mode & _S_IFIFO) != 0 ? FileKind::pipe
                                                           : FileKind::other;
  // Lists of rights take the place of modes: a file's folder decides, and folders of a user are their owner's.
  return {kind, static_cast<std::uint64_t>(status.st_size), true};
}

}  // namespace

FileStatus status_of(const std::string& path, bool& found) noexcept {
  struct _stat64 status{};
  found = with_wide(path, -1, [&](const std::wstring& name) { return ::_wstat64(name.c_str(), &status); }) == 0;
  return found ? described(status) : FileStatus{};
}

FileStatus status_of(int file, bool& found) noexcept {
  struct _stat64 status{};
  found = ::_fstat64(file, &status) == 0;
  return found ? described(status) : FileStatus{};
}

bool is_named(const std::string& path) noexcept {
  return with_wide(path, false, [](const std::wstring& name) {
    return ::GetFileAttributesW(name.c_str()) != INVALID_FILE_ATTRIBUTES;
  });
}

bool is_regular(const std::string& path) noexcept {
  return with_wide(path, false, [](const std::wstring& name) {
    const DWORD found = ::GetFileAttributesW(name.c_str());
    return found != INVALID_FILE_ATTRIBUTES &&
           (found & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DEVICE)) == 0;
  });
}

bool is_own(const std::string& path) noexcept { return is_regular(path); }

std::string resolved(const std::string& path) {
  std::error_code error;
  const std::filesystem::path name = std::filesystem::canonical(wide(path), error);
  if (error) {
    errno = error.default_error_condition().value();
    return {};
  }
  const std::u8string text = name.generic_u8string();
  return {text.begin(), text.end()};
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(wide(folder), error), end; !error && at != end; at.increment(error)) {
    const std::u8string name = at->path().filename().u8string();
    names.emplace_back(name.begin(), name.end());
  }
  return names;
}

// A folder's entry, link or not, is written where it stands; open files have no names.
std::string followed(const std::string& path) { return path; }
int descriptor_named(const std::string&) { return -1; }

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of("/\\");
  if (slash == std::string::npos) return ".";
  // The root keeps its slash: "C:" alone is the current folder of that drive.
  return slash == 0 || path[slash - 1] == ':' ? path.substr(0, slash + 1) : path.substr(0, slash);
}

int open_to_read(const std::string& path) noexcept {
  return with_wide(
      path, -1, [](const std::wstring& name) { return ::_wopen(name.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT); });
}

int create_new(const std::string& path, bool) noexcept {
  return with_wide(path, -1, [](const std::wstring& name) {
    return ::_wopen(name.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
  });
}

// A file always has a name here.
int create_unnamed(const std::string&, bool) noexcept { return -1; }
const bool moves_open_files = false;
bool link_open_file(int, const std::string&) noexcept { return false; }

int open_pipe(const std::string& path) noexcept {
  return with_wide(
      path, -1, [](const std::wstring& name) { return ::_wopen(name.c_str(), _O_WRONLY | _O_BINARY | _O_NOINHERIT); });
}
int duplicate(int file) noexcept { return ::_dup(file); }

void close_file(int file) noexcept { ::_close(file); }

std::ptrdiff_t read_some(int file, void* data, std::size_t bytes) noexcept {
  return ::_read(file, data, static_cast<unsigned>(std::min<std::size_t>(bytes, 1U << 30)));
}

std::ptrdiff_t write_some(int file, const void* data, std::size_t bytes) noexcept {
  return ::_write(file, data, static_cast<unsigned>(std::min<std::size_t>(bytes, 1U << 30)));
}

// There are no modes: see `described`.
bool restrict_to_owner(int) noexcept { return true; }
void take_rights(int, const std::string&) noexcept {}
// A file that is open can't be removed by anybody else.
bool lock(int, bool) noexcept { return false; }
bool flush(int file) noexcept { return ::_commit(file) == 0; }
void flush_folder(const std::string&) noexcept {}

int link_file(const std::string& from, const std::string& to) noexcept {
  return between(from, to, [](const wchar_t* source, const wchar_t* target) {
    return ::CreateHardLinkW(target, source, nullptr);
  });
}

int move_to_free_name(const std::string& from, const std::string& to) noexcept {
  return between(from, to, [](const wchar_t* source, const wchar_t* target) {
    return ::MoveFileExW(source, target, MOVEFILE_WRITE_THROUGH);
  });
}

bool means_no_links(int error) noexcept { return error != EEXIST && error != ENOENT; }

int replace_file(const std::string& from, const std::string& to) noexcept {
  return between(from, to, [](const wchar_t* source, const wchar_t* target) {
    return ::MoveFileExW(source, target, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
  });
}

int lock_file(const std::string& path) noexcept {
  // A file of its own beside it, which goes with its holder: an open file could not be replaced here.
  return with_wide(path + ".lock", -1, [](const std::wstring& name) {
    while (true) {
      const HANDLE handle = ::CreateFileW(name.c_str(), GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS,
                                          FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
      if (handle != INVALID_HANDLE_VALUE) return ::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_BINARY);
      const DWORD error = ::GetLastError();
      if (error != ERROR_SHARING_VIOLATION && error != ERROR_ACCESS_DENIED) {
        errno = last_error();
        return -1;
      }
      ::Sleep(10);
    }
  });
}

void unlock_file(int lock) noexcept { close_file(lock); }

void remove_file(const std::string& path) noexcept {
  with_wide(path, 0, [](const std::wstring& name) { return ::_wunlink(name.c_str()); });
}

}  // namespace cyclotome::platform

#endif
