// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/c/boundary.hpp"
#include "cyclotome/engine/cpu/cpu.hpp"
#include "cyclotome/scheme/registry.hpp"

using namespace cyclotome;

size_t cyclotome_parameters_degree(const cyclotome_parameters* parameters) {
  return parameters == nullptr ? 0 : parameters->value.degree();
}
size_t cyclotome_parameters_slots(const cyclotome_parameters* parameters) {
  return parameters == nullptr ? 0 : parameters->value.slots();
}
uint32_t cyclotome_parameters_security(const cyclotome_parameters* parameters) {
  return parameters == nullptr ? 0 : parameters->value.security_reached();
}

cyclotome_status cyclotome_parameters_fingerprint(const cyclotome_parameters* parameters, uint8_t* fingerprint,
                                                  size_t size) {
  return c::guarded(
      [&] { c::copy_out(c::given(parameters, "parameters").value.fingerprint(), fingerprint, size, "fingerprint"); });
}

cyclotome_status cyclotome_parameters_summary(const cyclotome_parameters* parameters, cyclotome_bytes** text) {
  return c::making(text, [&] { return c::ended(c::given(parameters, "parameters").value.summary()); });
}

cyclotome_status cyclotome_parameters_to_bytes(const cyclotome_parameters* parameters, cyclotome_bytes** bytes) {
  return c::making(bytes, [&] { return c::ended(io::to_bytes(c::given(parameters, "parameters").value)); });
}

void cyclotome_parameters_free(cyclotome_parameters* parameters) { delete parameters; }

cyclotome_status cyclotome_context_new(const cyclotome_parameters* parameters, size_t threads,
                                       cyclotome_context** context) {
  return c::making(context, [&] {
    return scheme::make_context(c::given(parameters, "parameters").value, make_cpu_engine(threads));
  });
}

void cyclotome_context_free(cyclotome_context* context) { delete context; }
