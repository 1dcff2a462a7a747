// SPDX-License-Identifier: Apache-2.0
// How libFuzzer changes containers: mostly one section at a time, whose length it then puts right, and that of the
// file, the fingerprint of the parameters and the checksum. A file is only looked into where all of these fit, so
// inputs that are kept have them right too, and coverage says what lies behind.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>

#include "../cpp/io_exercise.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace cyclotome;
namespace layout = io::layout;

struct Place {
  std::size_t start, bytes;  // of a section's data
};

std::vector<Place> sections_of(io_exercise::Span bytes) {
  std::vector<Place> found;
  if (bytes.size() < layout::header_bytes + layout::checksum_bytes) return found;
  const std::size_t end = bytes.size() - layout::checksum_bytes;
  for (std::size_t at = layout::header_bytes; at + layout::section_header_bytes <= end;) {
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      length |= static_cast<std::uint64_t>(bytes[at + layout::tag_bytes + i]) << (8 * i);
    }
    at += layout::section_header_bytes;
    if (length > end - at) break;
    found.push_back({at, static_cast<std::size_t>(length)});
    at += static_cast<std::size_t>(length);
  }
  return found;
}

// One section changed, and its length right.
io::Bytes with_changed_section(io_exercise::Span bytes, const Place& place, std::size_t most) {
  const std::size_t room = most - (bytes.size() - place.bytes);
  io::Bytes section(bytes.begin() + static_cast<std::ptrdiff_t>(place.start),
                    bytes.begin() + static_cast<std::ptrdiff_t>(place.start + place.bytes));
  section.resize(std::max<std::size_t>({room, place.bytes, 1}));
  section.resize(LLVMFuzzerMutate(section.data(), place.bytes, section.size()));
  io::Bytes result(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(place.start));
  for (std::size_t i = 0; i < 8; ++i) {
    result[place.start - 8 + i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(section.size()) >> (8 * i));
  }
  result.insert(result.end(), section.begin(), section.end());
  result.insert(result.end(), bytes.begin() + static_cast<std::ptrdiff_t>(place.start + place.bytes), bytes.end());
  return result;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::minstd_rand draw(seed);
  const auto one_in = [&](unsigned count) { return draw() % count == 0; };
  io::Bytes changed;
  const auto sections = sections_of({data, size});
  if (sections.empty() || one_in(5)) {
    const std::size_t mutated = LLVMFuzzerMutate(data, size, most);
    changed.assign(data, data + mutated);
  } else {
    changed = with_changed_section({data, size}, sections[draw() % sections.size()], most);
  }
  if (!one_in(20)) {
    changed = one_in(10) ? io_exercise::resealed(changed) : io_exercise::resealed_with_fingerprint(changed);
  }
  const std::size_t count = std::min(changed.size(), most);
  if (count > 0) std::memcpy(data, changed.data(), count);
  return count;
}
