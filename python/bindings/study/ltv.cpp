// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings/big_integers.hpp"
#include "bindings/bindings.hpp"
#include "bindings/file_path.hpp"
#include "cyclotome/io/files/file.hpp"
#include "cyclotome/io/objects/ltv_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/ltv/operations.hpp"

namespace cyclotome::python {

namespace {

using namespace study::ltv;
/// Words of coefficients, n rows.
using Words = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using BitRow = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Elements = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using NumpyRows = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <class T, class Row>
NumpyRows<T> rows_of(const Row& row, std::size_t rows) {
  auto* const values = new std::vector<T>(row.begin(), row.end());
  const nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const std::size_t shape[2] = {rows, rows == 0 ? 0 : values->size() / rows};
  return NumpyRows<T>(values->data(), 2, shape, owner);
}

Bits bits_of(const BitRow& row) { return {row.data(), row.data() + row.shape(0)}; }

Domain domain_of(const std::string& name) {
  for (const Domain domain : {Domain::raw, Domain::crt, Domain::ntt}) {
    if (name_of(domain) == name) return domain;
  }
  throw ArgumentError(message("domains are \"RAW\", \"CRT\" and \"NTT\", not \"", name, "\""));
}

/// To another domain, by way of CRT.
Polynomial converted(const Arithmetic& arithmetic, const Polynomial& a, Domain to) {
  if (a.domain == to) return a;
  if (a.domain == Domain::raw) return converted(arithmetic, arithmetic.crt(a), to);
  if (a.domain == Domain::ntt) return converted(arithmetic, arithmetic.barrett(arithmetic.intt(a)), to);
  return to == Domain::raw ? arithmetic.icrt(a) : arithmetic.ntt(a);
}

void bind_arithmetic(nb::module_& m) {
  nb::class_<Polynomial>(m, "LtvPolynomial")
      .def_prop_ro("domain", [](const Polynomial& a) { return name_of(a.domain); })
      .def_ro("primes", &Polynomial::primes)
      .def_ro("length", &Polynomial::length)
      .def_prop_ro("nbytes", &Polynomial::bytes)
      .def("words",
           [](const Polynomial& a) {
             return rows_of<std::uint32_t>(a.words, a.domain == Domain::raw   ? a.length
                                                    : a.domain == Domain::crt ? a.primes
                                                                              : 0);
           })
      .def("values", [](const Polynomial& a) {
        return rows_of<std::uint64_t>(a.values, a.domain != Domain::ntt ? 0 : a.shared ? 1 : a.primes);
      });
  nb::class_<Arithmetic>(m, "LtvArithmetic")
      .def_static("create", &Arithmetic::create, "index"_a, "primes"_a, NoGil())
      .def_prop_ro("index", [](const Arithmetic& a) { return a.ring().index(); })
      .def_prop_ro("degree", &Arithmetic::degree)
      .def_prop_ro("points", &Arithmetic::points)
      .def_prop_ro("modulus_polynomial", [](const Arithmetic& a) { return a.ring().coefficients(); })
      .def_prop_ro("primes",
                   [](const Arithmetic& a) {
                     std::vector<std::uint64_t> primes;
                     for (std::size_t j = 0; j < a.primes(); ++j) primes.push_back(a.basis().prime(j));
                     return primes;
                   })
      .def(
          "modulus",
          [](const Arithmetic& a, std::size_t primes) {
            if (primes < 1 || primes > a.primes())
              throw ArgumentError(message(primes, " primes; there are 1 to ", a.primes()));
            return int_of(a.basis().product(primes));
          },
          "primes"_a)
      .def(
          "raw",
          [](const Arithmetic& a, const Words& words, std::size_t primes) {
            const Unlocked unlocked;
            return a.raw(std::span(words.data(), words.size()), primes);
          },
          "words"_a, "primes"_a)
      .def(
          "to",
          [](const Arithmetic& a, const Polynomial& x, const std::string& domain) {
            const Domain to = domain_of(domain);
            const Unlocked unlocked;
            return converted(a, x, to);
          },
          "polynomial"_a, "domain"_a)
      .def(
          "constant_bytes",
          [](const Arithmetic& a, std::size_t primes) {
            if (primes < 1 || primes > a.primes())
              throw ArgumentError(message(primes, " primes; there are 1 to ", a.primes()));
            const auto basis = a.basis().bytes(primes);
            const auto rows = a.bytes();
            return std::vector<std::size_t>{basis.primes,     basis.products,       basis.cofactors,
                                            basis.inverses,   basis.prime_inverses, rows.modulus,
                                            rows.modulus_ntt, rows.reciprocal_ntt,  rows.twiddles};
          },
          "primes"_a,
          "Bytes of P, q_i, Q*_i, Q+_i, P^-1, M, its transform, U's transform, and twiddles, as they lie in memory.")
      .def("intt", &Arithmetic::intt, "polynomial"_a, NoGil())
      .def("digit_ntt", &Arithmetic::digit_ntt, "polynomial"_a, "number"_a, "window"_a, NoGil())
      .def("ntt_zero", &Arithmetic::ntt_zero, "primes"_a, NoGil())
      .def("add", &Arithmetic::add, "a"_a, "b"_a, NoGil())
      .def("subtract", &Arithmetic::subtract, "a"_a, "b"_a, NoGil())
      .def("scale", &Arithmetic::scale, "a"_a, "factor"_a, NoGil())
      .def("dot", &Arithmetic::dot, "a"_a, "b"_a, NoGil())
      .def("multiply_add", &Arithmetic::multiply_add, "sum"_a, "a"_a, "b"_a, NoGil())
      .def("barrett", &Arithmetic::barrett, "f"_a, NoGil())
      .def("reduced", &Arithmetic::reduced, "f"_a, NoGil())
      .def("multiply", &Arithmetic::multiply, "a"_a, "b"_a, NoGil())
      .def("multiply_transformed", &Arithmetic::multiply_transformed, "a"_a, "b"_a, NoGil())
      .def("inverse", &Arithmetic::inverse, "a"_a, NoGil())
      .def("automorphism", &Arithmetic::automorphism, "a"_a, "k"_a, NoGil())
      .def("restricted", &Arithmetic::restricted, "a"_a, "primes"_a, NoGil())
      .def("switched", &Arithmetic::switched, "a"_a, NoGil());
}

void bind_parameters_of_ltv(nb::module_& m) {
  nb::class_<ParametersLiteral>(m, "LtvLiteral")
      .def_ro("primes", &ParametersLiteral::primes)
      .def_ro("index", &ParametersLiteral::index)
      .def_ro("prime_bits", &ParametersLiteral::prime_bits)
      .def_ro("window", &ParametersLiteral::window)
      .def_ro("name", &ParametersLiteral::name);
  nb::class_<Precomputation>(m, "LtvPrecomputation")
      .def_ro("literal", &Precomputation::literal)
      .def_ro("level_bits", &Precomputation::level_bits)
      .def_ro("most_prime_bits", &Precomputation::most_prime_bits)
      .def_ro("log2_last", &Precomputation::log2_last)
      .def_ro("log2_last_limit", &Precomputation::log2_last_limit);
  nb::class_<Parameters>(m, "LtvParameters")
      .def_static(
          "create",
          [](std::size_t primes, std::uint64_t index, unsigned prime_bits, unsigned window, const std::string& name) {
            return Parameters::create({primes, index, prime_bits, window, name});
          },
          "primes"_a, "index"_a, "prime_bits"_a, "window"_a, "name"_a, NoGil())
      .def_static("preset", &preset, "name"_a)
      .def_static("preset_names", &preset_names)
      .def_static("precompute", &precompute, "depth"_a, "index"_a, "fan_in"_a, NoGil())
      .def_prop_ro("arithmetic", &Parameters::arithmetic)
      .def_prop_ro("index", &Parameters::index)
      .def_prop_ro("degree", &Parameters::degree)
      .def_prop_ro("levels", &Parameters::levels)
      .def_prop_ro("prime_bits", &Parameters::prime_bits)
      .def_prop_ro("window", &Parameters::window)
      .def("digits", &Parameters::digits, "primes"_a)
      .def("log2_limit", &Parameters::log2_limit, "primes"_a)
      .def_prop_ro("name", &Parameters::name)
      .def_prop_ro("fingerprint", [](const Parameters& p) { return to_bytes(p.fingerprint()); })
      .def_prop_ro("summary", &Parameters::summary);
}

void bind_slots(nb::module_& m) {
  nb::class_<Slots::Dimension>(m, "LtvDimension")
      .def_ro("generator", &Slots::Dimension::generator)
      .def_ro("length", &Slots::Dimension::length)
      .def_ro("exact", &Slots::Dimension::exact);
  nb::class_<Slots>(m, "LtvSlots")
      .def_static(
          "of", [](const Parameters& parameters) { return Slots(parameters.ring()); }, "parameters"_a, NoGil())
      .def_prop_ro("count", &Slots::count)
      .def_prop_ro("field_bits", &Slots::field_bits)
      .def_prop_ro("field", &Slots::field)
      .def_prop_ro("dimensions", &Slots::dimensions)
      .def_prop_ro("units", &Slots::units)
      .def("rotation", &Slots::rotation, "dimension"_a, "steps"_a)
      .def(
          "encode",
          [](const Slots& slots, const Elements& values) {
            Bits bits;
            {
              const Unlocked unlocked;
              bits = slots.encode(std::span(values.data(), values.size()));
            }
            return rows_of<std::uint8_t>(bits, 1);
          },
          "values"_a)
      .def(
          "decode",
          [](const Slots& slots, const BitRow& bits) {
            ZeroisingVector<std::uint32_t> values;
            {
              const Unlocked unlocked;
              values = slots.decode(std::span(bits.data(), bits.size()));
            }
            return rows_of<std::uint32_t>(values, 1);
          },
          "bits"_a);
}

void write(const FilePath& path, const io::Bytes& bytes, io::Privacy privacy, bool overwrite) {
  io::write_file(path, bytes, privacy, overwrite ? io::Existing::replaced : io::Existing::refused);
}

void bind_files_of_ltv(nb::module_& m) {
  nb::class_<io::LtvEvaluationKeys>(m, "LtvEvaluationKeys")
      .def_prop_ro("relinearization", [](const io::LtvEvaluationKeys& k) { return k.relinearization; })
      .def_prop_ro("galois", [](const io::LtvEvaluationKeys& k) { return k.galois; });
  nb::class_<io::LtvArray>(m, "LtvStoredArray")
      .def_ro("ciphertext", &io::LtvArray::ciphertext)
      .def_ro("length", &io::LtvArray::length)
      .def_ro("field", &io::LtvArray::field);
  m.def(
      "write_ltv_secret_key",
      [](const FilePath& path, const SecretKey& key, bool overwrite) {
        write(path, io::serialize(key), io::Privacy::secret, overwrite);
      },
      "path"_a, "key"_a, "overwrite"_a, NoGil());
  m.def(
      "write_ltv_public_key",
      [](const FilePath& path, const PublicKey& key, bool overwrite) {
        write(path, io::serialize(key), io::Privacy::shared, overwrite);
      },
      "path"_a, "key"_a, "overwrite"_a, NoGil());
  m.def(
      "write_ltv_evaluation_keys",
      [](const FilePath& path, const SwitchingKey& key, const std::vector<SwitchingKey>& galois, bool overwrite) {
        std::vector<const SwitchingKey*> all;
        for (const SwitchingKey& one : galois) all.push_back(&one);
        write(path, io::serialize(key, all), io::Privacy::shared, overwrite);
      },
      "path"_a, "key"_a, "galois"_a, "overwrite"_a, NoGil());
  m.def(
      "write_ltv_array",
      [](const FilePath& path, const Ciphertext& ciphertext, std::uint32_t length, bool field, bool overwrite) {
        write(path, io::serialize(ciphertext, length, field), io::Privacy::shared, overwrite);
      },
      "path"_a, "ciphertext"_a, "length"_a, "field"_a, "overwrite"_a, NoGil());
  m.def(
      "read_ltv",
      [](const FilePath& path, std::uint64_t max_bytes) {
        return io::read_ltv(io::read_object_file(path, max_bytes), max_bytes);
      },
      "path"_a, "max_bytes"_a, NoGil());
}

void bind_keys_of_ltv(nb::module_& m) {
  nb::class_<SecretKey>(m, "LtvSecretKey")
      .def_static("generate", &SecretKey::generate, "parameters"_a, "acknowledge_broken"_a, NoGil())
      .def_prop_ro("id", [](const SecretKey& key) { return to_bytes(key.id()); })
      .def_prop_ro("parameters", &SecretKey::parameters);
  nb::class_<PublicKey>(m, "LtvPublicKey")
      .def_static("generate", &PublicKey::generate, "secret"_a, NoGil())
      .def_prop_ro("id", [](const PublicKey& key) { return to_bytes(key.id()); })
      .def_prop_ro("parameters", &PublicKey::parameters)
      .def_prop_ro("nbytes", [](const PublicKey& key) { return key.transform().bytes(); });
  nb::class_<SwitchingKey>(m, "LtvSwitchingKey")
      .def_static("relinearization", &SwitchingKey::relinearization, "secret"_a, "public_key"_a, NoGil())
      .def_static("galois", &SwitchingKey::galois, "secret"_a, "public_key"_a, "element"_a, NoGil())
      .def_prop_ro("id", [](const SwitchingKey& key) { return to_bytes(key.id()); })
      .def_prop_ro("parameters", &SwitchingKey::parameters)
      .def_prop_ro("element", &SwitchingKey::element)
      .def_prop_ro("digits", [](const SwitchingKey& key) { return key.digits().size(); })
      .def_prop_ro("nbytes", &SwitchingKey::bytes);
}

}  // namespace

void bind_ltv(nb::module_& m) {
  bind_arithmetic(m);
  bind_parameters_of_ltv(m);
  bind_slots(m);
  bind_keys_of_ltv(m);
  nb::class_<MeasuredPhase>(m, "LtvMeasuredPhase")
      .def_ro("log2_mean_square", &MeasuredPhase::log2_mean_square)
      .def_ro("log2_largest", &MeasuredPhase::log2_largest);
  nb::class_<Ciphertext>(m, "LtvCiphertext")
      .def_prop_ro("level", &Ciphertext::level)
      .def_ro("parameters", &Ciphertext::parameters)
      .def_prop_ro("primes", [](const Ciphertext& c) { return c.polynomial.primes; })
      .def_ro("key_power", &Ciphertext::key_power)
      .def_ro("log2_phase", &Ciphertext::log2_phase)
      .def_ro("polynomial", &Ciphertext::polynomial)
      .def_prop_ro("headroom", &Ciphertext::headroom)
      .def_prop_ro("transparent", &Ciphertext::transparent)
      .def_static(
          "encrypt",
          [](const BitRow& bits, const PublicKey& key, std::size_t level) {
            const Bits row = bits_of(bits);
            const Unlocked unlocked;
            return encrypt(row, key, level);
          },
          "bits"_a, "key"_a, "level"_a)
      .def(
          "decrypt",
          [](const Ciphertext& c, const SecretKey& key) {
            Bits bits;
            {
              const Unlocked unlocked;
              bits = decrypt(c, key);
            }
            return rows_of<std::uint8_t>(bits, 1);
          },
          "key"_a)
      .def("measure_phase", &measure_phase, "key"_a, NoGil())
      .def("add", &add, "other"_a, NoGil())
      .def(
          "add_plain",
          [](const Ciphertext& c, const BitRow& bits) {
            const Bits row = bits_of(bits);
            const Unlocked unlocked;
            return add_plain(c, row);
          },
          "bits"_a)
      .def(
          "multiply_plain",
          [](const Ciphertext& c, const BitRow& bits) {
            const Bits row = bits_of(bits);
            const Unlocked unlocked;
            return multiply_plain(c, row);
          },
          "bits"_a)
      .def("multiply", &multiply, "other"_a, NoGil())
      .def("relinearize", &relinearize, "key"_a, NoGil())
      .def("switch_modulus", &switch_modulus, NoGil())
      .def("reduce_to", &reduce_to, "level"_a, NoGil())
      .def("automorphism", &automorphism, "key"_a, NoGil());
  bind_files_of_ltv(m);
}

}  // namespace cyclotome::python
