// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "cyclotome/study/fermat/scheme/operations.hpp"
#include "testing.hpp"

namespace cyclotome::testing {

namespace {

using namespace study::fermat;
using Row = std::vector<std::uint64_t>;

void require_words(const Row& row, std::size_t count, const char* what) {
  if (row.size() != count) throw std::invalid_argument(message(what, ": ", count, " words, not ", row.size()));
}

void bind_context(nb::module_& m) {
  m.def("log2_noise_limit", &Context::log2_noise_limit);
  m.def("peak_error", [](const Context& c) { return c.scaling().peak_error(); });
  m.def("to_plain", [](const Context& c, const Row& phase) {
    require_words(phase, c.ring().size(), "one polynomial");
    Row message(c.degree());
    const WideWords there(c.wide(), phase.data(), phase.size(), true);
    const std::uint64_t peak = c.scaling().to_plain(message.data(), there.data());
    return std::tuple(message, peak);
  });
  m.def("multiply", [](const Context& c, const Row& a, const Row& b) {
    for (const Row* const factor : {&a, &b}) require_words(*factor, 2 * c.ring().size(), "two parts");
    const WideWords x(c.wide(), a.data(), a.size(), false), y(c.wide(), b.data(), b.size(), false);
    WideWords product(c.wide(), 3 * c.ring().size(), false);
    c.scaling().multiply(product.data(), x.data(), y.data());
    Row out(product.size());
    product.to_host(out.data());
    return out;
  });
  m.def("decompose", [](const Context& c, const Row& a) {
    require_words(a, c.ring().size(), "one polynomial");
    WideWords y(c.wide(), a.size(), false);
    c.decompose(y.data(), WideWords(c.wide(), a.data(), a.size(), false).data());
    Row out(a.size());
    y.to_host(out.data());
    return out;
  });
  m.def("message", [](const Context& c, const Row& m_) {
    require_words(m_, c.degree(), "one message");
    Row out(c.ring().size());
    c.message_scale().add_to(c.ring(), out.data(), m_.data());
    return out;
  });
}

Plaintext plain_of(const ContextPtr& context, const Row& coefficients) {
  if (coefficients.size() % context->degree() != 0) throw std::invalid_argument("whole polynomials");
  return {context, {coefficients.begin(), coefficients.end()}};
}

void bind_ciphertext(nb::module_& m) {
  m.def("items", [](const Ciphertext& c) { return c.items; });
  m.def("noise",
        [](const Ciphertext& c) { return std::tuple(c.noise.log2_max, c.noise.log2_rms, c.noise.log2_canonical); });
  m.def("moved", &Ciphertext::in);
  m.def("altered", [](const Ciphertext& c, std::vector<Row> items, double log2_max) {
    Ciphertext out = c;
    out.items = std::move(items);
    out.noise.log2_max = log2_max;
    return out;
  });
  m.def("tensor", &multiply_without_relinearization);
  m.def("relinearize", &relinearize);
  m.def("subtract_plain",
        [](const Ciphertext& a, const Row& m_) { return subtract_plain(a, plain_of(a.context, m_)); });
  m.def("decrypt_unchecked", [](const Ciphertext& c, const SecretKey& key) {
    const Plaintext plaintext = decrypt_unchecked(c, key);
    return Row(plaintext.coefficients.begin(), plaintext.coefficients.end());
  });
  m.def("secret", [](const SecretKey& key) {
    const auto s = key.coefficients();
    return std::vector<std::int64_t>(s.begin(), s.end());
  });
  m.def("key_residues", [](const RelinearizationKey& key, std::size_t digit, std::size_t part) {
    const auto residues = key.residues(digit, part);
    return std::tuple(Row(residues.rows.begin(), residues.rows.end()), residues.special);
  });
  m.def("ring_product",
        [](const Context& c, const std::string& method, const std::string& arithmetic, const Row& a, const Row& b) {
          for (const Row* const factor : {&a, &b}) require_words(*factor, c.ring().size(), "one polynomial");
          const auto ring = std::make_shared<const WideRing>(c.ring());
          const auto primes = std::make_shared<const LimbProducts>(c.engine(), *ring, 0, 2);
          const auto& general = arithmetic == "own" ? GeneralArithmetic::own() : GeneralArithmetic::best();
          const auto products = make_ring_products(product_method_of(method), ring, primes, c.engine(), general);
          Row out(a.size());
          for (std::size_t i = 0; i < ring->basis().limbs().size(); ++i) {
            const std::size_t at = ring->offset(i);
            products->multiply(out.data() + at, a.data() + at, b.data() + at, i);
          }
          return out;
        });
  m.def("special_modulus", [](const Context& c, const Row& primes) {
    const SpecialModulus special(c.engine(), c.ring(), primes);
    return special.ring()->limbs();
  });
  m.def("phase", [](const Ciphertext& c, std::size_t item, const SecretKey& key) {
    const Rows rows = phase(c, item, key);
    return Row(rows.begin(), rows.end());
  });
}

}  // namespace

void bind_fermat_scheme(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("fermat", "Of BFV on Fermat moduli.");
  bind_context(m);
  bind_ciphertext(m);
}

}  // namespace cyclotome::testing
