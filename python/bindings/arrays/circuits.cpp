// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "cyclotome/circuit/jobs/prince.hpp"
#include "cyclotome/circuit/jobs/sorting.hpp"
#include "cyclotome/circuit/parameters.hpp"
#include "cyclotome/circuit/plain_algebra.hpp"
#include "cyclotome/circuit/plan.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "cyclotome/value/arrays/options.hpp"

namespace cyclotome::python {

namespace {

using circuit::Circuit;
using circuit::Counts;
using circuit::LayerReport;
using rlwe::Ciphertext;
using PortSizes = std::vector<std::pair<std::string, std::size_t>>;

PortSizes sizes_of(const std::vector<circuit::Port>& ports) {
  PortSizes sizes;
  for (const circuit::Port& port : ports) sizes.emplace_back(port.name, port.wires.size());
  return sizes;
}

circuit::Sign sign_of(bool has_sign) { return has_sign ? circuit::Sign::twos_complement : circuit::Sign::none; }

circuit::Computed compute(const Circuit& circuit, const std::vector<const Ciphertext*>& inputs,
                          const std::shared_ptr<const rlwe::EvaluationKeys>& keys, std::size_t width,
                          const value::Options& options, const std::vector<rlwe::ContextPtr>& others) {
  std::vector<Ciphertext> all;
  for (const Ciphertext* const input : inputs) all.push_back(*input);
  const auto progress = [&](std::size_t done, std::size_t total, const std::string& what) {
    if (options.progress) options.progress(done, total, what);
  };
  return circuit::compute(circuit, all, keys, width, progress, others);
}

std::vector<std::vector<std::uint64_t>> compute_plain(const Circuit& circuit,
                                                      const std::vector<std::vector<std::uint64_t>>& inputs,
                                                      std::size_t lanes) {
  const circuit::PlainAlgebra algebra(circuit.modulus(), lanes);
  std::vector<circuit::BatchPtr> batches;
  for (const auto& input : inputs) batches.push_back(algebra.batch(input));
  std::vector<std::vector<std::uint64_t>> outputs;
  for (const auto& output : evaluate(circuit, algebra, std::move(batches)).outputs) {
    outputs.push_back(output == nullptr ? std::vector<std::uint64_t>() : circuit::PlainAlgebra::values(*output));
  }
  return outputs;
}

void bind_reports(nb::module_& m) {
  nb::class_<Counts>(m, "CircuitCounts")
      .def_ro("products", &Counts::products)
      .def_ro("relinearizations", &Counts::relinearizations)
      .def_ro("additions", &Counts::additions);
  nb::class_<LayerReport>(m, "LayerReport")
      .def_ro("layer", &LayerReport::layer)
      .def_ro("level", &LayerReport::level)
      .def_ro("counts", &LayerReport::counts)
      .def_ro("batches", &LayerReport::operations)
      .def_ro("log2_noise", &LayerReport::log2_noise)
      .def_ro("headroom", &LayerReport::headroom);
  nb::class_<circuit::Plan>(m, "CircuitPlan")
      .def_ro("layers", &circuit::Plan::layers)
      .def_ro("counts", &circuit::Plan::counts)
      .def_ro("peak_bytes", &circuit::Plan::peak_bytes)
      .def_ro("key_bytes", &circuit::Plan::key_bytes)
      .def_ro("level", &circuit::Plan::level)
      .def_ro("carried", &circuit::Plan::carried)
      .def_ro("headroom", &circuit::Plan::headroom)
      .def_ro("sections", &circuit::Plan::sections)
      .def_ro("keys_spread", &circuit::Plan::keys_spread)
      .def_ro("by_lanes", &circuit::Plan::by_lanes)
      .def_ro("devices", &circuit::Plan::devices);
  nb::class_<circuit::Computed>(m, "Computed")
      .def_ro("outputs", &circuit::Computed::outputs)
      .def_ro("layers", &circuit::Computed::layers)
      .def_ro("sections", &circuit::Computed::sections)
      .def_ro("keys_spread", &circuit::Computed::keys_spread)
      .def_ro("by_lanes", &circuit::Computed::by_lanes)
      .def_ro("devices", &circuit::Computed::devices);
}

void bind_makers(nb::module_& m) {
  m.def(
      "prince_circuit",
      [](bool decrypts) { return decrypts ? circuit::prince_decryption() : circuit::prince_encryption(); },
      "decrypts"_a, NoGil());
  m.def("prince_layers", &circuit::prince_layers, "first"_a, "last"_a, NoGil());
  m.def(
      "less_circuit",
      [](std::size_t bits, bool has_sign, std::uint64_t modulus) {
        return circuit::less_circuit(bits, sign_of(has_sign), modulus);
      },
      "bits"_a, "signed"_a, "modulus"_a, NoGil());
  m.def("equal_circuit", &circuit::equal_circuit, "bits"_a, "modulus"_a, NoGil());
  m.def(
      "sort_circuit",
      [](std::size_t count, std::size_t bits, std::size_t carried, std::size_t kept, bool has_sign, bool descending,
         std::uint64_t modulus) {
        return circuit::sort_circuit({count, bits, carried, kept, sign_of(has_sign), descending, modulus});
      },
      nb::kw_only(), "count"_a, "bits"_a, "carried"_a, "kept"_a, "signed"_a, "descending"_a, "modulus"_a, NoGil());
  m.def(
      "argmax_circuit",
      [](std::size_t count, std::size_t bits, bool has_sign, std::uint64_t modulus) {
        return circuit::argmax_circuit({count, bits, 0, 0, sign_of(has_sign), true, modulus});
      },
      nb::kw_only(), "count"_a, "bits"_a, "signed"_a, "modulus"_a, NoGil());
  m.def("circuit_word_bits", &circuit::word_bits, "modulus"_a);
}

}  // namespace

void bind_circuits(nb::module_& m) {
  bind_reports(m);
  nb::class_<Circuit>(m, "Circuit")
      .def_prop_ro("name", &Circuit::name)
      .def_prop_ro("modulus", &Circuit::modulus)
      .def_prop_ro("depth", &Circuit::depth)
      .def_prop_ro("counts", &circuit::counts_of)
      .def_prop_ro("counts_by_layer", &circuit::counts_by_layer)
      .def_prop_ro("inputs", [](const Circuit& c) { return sizes_of(c.inputs()); })
      .def_prop_ro("outputs", [](const Circuit& c) { return sizes_of(c.outputs()); })
      .def(
          "plan",
          [](const Circuit& c, const rlwe::Parameters& parameters, std::size_t width, std::size_t devices,
             std::optional<std::uint64_t> memory, const std::vector<bool>& shared) {
            return circuit::plan(c, parameters, {}, width, {devices, memory, shared});
          },
          "parameters"_a, "width"_a, "devices"_a, "memory"_a.none(), "shared"_a, NoGil())
      .def("explain", &circuit::explain, "plan"_a)
      .def("compute", &compute, "inputs"_a, "keys"_a, "width"_a, "options"_a, "others"_a, NoGil())
      .def("compute_plain", &compute_plain, "inputs"_a, "lanes"_a, NoGil());
  bind_makers(m);
  m.def(
      "circuit_parameters",
      [](const std::vector<const Circuit*>& circuits, const std::string& scheme, std::size_t degree,
         std::size_t cyclotomic, unsigned word, unsigned security, const std::string& table) {
        rlwe::ParametersLiteral base;
        base.scheme = &scheme::named(scheme);
        base.degree = degree;
        base.cyclotomic = cyclotomic;
        if (!circuits.empty()) base.plain_moduli = {circuits.front()->modulus()};
        base.word = word == 32 ? Word::u32 : Word::u64;
        base.security = security;
        base.allow_insecure = security == 0;
        base.table = rlwe::security_table(table);
        return circuit::parameters_for(circuits, base);
      },
      "circuits"_a, nb::kw_only(), "scheme"_a, "degree"_a, "cyclotomic"_a, "word"_a, "security"_a, "table"_a, NoGil());
}

}  // namespace cyclotome::python
