// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys/seed_derivation.hpp"

#include <string_view>

#include "cyclotome/math/hmac.hpp"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::rlwe {

namespace {

/// Fields behind one another, each after its length, so that no two lists of fields give the same bytes.
class Label {
 public:
  Label& field(std::span<const std::uint8_t> bytes) {
    little_endian(bytes.size(), 4);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Label& number(std::uint64_t value, std::size_t width) {
    little_endian(width, 4);
    little_endian(value, width);
    return *this;
  }
  std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }

 private:
  void little_endian(std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

Seed derive_seed(const Seed& master, const Parameters& parameters, const SeedLabel& label) {
  constexpr std::string_view name = "cyclotome seed";
  Label text;
  text.field({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()})
      .number(static_cast<std::uint32_t>(label.purpose), 4)
      .number(static_cast<std::uint32_t>(label.half), 4)
      .number(label.element, 8)
      .number(label.plain.number, 4)
      .field(label.key)
      .field(parameters.fingerprint());
  Digest digest = hmac_sha256(master.bytes(), text.bytes());
  Seed seed(digest);
  secure_zero(digest.data(), digest.size());
  return seed;
}

}  // namespace cyclotome::rlwe
