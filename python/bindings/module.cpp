// SPDX-License-Identifier: Apache-2.0
#include "bindings/bindings.hpp"
#include "bindings/retrieval.hpp"

NB_MODULE(_core, m) {
  using namespace cyclotome::python;
  // Keys that a program keeps in a cache or global until it ends are no leak; tests check that objects are freed.
  nb::set_leak_warnings(false);
  m.doc() = "The C++ library behind the package cyclotome; not meant for direct use.";
  m.def("version", [] { return CYCLOTOME_VERSION; });
  bind_errors(m);
  bind_interrupts(m);
  bind_rings(m);
  bind_parameters(m);
  bind_context(m);
  bind_keys(m);
  bind_ciphertexts(m);
  bind_residues(m);
  bind_operations(m);
  bind_arrays(m);
  bind_functions(m);
  bind_reals(m);
  bind_identity(m);
  bind_threshold(m);
  bind_dealing(m);
  bind_checked_decryption(m);
  bind_dry(m);
  bind_io(m);
  bind_io_inspection(m);
  bind_secret_files(m);
  bind_machine(m);
  bind_bench(m);
  bind_study(m);
  bind_study_papers(m);
  bind_transforms(m);
  bind_fermat(m);
  bind_fermat_bench(m);
  bind_ltv(m);
  bind_cuda(m);
  bind_cuda_ltv(m);
  bind_cuda_study(m);
  bind_fpga(m);
  bind_circuits(m);
  bind_ltv_circuits(m);
  bind_retrieval(m);
#ifdef CYCLOTOME_TESTING
  bind_testing(m);
#endif
}
