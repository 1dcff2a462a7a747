// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cyclotome/math/interrupt.hpp"

/// The library as Python sees it, thinly: a binding hands its arguments to the C++ function of the same name. Only what
/// NumPy's ways of indexing need lives in the Python package.
namespace cyclotome::python {

namespace nb = nanobind;
using namespace nb::literals;

/// While it lives, this thread computes without Python: other Python threads go on, and on the main thread Ctrl-C (any
/// signal whose handler raises) ends the work. Everything that computes, reads or writes does so in such a scope: a
/// thread that waited for the library with the interpreter's lock would wait for one that wants this lock for a moment.
/// A thread that was given a check (`set_thread_check`) asks it as well, between calls and within them.
class Unlocked {
 public:
  Unlocked();

 private:
  /// Asks this thread's check if that is due, while the lock is still held.
  struct Asked {
    Asked();
  };
  Asked asked_;
  nb::gil_scoped_release release_;
  std::optional<InterruptScope> interruptible_;
};
using NoGil = nb::call_guard<Unlocked>;

/// Rows of signed values.
using Values = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NumpyValues = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>>;

template <std::size_t Size>
nb::bytes to_bytes(const std::array<std::uint8_t, Size>& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

inline nb::bytes to_bytes(std::span<const std::uint8_t> bytes) { return nb::bytes(bytes.data(), bytes.size()); }

inline std::span<const std::uint8_t> to_span(const nb::bytes& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

/// A shape as Python has it.
nb::typed<nb::tuple, nb::int_, nb::ellipsis> tuple_of(const std::vector<std::size_t>& shape);

void bind_errors(nb::module_& m);
void bind_interrupts(nb::module_& m);
void bind_parameters(nb::module_& m);
void bind_context(nb::module_& m);
void bind_keys(nb::module_& m);
void bind_rings(nb::module_& m);
void bind_ciphertexts(nb::module_& m);
void bind_residues(nb::module_& m);
void bind_operations(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_functions(nb::module_& m);
void bind_reals(nb::module_& m);
void bind_identity(nb::module_& m);
void bind_dealing(nb::module_& m);
void bind_checked_decryption(nb::module_& m);
void bind_threshold(nb::module_& m);
void bind_dry(nb::module_& m);
void bind_io(nb::module_& m);
void bind_io_inspection(nb::module_& m);
void bind_secret_files(nb::module_& m);
void bind_machine(nb::module_& m);
void bind_bench(nb::module_& m);
void bind_study(nb::module_& m);
void bind_study_papers(nb::module_& m);
void bind_transforms(nb::module_& m);
void bind_fermat(nb::module_& m);
void bind_fermat_bench(nb::module_& m);
void bind_ltv(nb::module_& m);
void bind_ltv_circuits(nb::module_& m);
void bind_cuda(nb::module_& m);
void bind_cuda_ltv(nb::module_& m);
void bind_cuda_study(nb::module_& m);
void bind_fpga(nb::module_& m);
void bind_circuits(nb::module_& m);
/// test/bindings: in builds with CYCLOTOME_BUILD_TESTING only.
void bind_testing(nb::module_& m);

}  // namespace cyclotome::python
