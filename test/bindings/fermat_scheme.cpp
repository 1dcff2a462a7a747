// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/study/fermat/operations.hpp"

namespace cyclotome::testing {

namespace {

using namespace study::fermat;
using Row = std::vector<std::uint64_t>;

ContextPtr make_context(std::size_t degree, unsigned x, std::optional<unsigned> splits, std::uint64_t t,
                        unsigned digit_bits, const std::string& variant, bool one_bounded) {
  ParametersLiteral literal{.degree = degree, .x = x, .splits = splits, .plain_modulus = t, .digit_bits = digit_bits};
  literal.allow_insecure = true;
  if (one_bounded) literal.error = ErrorLaw::one_bounded;
  return Context::create(Parameters(literal), CpuEngine::create(1), variant_of(variant));
}

/// All keys of one secret.
struct Party {
  ContextPtr context;
  SecretKey secret;
  PublicKey key;
  RelinearizationKey relinearization;

  explicit Party(const ContextPtr& on)
      : context(on),
        secret(SecretKey::generate(on)),
        key(PublicKey::generate(secret)),
        relinearization(RelinearizationKey::generate(secret)) {}

  Plaintext plain(const Row& coefficients) const {
    if (coefficients.size() % context->degree() != 0) throw std::invalid_argument("whole polynomials");
    return {context, {coefficients.begin(), coefficients.end()}};
  }
};

Row row_of(const Plaintext& plaintext) { return {plaintext.coefficients.begin(), plaintext.coefficients.end()}; }

void bind_ciphertext(nb::module_& m) {
  nb::class_<Ciphertext>(m, "FermatCiphertext")
      .def_ro("parts", &Ciphertext::parts)
      .def_prop_ro("items", [](const Ciphertext& c) { return c.items; })
      .def_prop_ro(
          "noise",
          [](const Ciphertext& c) { return std::tuple(c.noise.log2_max, c.noise.log2_rms, c.noise.log2_canonical); })
      .def("headroom", &Ciphertext::headroom)
      .def("moved", &Ciphertext::in)
      .def("altered",
           [](const Ciphertext& c, std::vector<Row> items, double log2_max) {
             Ciphertext out = c;
             out.items = std::move(items);
             out.noise.log2_max = log2_max;
             return out;
           })
      .def("add", [](const Ciphertext& a, const Ciphertext& b) { return add(a, b); })
      .def("subtract", [](const Ciphertext& a, const Ciphertext& b) { return subtract(a, b); })
      .def("negate", [](const Ciphertext& a) { return negate(a); })
      .def("tensor", [](const Ciphertext& a, const Ciphertext& b) { return multiply_without_relinearization(a, b); });
}

}  // namespace

void bind_fermat_scheme(nb::module_& m) {
  nb::class_<Context>(m, "FermatContext")
      .def_static("create", &make_context, nb::arg("degree"), nb::arg("x"), nb::arg("splits") = nb::none(),
                  nb::arg("t") = 1024, nb::arg("digit_bits") = 30, nb::arg("variant") = "both",
                  nb::arg("one_bounded") = false)
      .def_prop_ro("summary", [](const Context& c) { return c.parameters().summary(); })
      .def_prop_ro("conversions", &Context::conversions)
      .def_prop_ro("log2_noise_limit", &Context::log2_noise_limit)
      .def_prop_ro("peak_error", [](const Context& c) { return c.scaling().peak_error(); })
      .def("to_plain",
           [](const Context& c, const Row& phase) {
             if (phase.size() != c.ring().size()) throw std::invalid_argument("one polynomial");
             Row message(c.degree());
             const std::uint64_t peak = c.scaling().to_plain(message.data(), phase.data());
             return std::tuple(message, peak);
           })
      .def("multiply",
           [](const Context& c, const Row& a, const Row& b) {
             if (a.size() != 2 * c.ring().size() || b.size() != a.size()) throw std::invalid_argument("two parts");
             return c.scaling().multiply(a, b);
           })
      .def("decompose",
           [](const Context& c, const Row& a) {
             if (a.size() != c.ring().size()) throw std::invalid_argument("one polynomial");
             Row y(a.size());
             c.decompose(y.data(), a.data());
             return y;
           })
      .def("message", [](const Context& c, const Row& m_) {
        if (m_.size() != c.degree()) throw std::invalid_argument("one message");
        Row out(c.ring().size());
        c.message_scale().add_to(c.ring(), out.data(), m_.data());
        return out;
      });
  bind_ciphertext(m);
  nb::class_<Party>(m, "FermatParty")
      .def(nb::init<const ContextPtr&>())
      .def("encrypt", [](const Party& p, const Row& m_) { return encrypt(p.plain(m_), p.key); })
      .def("encrypt_symmetric", [](const Party& p, const Row& m_) { return encrypt(p.plain(m_), p.secret); })
      .def("decrypt", [](const Party& p, const Ciphertext& c) { return row_of(decrypt(c, p.secret)); })
      .def("decrypt_unchecked",
           [](const Party& p, const Ciphertext& c) { return row_of(decrypt_unchecked(c, p.secret)); })
      .def("phase",
           [](const Party& p, const Ciphertext& c, std::size_t item) {
             const Rows rows = phase(c, item, p.secret);
             return Row(rows.begin(), rows.end());
           })
      .def("multiply",
           [](const Party& p, const Ciphertext& a, const Ciphertext& b) { return multiply(a, b, p.relinearization); })
      .def("relinearize", [](const Party& p, const Ciphertext& a) { return relinearize(a, p.relinearization); })
      .def("add_plain", [](const Party& p, const Ciphertext& a, const Row& m_) { return add_plain(a, p.plain(m_)); })
      .def("subtract_plain",
           [](const Party& p, const Ciphertext& a, const Row& m_) { return subtract_plain(a, p.plain(m_)); })
      .def("multiply_plain",
           [](const Party& p, const Ciphertext& a, const Row& m_) { return multiply_plain(a, p.plain(m_)); })
      .def("encode", [](const Party& p, const std::vector<std::int64_t>& values, std::size_t items,
                        bool slots) { return row_of(encode(p.context, values, items, slots)); })
      .def("decode", [](const Party& p, const Row& m_, bool slots) { return decode(p.plain(m_), slots); });
}

}  // namespace cyclotome::testing
