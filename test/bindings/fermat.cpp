// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cyclotome/study/fermat/limbs/conversion.hpp"
#include "testing.hpp"

namespace cyclotome::testing {

namespace {

using namespace study::fermat;
using Row = std::vector<std::uint64_t>;
/// Rows of words, of one length.
using Rows = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

const GeneralArithmetic& arithmetic_of(const std::string& name) {
  if (name == "own") return GeneralArithmetic::own();
  if (name != "gmp" || GeneralArithmetic::gmp() == nullptr) throw std::invalid_argument("no arithmetic: " + name);
  return *GeneralArithmetic::gmp();
}

void require_rows(const Rows& rows, std::size_t count) {
  if (rows.shape(0) != count) throw std::invalid_argument(message(rows.shape(0), " rows, not ", count));
}

Row words_of(const Limb& limb, const Row& a) {
  if (a.size() != limb.words) throw std::invalid_argument(message(a.size(), " words, not ", limb.words));
  return a;
}

void bind_limb(nb::module_& m) {
  nb::class_<Limb>(m, "FermatLimb")
      .def_ro("bits", &Limb::bits)
      .def_ro("plus", &Limb::plus)
      .def_ro("shift", &Limb::shift)
      .def_ro("first_word", &Limb::first_word)
      .def_ro("words", &Limb::words)
      .def_prop_ro("exponent", &Limb::exponent)
      .def_prop_ro("modulus", &Limb::modulus)
      .def("add",
           [](const Limb& limb, const Row& a, const Row& b) {
             Row out(limb.words);
             LimbArithmetic(limb).add(out.data(), words_of(limb, a).data(), words_of(limb, b).data());
             return out;
           })
      .def("subtract",
           [](const Limb& limb, const Row& a, const Row& b) {
             Row out(limb.words);
             LimbArithmetic(limb).subtract(out.data(), words_of(limb, a).data(), words_of(limb, b).data());
             return out;
           })
      .def("negate",
           [](const Limb& limb, const Row& a) {
             Row out(limb.words);
             LimbArithmetic(limb).negate(out.data(), words_of(limb, a).data());
             return out;
           })
      .def("scale",
           [](const Limb& limb, const Row& a, std::uint64_t factor) {
             Row out(limb.words);
             LimbArithmetic(limb).scale(out.data(), words_of(limb, a).data(), factor);
             return out;
           })
      .def("reduce",
           [](const Limb& limb, const Row& value) {
             Row out(limb.words);
             LimbArithmetic(limb).reduce(out, value);
             return out;
           })
      .def("to_limb", [](const Limb& limb, const Basis& source, const Rows& y, const std::vector<std::int64_t>& wraps) {
        require_rows(y, source.size());
        const std::size_t degree = y.shape(1);
        if (wraps.size() != degree) throw std::invalid_argument("one wrap for each coefficient");
        Row out(limb.words * degree);
        ToLimb(source, limb).run(out.data(), y.data(), wraps.data(), degree);
        return to_numpy<2>(std::move(out), {limb.words, degree});
      });
  m.def("fermat_inverses", &ToLimb::inverses);
  m.def("fermat_centred_wraps", [](const Basis& source, const Rows& y) {
    require_rows(y, source.size());
    const auto wraps = ToLimb::centred_wraps(source, y.data(), y.shape(1));
    return std::vector<std::int64_t>(wraps.begin(), wraps.end());
  });
}

}  // namespace

void bind_fermat(nb::module_& m) {
  bind_limb(m);
  nb::class_<FermatBasis>(m, "FermatBasis")
      .def(nb::init<unsigned, std::optional<unsigned>>(), "x"_a, "splits"_a = nb::none())
      .def_prop_ro("splits", &FermatBasis::splits)
      .def_prop_ro("bits", &FermatBasis::bits)
      .def_prop_ro("words", &FermatBasis::words)
      .def_prop_ro("limbs", &FermatBasis::limbs)
      .def_prop_ro("modulus", &FermatBasis::modulus)
      .def("punctured", &FermatBasis::punctured)
      .def("modulus_mod", &FermatBasis::modulus_mod)
      .def("require_coprime",
           [](const FermatBasis& basis, std::uint64_t m_) { basis.require_coprime(m_, "the plaintext modulus"); })
      .def("coprime_primes", &FermatBasis::coprime_primes)
      .def("residues", &FermatBasis::residues);

  m.def("gmp_name", []() -> std::optional<std::string> {
    if (GeneralArithmetic::gmp() == nullptr) return std::nullopt;
    return GeneralArithmetic::gmp()->name();
  });
  m.def("general_product", [](const std::string& arithmetic, const Row& a, const Row& b) {
    Row out(a.size() + b.size());
    arithmetic_of(arithmetic).multiply(out.data(), a, b);
    return out;
  });
  m.def("general_remainder", [](const std::string& arithmetic, const Row& value, const Row& divisor) {
    Row out(divisor.size()), scratch(GeneralArithmetic::scratch_words(value.size()));
    arithmetic_of(arithmetic).remainder(out.data(), value, divisor, scratch.data());
    return out;
  });

  nb::class_<Punctured>(m, "Punctured")
      .def_static("fermat",
                  [](const FermatBasis& basis, const std::string& method,
                     const std::string& arithmetic) -> std::shared_ptr<Punctured> {
                    for (const Method one : methods) {
                      if (name_of(one) == method) {
                        return std::make_shared<FermatPunctured>(basis, one, arithmetic_of(arithmetic));
                      }
                    }
                    throw std::invalid_argument("no method: " + method);
                  })
      .def_static(
          "ordinary",
          [](const Basis& basis) -> std::shared_ptr<Punctured> { return std::make_shared<WordPunctured>(basis); })
      .def_static("integers",
                  [](std::size_t words) -> std::shared_ptr<Punctured> { return std::make_shared<WideIntegers>(words); })
      .def_prop_ro("words", &Punctured::words)
      .def_prop_ro("limbs", &Punctured::limbs)
      .def("apply",
           [](const Punctured& p, const Row& x) {
             if (x.size() % p.words() != 0) throw std::invalid_argument("words of whole coefficients");
             Row y(x.size());
             p.apply(y.data(), x.data(), x.size() / p.words());
             return y;
           })
      .def("convert",
           [](const std::shared_ptr<Punctured>& p, const Basis& target, const Rows& rows, const Row& factors) {
             require_rows(rows, p->words());
             const std::size_t degree = rows.shape(1);
             Row out(target.size() * degree);
             FromWide(p, target, factors).run(out.data(), rows.data(), degree);
             return to_numpy<2>(std::move(out), {target.size(), degree});
           });
}

}  // namespace cyclotome::testing
