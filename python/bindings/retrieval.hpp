// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/bindings.hpp"

namespace cyclotome::python {

void bind_retrieval(nb::module_& m);

}  // namespace cyclotome::python
