// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cyclotome/value/joint/mac_key.hpp"

namespace cyclotome::io {

/// What has become of the numbers that joint decryptions are checked with, in a file of three lines: written and synced
/// before what it is about leaves. There is none before the first check; never delete it after that.
class MacFile final : public value::MacStore {
 public:
  explicit MacFile(std::string path) : path_(std::move(path)) {}

  /// Throws FileError where the file can't be read, FormatError where it is damaged, MismatchError where it is about
  /// other numbers.
  value::MacState read(const Digest& numbers) override;
  /// Throws FileError where the file can't be written.
  void write(const Digest& numbers, const value::MacState& state) override;

 private:
  std::string path_;
  value::MacState last_;  ///< what it is while there is no file
};

}  // namespace cyclotome::io
