// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>

#include "bindings.hpp"

#ifdef CYCLOTOME_CUDA
#include "cyclotome/engine/cuda/cuda_device.hpp"
#include "cyclotome/engine/cuda/cuda_engine.hpp"
#endif

namespace cyclotome::testing {

void bind_cuda(nb::module_& m) {
#ifdef CYCLOTOME_CUDA
  nb::class_<CudaEngine, Engine>(m, "CudaEngine")
      .def(nb::new_([](int device) { return CudaEngine::create(device); }), nb::arg("device") = 0)
      .def("synchronize", &CudaEngine::synchronize);
  m.def("cuda_device_count", [] {
    int usable = 0;
    for (const CudaDevice& device : cuda_system().devices) usable += device.problem.empty() ? 1 : 0;
    return usable;
  });
#else
  m.def("cuda_device_count", [] { return 0; });
#endif
}

}  // namespace cyclotome::testing
