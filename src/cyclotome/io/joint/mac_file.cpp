// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/joint/mac_file.hpp"

#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "cyclotome/io/files/file.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"

namespace cyclotome::io {

namespace {

using value::MacState;

constexpr std::string_view title = "cyclotome mac state 1";
/// More than such a file has.
constexpr std::uint64_t most_bytes = 4096;
constexpr std::array names{"free", "held", "spent"};

std::string text_of(const Digest& numbers, const MacState& state) {
  const std::string about =
      state.is == MacState::Is::held ? " " + hexadecimal(state.question) + " " + hexadecimal(state.answer) : "";
  return message(title, "\n", hexadecimal(numbers), "\n", names[static_cast<std::size_t>(state.is)], about, "\n");
}

/// Digits at a place of a text, if there are so many.
Digest digest_at(std::string_view text, std::size_t place) {
  Digest digest{};
  for (std::size_t i = 0; i < digest.size() && place + 2 * i + 2 <= text.size(); ++i) {
    const char* const first = text.data() + place + 2 * i;
    std::from_chars(first, first + 2, digest[i], 16);
  }
  return digest;
}

}  // namespace

MacState MacFile::read(const Digest& numbers) {
  std::error_code unknown;
  if (!std::filesystem::exists(path_, unknown) && !unknown) return last_;
  const Bytes bytes = read_file(path_, most_bytes);
  const std::string text(bytes.begin(), bytes.end());
  const Digest own = digest_at(text, title.size() + 1);
  const std::size_t place = title.size() + 1 + 64 + 1;  // of the state's word
  for (const MacState::Is is : {MacState::Is::free, MacState::Is::held, MacState::Is::spent}) {
    MacState state{is};
    if (is == MacState::Is::held) {
      state.question = digest_at(text, place + 5);
      state.answer = digest_at(text, place + 5 + 64 + 1);
    }
    if (text != text_of(own, state)) continue;  // one spelling
    if (own != numbers) {
      throw MismatchError(message(path_, " is about other numbers than these; name another file for this MacKey"));
    }
    return last_ = state;
  }
  throw FormatError(message(path_, ", which keeps what became of a MacKey, is damaged: make another MacKey"));
}

void MacFile::write(const Digest& numbers, const MacState& state) {
  const std::string text = text_of(numbers, state);
  write_file(path_, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), Privacy::shared);
  last_ = state;
}

}  // namespace cyclotome::io
