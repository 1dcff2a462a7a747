// SPDX-License-Identifier: Apache-2.0
#pragma once

// Containers taken apart, changed and put together again, for the tests of damaged and crafted files.

#include <functional>

#include "check.hpp"
#include "io_exercise.hpp"
#include "io_objects.hpp"

namespace cyclotome::io_pieces {

using io::Bytes;
using io::Container;
using io_exercise::resealed;
using io_objects::Objects;

inline const io::Limits insecure{.allow_insecure = true};

// Objects of the smallest degree, of which every bit can be tried.
inline const Objects& objects() {
  static const Objects all(io_objects::small_literal(8, Word::u32, 20, 3, 2, {17, 97}));
  return all;
}

// Noise is larger there, so the primes are wider: enough for some flooding.
inline const io_objects::JointObjects& joint_objects() {
  static const io_objects::JointObjects all(io_objects::small_literal(8, Word::u32, 28, 2, 1, {17}));
  return all;
}

inline const Bytes& container(const std::string& name) {
  static const std::vector<io_objects::Named> all = [] {
    std::vector<io_objects::Named> both = io_objects::containers(objects());
    for (io_objects::Named& one : joint_objects().containers()) both.push_back(std::move(one));
    return both;
  }();
  return std::ranges::find(all, name, &io_objects::Named::name)->bytes;
}

inline const std::vector<std::string> names = {
    "parameters",  "secret_key",      "public_key",  "evaluation_keys", "ciphertext",
    "symmetric",   "product",         "plaintext",   "array",           "session",
    "first_share", "second_share",    "dealt_share", "secret_share",    "decryption_share",
    "plain_array", "plain_constants", "party",       "commitment",      "proved_share",
    "acceptance",  "accepted_party"};

inline void load(io_exercise::Span bytes) {
  const Container c(bytes, insecure);
  const bool joint = c.parameters().fingerprint() == joint_objects().context->parameters().fingerprint();
  static_cast<void>(io_exercise::rewritten(c, joint ? joint_objects().context : objects().context));
}

struct Part {
  std::string tag;
  std::vector<std::uint8_t> bytes;
};

// A container in pieces that can be changed and put together again, with correct lengths and checksum.
struct Pieces {
  std::vector<std::uint8_t> header;
  std::vector<Part> parts;

  explicit Pieces(const std::string& name) : Pieces(container(name)) {}
  explicit Pieces(const Bytes& bytes) {
    header.assign(bytes.begin(), bytes.begin() + io::layout::header_bytes);
    const Container whole_container(bytes, insecure);
    for (const io::Section& s : whole_container.sections()) {
      parts.push_back({std::string(s.tag), {s.bytes.begin(), s.bytes.end()}});
    }
  }
  // Writes `count` bytes of value, lowest first, at an offset of the last section, or of the one with this tag.
  Pieces& put(std::size_t offset, std::uint64_t value, unsigned count, const std::string& tag = "") {
    auto& bytes = tag.empty() ? parts.back().bytes : std::ranges::find(parts, tag, &Part::tag)->bytes;
    for (unsigned i = 0; i < count; ++i) bytes.at(offset + i) = static_cast<std::uint8_t>(value >> (8 * i));
    return *this;
  }
  Bytes whole() const {
    io::ByteWriter writer;
    writer.bytes(header);
    for (const Part& part : parts) {
      writer.text(part.tag);
      writer.u64(part.bytes.size());
      writer.bytes(part.bytes);
    }
    writer.extend(io::layout::checksum_bytes);
    return resealed(writer.view());
  }
};

using Change = std::function<void(Pieces&)>;

inline void refused(const std::string& name, const Change& change, std::string_view fragment, const char* file,
                    int line) {
  Pieces pieces(name);
  change(pieces);
  const Bytes bytes = pieces.whole();
  check::check_throws<FormatError>([&] { load(bytes); }, name.c_str(), fragment, file, line);
}

}  // namespace cyclotome::io_pieces

// Loading the container `name` after `change`, made to its pieces p, throws a FormatError that says `fragment`.
#define REFUSED(name, change, fragment)                                                                            \
  ::cyclotome::io_pieces::refused((name), [](::cyclotome::io_pieces::Pieces& p) { change; }, (fragment), __FILE__, \
                                  __LINE__)
