// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cyclotome/io/container/bytes.hpp"
#include "cyclotome/value/joint/joint_party.hpp"

namespace cyclotome::io {

/// Bytes as they are typed, by convention UTF-8; none for a file that nothing but its mode protects.
using PartyPassphrase = std::optional<std::span<const std::uint8_t>>;

/// What a party of a joint key keeps, in a file of its owner's (mode 0600; under a passphrase if one is given). Every
/// change is on the disk before the call that makes it returns, and no two processes make one at once.
///
///     JointParty ada(session, context, PartyFile::create("ada.party", session, 1));
///     JointParty again(session, context, PartyFile::open("ada.party", session));
///
/// Whoever restores an older copy of it forgets what was answered since; then a second answer is refused by nobody, and
/// all the same tells no more than another ring-LWE sample would (doc/threshold.md).
class PartyFile final : public value::PartyStore {
 public:
  /// A new party in a new file. Throws ArgumentError for somebody who takes no part and for an empty passphrase,
  /// FileError where there is a file already, EngineError for a passphrase where there is no OpenSSL.
  static std::shared_ptr<PartyFile> create(const std::string& path, const rlwe::ThresholdSession& session,
                                           std::uint32_t party, const PartyPassphrase& passphrase = {});
  /// The party of a file. Throws FileError, FormatError and PassphraseError as all readers of secrets do, and
  /// MismatchError for a party of another session.
  static std::shared_ptr<PartyFile> open(const std::string& path, const rlwe::ThresholdSession& session,
                                         const PartyPassphrase& passphrase = {});

  rlwe::PartyState read() override;
  void change(const std::function<void(rlwe::PartyState&)>& change) override;

 private:
  PartyFile(const std::string& path, const rlwe::ThresholdSession& session, const PartyPassphrase& passphrase);
  Bytes bytes_of(const rlwe::PartyState& state) const;

  std::string path_;
  rlwe::ThresholdSession session_;
  std::optional<Bytes> passphrase_;
};

}  // namespace cyclotome::io
