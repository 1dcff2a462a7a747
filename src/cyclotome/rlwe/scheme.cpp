// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/scheme.hpp"

#include <algorithm>
#include <cctype>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

std::string Scheme::title() const {
  std::string text(name());
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string Scheme::refuse_correction(const Parameters& parameters, PlainIndex plain, std::uint64_t correction) const {
  static_cast<void>(parameters);
  static_cast<void>(plain);
  return correction == 1 ? std::string() : "not 1, as in " + title();
}

std::string Scheme::refuse_keys(const Parameters& parameters, std::uint16_t version) const {
  static_cast<void>(parameters);
  static_cast<void>(version);
  return {};
}

}  // namespace cyclotome::rlwe
