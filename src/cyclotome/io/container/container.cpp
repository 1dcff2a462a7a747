// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/container/container.hpp"

#include "cyclotome/io/container/payload.hpp"

namespace cyclotome::io {

Container::Container(std::span<const std::uint8_t> bytes, const Limits& limits) : Envelope(open(bytes, limits)) {
  check_payload(*this);
}

}  // namespace cyclotome::io
