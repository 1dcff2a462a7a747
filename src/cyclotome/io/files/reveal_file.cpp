// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/files/reveal_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "cyclotome/io/files/file.hpp"
#include "cyclotome/math/sha256.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/math/text/whole_text.hpp"
#include "cyclotome/platform/files.hpp"
#include "cyclotome/rlwe/noise/reveal_budget.hpp"

namespace cyclotome::io {

namespace {

using rlwe::KeyId;
using rlwe::RevealCount;

constexpr std::uint64_t most_bytes = 1024;
constexpr std::size_t shown_digits = 16;
/// Where two begin at once one finds that the other has made the file.
constexpr int attempts = 100;

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string text_of(const KeyId& key, const RevealCount& count) {
  const std::string lines = whole_text("cyclotome reveals 1\nkey ", hexadecimal(key), "\nplanned ", count.planned,
                                       "\nspent ", count.spent, "\n");
  return lines + "check " + hexadecimal(sha256(bytes_of(lines))).substr(0, shown_digits) + "\n";
}

/// The number of a line "name number".
std::uint64_t number_after(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\n" + name + " ");
  std::uint64_t number = 0;
  if (at == std::string::npos) return 0;
  const char* const first = text.data() + at + name.size() + 2;
  std::from_chars(first, text.data() + text.size(), number);
  return number;
}

class Lock {
 public:
  explicit Lock(int number) : number_(number) {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { platform::unlock_file(number_); }

 private:
  int number_;
};

class RevealFile final : public rlwe::RevealStore {
 public:
  /// beside: of a key's own folder; where that is gone, so is the key's file, and the process alone counts.
  RevealFile(const KeyId& key, std::string path, bool beside) : key_(key), path_(std::move(path)), beside_(beside) {}

  RevealCount read(const RevealCount& otherwise) override { return exists() ? parsed() : otherwise; }

  RevealCount change(const RevealCount& otherwise,
                     const std::function<RevealCount(const RevealCount&)>& changed) override {
    for (int i = 0; i < attempts; ++i) {
      if (!exists()) {
        if (beside_ && !has_folder()) return changed(otherwise);
        if (make(changed(otherwise))) return parsed();
        continue;
      }
      const int number = platform::lock_file(path_);
      if (number < 0 && errno == ENOENT) continue;
      if (number < 0) refuse(std::strerror(errno));
      const Lock lock(number);
      const RevealCount count = changed(parsed());
      write(count, Existing::replaced);
      return count;
    }
    refuse("it comes and goes");
  }

  std::string where() const override { return path_; }

 private:
  bool exists() const {
    bool found = false;
    return platform::status_of(path_, found).kind != platform::FileKind::absent && found;
  }

  bool has_folder() const {
    bool found = false;
    return platform::status_of(platform::folder_of(path_), found).kind == platform::FileKind::folder;
  }

  /// False where somebody else has made it meanwhile.
  bool make(const RevealCount& count) {
    try {
      write(count, Existing::refused);
      return true;
    } catch (const FileError&) {
      if (exists()) return false;
      throw;
    }
  }

  void write(const RevealCount& count, Existing existing) const {
    const std::string text = text_of(key_, count);
    try {
      write_file(path_, bytes_of(text), Privacy::secret, existing);
    } catch (const FileError& error) {
      if (existing == Existing::refused && exists()) throw;
      refuse(error.what());
    }
  }

  RevealCount parsed() const {
    const Bytes bytes = read_file(path_, most_bytes);
    const std::string text(bytes.begin(), bytes.end());
    const RevealCount count{number_after(text, "planned"), number_after(text, "spent")};
    const std::string key = "\nkey ";
    if (const std::size_t at = text.find(key);
        at != std::string::npos && text.compare(at + key.size(), 2 * key_.size(), hexadecimal(key_)) != 0) {
      throw MismatchError(
          message("reveal: '", path_, "' counts what another key reveals; name another file for this one"));
    }
    if (text != text_of(key_, count)) {
      throw FormatError(message("reveal: '", path_,
                                "', which counts what this key reveals, is damaged; bring back a copy of it, "
                                "or delete it if you know that hardly anything was revealed, and plan that many less"));
    }
    return count;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw FileError(message("reveal: what is revealed is counted in '", path_,
                            "' before it is decrypted, which failed: ", why,
                            "; make the folder writable, or name another file (keep_reveals)"));
  }

  KeyId key_;
  std::string path_;
  bool beside_;
};

}  // namespace

std::string reveal_file_beside(const std::string& key_path, const KeyId& key) {
  const std::string target = platform::resolved(key_path);
  return platform::folder_of(target.empty() ? key_path : target) + "/reveals-" +
         hexadecimal(key).substr(0, shown_digits) + ".count";
}

void keep_reveals(const KeyId& key, const std::string& path) {
  rlwe::keep_reveals(key, std::make_shared<RevealFile>(key, path, false), true);
}

bool keep_reveals_beside(const rlwe::SecretKey& key, const std::string& key_path) {
  if (!platform::is_regular(platform::resolved(key_path))) return false;
  rlwe::keep_reveals(key.id(), std::make_shared<RevealFile>(key.id(), reveal_file_beside(key_path, key.id()), true));
  return true;
}

RevealsBeside::RevealsBeside(const rlwe::SecretKey& key, const std::string& key_path)
    : key_(key.id()),
      path_(reveal_file_beside(key_path, key_)),
      store_(std::make_shared<RevealFile>(key_, path_, true)) {
  const RevealCount count = rlwe::reveals_of(key_);
  if (count.planned == rlwe::usual_reveals && count.spent == 0) return;
  bool found = false;
  made_ = platform::status_of(path_, found).kind == platform::FileKind::absent;
  store_->change(
      count, [&](const RevealCount& there) { return RevealCount{there.planned, std::max(there.spent, count.spent)}; });
}

RevealsBeside::~RevealsBeside() {
  if (made_) platform::remove_file(path_);
}

void RevealsBeside::keep() {
  rlwe::keep_reveals(key_, std::move(store_));
  made_ = false;
}

}  // namespace cyclotome::io
