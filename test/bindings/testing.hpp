// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/stl/array.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "bindings/bindings.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/word.hpp"

/// cyclotome._core.testing: the internals of math, ring, engine, rlwe, scheme and study for the tests in Python, where
/// the oracles live. Nothing here computes anything of its own: a binding hands its arguments to the function under
/// test. What python/bindings binds is not bound again: types are registered once, what they lack for tests are
/// functions here, and submodules are named as the namespaces that their functions come from.
namespace cyclotome::testing {

namespace nb = nanobind;
using namespace nb::literals;
using python::NoGil;
using python::to_bytes;

/// A row of 64-bit words that a test hands in.
using Words = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <std::size_t Dimensions>
using Numpy = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<Dimensions>>;

/// `values` as a NumPy array of this shape, without a copy.
template <std::size_t Dimensions>
Numpy<Dimensions> to_numpy(std::vector<std::uint64_t> values, const std::array<std::size_t, Dimensions>& shape) {
  auto* const kept = new std::vector<std::uint64_t>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<std::uint64_t>*>(p); });
  return Numpy<Dimensions>(kept->data(), Dimensions, shape.data(), owner);
}

/// A word of the limb's size; a test that hands in a wider one gets a ValueError.
template <LimbWord W>
W word_of(std::uint64_t value) {
  if (value > static_cast<W>(~W{0})) throw std::invalid_argument(message(value, " does not fit the word"));
  return static_cast<W>(value);
}

/// function(a[i]) for every i.
template <class Function>
Numpy<1> map(const Words& a, Function&& function) {
  std::vector<std::uint64_t> out(a.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = function(a.data()[i]);
  return to_numpy<1>(std::move(out), {a.size()});
}

/// function(a[i], b[i]) for every i.
template <class Function>
Numpy<1> map(const Words& a, const Words& b, Function&& function) {
  if (a.size() != b.size()) throw std::invalid_argument(message("rows of ", a.size(), " and ", b.size(), " words"));
  std::vector<std::uint64_t> out(a.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = function(a.data()[i], b.data()[i]);
  return to_numpy<1>(std::move(out), {a.size()});
}

void bind_scalars(nb::module_& m);
void bind_study(nb::module_& m);
void bind_fermat(nb::module_& m);
void bind_fermat_scheme(nb::module_& m);
void bind_ltv(nb::module_& m);
void bind_hashes(nb::module_& m);
void bind_ring(nb::module_& m);
void bind_engine(nb::module_& m);
void bind_steps(nb::module_& m);
void bind_sampling(nb::module_& m);
void bind_planning(nb::module_& m);
void bind_noise(nb::module_& m);
void bind_rlwe(nb::module_& m);
void bind_keys(nb::module_& m);
void bind_deterministic(nb::module_& m);
void bind_scheme(nb::module_& m);
void bind_bfv(nb::module_& m);
void bind_bgv(nb::module_& m);
void bind_additive(nb::module_& m);
void bind_dealing(nb::module_& m);
void bind_threshold(nb::module_& m);

}  // namespace cyclotome::testing
