// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/engine.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/ring/conversion/divide_and_round.hpp"
#include "cyclotome/ring/tables/key_switch_constants.hpp"
#include "cyclotome/scheme/bfv/behz.hpp"
#include "one_composite.hpp"
#include "reference_engine.hpp"
#include "testing.hpp"

namespace cyclotome::testing {

namespace {

using Residues = nb::ndarray<const std::uint64_t, nb::c_contig, nb::device::cpu>;

void bind_arrays(nb::module_& m) {
  nb::enum_<Domain>(m, "Domain").value("coefficient", Domain::coefficient).value("transform", Domain::transform);
  // A view keeps alive what it looks at.
  nb::class_<View>(m, "View")
      .def_rw("domain", &View::domain)
      .def_prop_ro("shape", [](const View& v) { return nb::make_tuple(v.batch, v.parts, v.limbs(), v.degree()); })
      .def("part", &View::part, "first"_a, "count"_a = 1, nb::keep_alive<0, 1>())
      .def("items", &View::items, "first"_a, "count"_a = 1, nb::keep_alive<0, 1>())
      .def("limbs_at", &View::limbs_at, "first"_a, "slice"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>());
  nb::class_<PolyArray>(m, "PolyArray")
      .def(nb::init<EnginePtr, RingPtr, std::size_t, std::size_t, Domain, bool>(), "engine"_a, "ring"_a, "batch"_a,
           "parts"_a, "domain"_a = Domain::coefficient, "secret"_a = false)
      .def_prop_ro("shape",
                   [](const PolyArray& a) { return nb::make_tuple(a.batch(), a.parts(), a.limbs(), a.degree()); })
      .def_prop_rw("domain", &PolyArray::domain, &PolyArray::set_domain)
      .def_prop_ro("secret", &PolyArray::secret)
      .def_prop_ro("size", &PolyArray::size)
      .def_prop_ro("bytes", &PolyArray::bytes)
      .def("view", nb::overload_cast<>(&PolyArray::view), nb::keep_alive<0, 1>())
      .def(
          "to_transform", [](PolyArray& a) { a.to_transform(); }, NoGil())
      .def(
          "to_coefficient", [](PolyArray& a) { a.to_coefficient(); }, NoGil())
      .def("clone", &PolyArray::clone)
      .def("to", &PolyArray::to)
      .def("from_host", [](PolyArray& a, const Residues& residues) { a.from_host({residues.data(), residues.size()}); })
      .def("to_host",
           [](const PolyArray& a) { return to_numpy<4>(a.to_host(), {a.batch(), a.parts(), a.limbs(), a.degree()}); });
}

/// What an operation writes as peaks, a number for each item of its batch, in the engine's memory.
template <class Operation>
std::vector<std::uint64_t> peaks_in(Engine& engine, std::size_t batch, const Operation& operation) {
  const RingPtr shortest = Ring::negacyclic(8, Basis(Word::u64, {65537}));
  PolyArray memory(engine.shared_from_this(), shortest, batch, 1, Domain::coefficient);
  auto* const peaks = static_cast<std::uint64_t*>(memory.view().data);
  operation(peaks);
  std::vector<std::uint64_t> found(batch);
  engine.download(found.data(), peaks, batch * sizeof(std::uint64_t));
  return found;
}

/// Composites, as programs of one each (one_composite.hpp), beside the verbs.
void bind_composites(nb::module_& verbs) {
  verbs.def(
           "tensor_product", [](Engine& e, View out, View a, View b) { check::tensor_product(e, out, a, b); }, NoGil())
      .def(
          "key_switch_product",
          [](Engine& e, View out, View digits, View key) { check::key_switch_product(e, out, digits, key); }, NoGil())
      .def(
          "key_switch",
          [](Engine& e, View out, View c, View key, const KeySwitchConstants& step, const View* addend) {
            check::key_switch(e, out, c, key, step,
                              addend == nullptr ? std::nullopt : std::optional<ConstView>(*addend));
          },
          "engine"_a, "out"_a, "c"_a, "key"_a, "step"_a, "addend"_a.none() = nb::none(), NoGil())
      .def(
          "divide_and_round",
          [](Engine& e, View out, View kept, View dropped, const DivideAndRound& step) {
            check::divide_and_round(e, out, kept, dropped, step);
          },
          NoGil())
      .def(
          "behz_lift",
          [](Engine& e, View out, View a, const bfv::BehzLift& step) { check::behz_lift(e, out, a, step); }, NoGil())
      .def(
          "behz_scale",
          [](Engine& e, View out, View a, const bfv::BehzScale& step) { check::behz_scale(e, out, a, step); }, NoGil())
      .def(
          "scale_to_plain",
          [](Engine& e, View out, View a, const bfv::PlainScale& step) { check::scale_to_plain(e, out, a, step); },
          NoGil())
      .def(
          "peaks_of_scale_to_plain",
          [](Engine& e, View out, View a, const bfv::PlainScale& step) {
            return peaks_in(e, out.batch, [&](std::uint64_t* peaks) { check::scale_to_plain(e, out, a, step, peaks); });
          },
          NoGil())
      .def(
          "peaks_of_convert",
          [](Engine& e, View out, View a, const BaseConversion& step) {
            return peaks_in(e, out.batch,
                            [&](std::uint64_t* peaks) { check::convert_with_peaks(e, out, a, step, peaks); });
          },
          NoGil());
}

}  // namespace

/// Items by number: a's, and then b's.
std::vector<ConstView> items_of(const View& a, const View& b, const std::vector<std::size_t>& numbers) {
  std::vector<ConstView> items;
  for (const std::size_t i : numbers) items.push_back(i < a.batch ? a.items(i) : b.items(i - a.batch));
  return items;
}

void bind_engine(nb::module_& m) {
  bind_arrays(m);
  nb::module_ verbs = m.def_submodule("verbs", "What engines are asked for: the first argument is the engine.");
  verbs.def("batch_tile", &Engine::batch_tile)
      .def("working_set", &Engine::working_set)
      .def("forward", &Engine::forward, NoGil())
      .def("inverse", &Engine::inverse, NoGil())
      .def(
          "copy", [](Engine& e, View out, View a) { e.copy(out, a); }, NoGil())
      .def("clear", &Engine::clear, NoGil())
      .def(
          "add", [](Engine& e, View out, View a, View b) { e.add(out, a, b); }, NoGil())
      .def(
          "subtract", [](Engine& e, View out, View a, View b) { e.subtract(out, a, b); }, NoGil())
      .def(
          "negate", [](Engine& e, View out, View a) { e.negate(out, a); }, NoGil())
      .def(
          "multiply", [](Engine& e, View out, View a, View b) { e.multiply(out, a, b); }, NoGil())
      .def(
          "multiply_accumulate", [](Engine& e, View out, View a, View b) { e.multiply_accumulate(out, a, b); }, NoGil())
      .def(
          "multiply_scalars",
          [](Engine& e, View out, View a, const std::vector<std::uint64_t>& factors) {
            e.multiply_scalars(out, a, factors);
          },
          NoGil())
      .def(
          "convert", [](Engine& e, View out, View a, const BaseConversion& step) { e.convert(out, a, step); }, NoGil())
      .def(
          "automorphism", [](Engine& e, View out, View a, std::uint64_t element) { e.automorphism(out, a, element); },
          NoGil())
      .def(
          "sample",
          [](Engine& e, View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) {
            e.sample(out, law, seed, stream, first_item);
          },
          "engine"_a, "out"_a, "law"_a, "seed"_a, "stream"_a, "first_item"_a = 0, NoGil())
      .def(
          "linear_combination",
          [](Engine& e, View out, View a, const std::vector<std::int64_t>& matrix) {
            e.linear_combination(out, a, matrix);
          },
          NoGil())
      .def(
          "sum_items",
          [](Engine& e, View out, View a, View b, const std::vector<std::size_t>& numbers, std::size_t group) {
            e.sum_items(out, items_of(a, b, numbers), group);
          },
          NoGil())
      .def(
          "sum_products",
          [](Engine& e, View out, View a, View b, const std::vector<std::size_t>& left,
             const std::vector<std::size_t>& right,
             std::size_t group) { e.sum_products(out, items_of(a, b, left), items_of(a, b, right), group); },
          NoGil());
  bind_composites(verbs);

  nb::class_<ReferenceEngine, Engine>(m, "ReferenceEngine")
      .def(nb::new_([](std::size_t threads, std::size_t largest_tile) {
             return std::make_shared<ReferenceEngine>(threads, largest_tile);
           }),
           "threads"_a = 0, "largest_tile"_a = 0);
}

}  // namespace cyclotome::testing
