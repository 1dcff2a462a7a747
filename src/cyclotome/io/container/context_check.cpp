// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/container/context_check.hpp"

#include "cyclotome/io/container/payload.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

void require_loadable(const Container& container, const rlwe::Context& context) {
  if (container.parameters().fingerprint() != context.parameters().fingerprint()) {
    throw MismatchError(message("the data holds ", name_of(container.kind()), " of ", container.parameters().summary(),
                                ", but was to be loaded for ", context.parameters().summary(),
                                "; load it with the parameters that it was made with"));
  }
  container.require_expanded(expanded_bytes(container));
}

}  // namespace cyclotome::io
