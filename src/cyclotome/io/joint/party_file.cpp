// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/joint/party_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cyclotome/io/files/file.hpp"
#include "cyclotome/io/joint/threshold_io.hpp"
#include "cyclotome/io/keys/protected_key.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/platform/files.hpp"

namespace cyclotome::io {

namespace {

/// Far more than there is to keep, but for metadata.
constexpr std::uint64_t most_bytes = std::uint64_t{4} << 20;

/// Holds a file while it lives.
class Held {
 public:
  explicit Held(const std::string& path) : lock_(platform::lock_file(path)) {
    if (lock_ >= 0) return;
    throw FileError(message(path, " can't be held while it changes: ", std::strerror(errno),
                            "; a party's file needs a file system with locks"));
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { platform::unlock_file(lock_); }

 private:
  int lock_;
};

}  // namespace

PartyFile::PartyFile(const std::string& path, const rlwe::ThresholdSession& session, const PartyPassphrase& passphrase)
    : path_(path), session_(session) {
  if (!passphrase) return;
  passphrase_.emplace(passphrase->size(), Residence::locked);
  std::ranges::copy(*passphrase, passphrase_->begin());
}

std::shared_ptr<PartyFile> PartyFile::create(const std::string& path, const rlwe::ThresholdSession& session,
                                             std::uint32_t party, const PartyPassphrase& passphrase) {
  const std::shared_ptr<PartyFile> file(new PartyFile(path, session, passphrase));
  write_file(path, file->bytes_of(rlwe::PartyState::create(session, party)), Privacy::secret, Existing::refused);
  return file;
}

std::shared_ptr<PartyFile> PartyFile::open(const std::string& path, const rlwe::ThresholdSession& session,
                                           const PartyPassphrase& passphrase) {
  const std::shared_ptr<PartyFile> file(new PartyFile(path, session, passphrase));
  static_cast<void>(file->read());
  return file;
}

Bytes PartyFile::bytes_of(const rlwe::PartyState& state) const {
  return passphrase_ ? serialize_protected(session_, state, *passphrase_) : serialize(session_, state);
}

rlwe::PartyState PartyFile::read() {
  const Bytes bytes = read_object_file(path_, most_bytes);
  // The session was accepted, whatever its parameters are, and the file has to be of it.
  const Container container(bytes, {.allow_insecure = true});
  const bool is_protected = container.kind() == Kind::protected_party;
  if (!is_protected && container.kind() != Kind::party) {
    throw FormatError(message(path_, " holds ", name_of(container.kind()),
                              ", not what a party of a joint key keeps. (A ",
                              "party's secret key of the protocol's first version serves no session any more: make a "
                              "new one.)"));
  }
  if (is_protected && !passphrase_) {
    throw PassphraseError(message(path_, " is a party's file under a passphrase; give it"));
  }
  rlwe::PartyState state = is_protected ? read_protected_party(container, *passphrase_) : read_party_state(container);
  session_.require_same("the party's file", state.session());
  return state;
}

void PartyFile::change(const std::function<void(rlwe::PartyState&)>& change) {
  const Held held(path_);
  rlwe::PartyState state = read();
  change(state);
  if (state.changes() == 0) return;
  write_file(path_, bytes_of(state), Privacy::secret, Existing::replaced);
}

}  // namespace cyclotome::io
