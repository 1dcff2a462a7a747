// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"

namespace cyclotome::testing {

void bind_errors(nb::module_& m) {
  // Translators are tried from the last registered to the first, so a base class comes before its children.
  const nb::object error = nb::exception<Error>(m, "Error");
  const nb::object parameter = nb::exception<ParameterError>(m, "ParameterError", error);
  nb::exception<SecurityError>(m, "SecurityError", parameter);
  nb::exception<ArgumentError>(m, "ArgumentError", error);
  nb::exception<MismatchError>(m, "MismatchError", error);
  nb::exception<MissingKeyError>(m, "MissingKeyError", error);
  nb::exception<NoiseError>(m, "NoiseError", error);
  nb::exception<ContradictionError>(m, "ContradictionError", error);
  nb::exception<RangeError>(m, "RangeError", error);
  nb::exception<FormatError>(m, "FormatError", error);
  nb::exception<FileError>(m, "FileError", error);
  nb::exception<EngineError>(m, "EngineError", error);
}

}  // namespace cyclotome::testing

NB_MODULE(cyclotome_testing, m) {
  using namespace cyclotome::testing;
  m.doc() = "Internals of cyclotome for its own tests; not part of ordinary installations.";
  bind_errors(m);
  bind_scalars(m);
  bind_study(m);
  bind_hashes(m);
  bind_ring(m);
  bind_fermat(m);
  bind_fermat_scheme(m);
  bind_ltv(m);
  bind_sampling(m);
  bind_engine(m);
  bind_cuda(m);
  bind_steps(m);
  bind_parameters(m);
  bind_planning(m);
  bind_keys(m);
  bind_ciphertexts(m);
  bind_operations(m);
  bind_bgv(m);
  bind_additive(m);
}
