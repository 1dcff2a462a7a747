// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

namespace cyclotome::python {

void bind_testing(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("testing", "Internals of cyclotome for its own tests; in no package.");
  testing::bind_scalars(m);
  testing::bind_study(m);
  testing::bind_hashes(m);
  testing::bind_ring(m);
  testing::bind_fermat(m);
  testing::bind_fermat_scheme(m);
  testing::bind_ltv(m);
  testing::bind_sampling(m);
  testing::bind_engine(m);
  testing::bind_steps(m);
  testing::bind_planning(m);
  testing::bind_noise(m);
  testing::bind_rlwe(m);
  testing::bind_keys(m);
  testing::bind_deterministic(m);
  testing::bind_scheme(m);
  testing::bind_bfv(m);
  testing::bind_bgv(m);
  testing::bind_additive(m);
  testing::bind_dealing(m);
  testing::bind_threshold(m);
}

}  // namespace cyclotome::python
