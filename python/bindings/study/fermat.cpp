// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <type_traits>

#include "bindings/bindings.hpp"
#include "bindings/file_path.hpp"
#include "bindings/study/wide_engines.hpp"
#include "cyclotome/io/files/file.hpp"
#include "cyclotome/io/objects/fermat_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/fermat/scheme/operations.hpp"

namespace cyclotome::python {

namespace {

using namespace study::fermat;

ErrorLaw error_law_of(const std::string& name) {
  if (name == "standard") return ErrorLaw::standard;
  if (name == "one-bounded") return ErrorLaw::one_bounded;
  throw ArgumentError(message("errors are \"standard\" or \"one-bounded\", not \"", name, "\""));
}

Plaintext plain_of(const ContextPtr& context, const Values& values, bool slots) {
  return encode(context, std::span(values.data(), values.size()), values.shape(0), slots);
}

template <class Key>
Ciphertext encrypted(const Key& key, const Values& values, bool slots) {
  const Unlocked unlocked;
  return encrypt(plain_of(key.context(), values, slots), key);
}

template <Plaintext (*Decrypt)(const Ciphertext&, const SecretKey&)>
NumpyValues decrypted(const SecretKey& key, const Ciphertext& ciphertext, bool slots) {
  auto* const values = new std::vector<std::int64_t>;
  const nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
  {
    const Unlocked unlocked;
    *values = decode(Decrypt(ciphertext, key), slots);
  }
  const std::size_t shape[2] = {ciphertext.items.size(), ciphertext.context->degree()};
  return NumpyValues(values->data(), 2, shape, owner);
}

void bind_fermat_parameters(nb::module_& m) {
  nb::class_<Parameters>(m, "FermatParameters")
      .def(
          "__init__",
          [](Parameters* self, std::size_t degree, unsigned x, std::optional<unsigned> splits, std::uint64_t t,
             unsigned digit_bits, const std::string& errors, unsigned security, const std::string& table,
             bool allow_insecure, bool strict, unsigned special_bits) {
            new (self) Parameters({.degree = degree,
                                   .x = x,
                                   .splits = splits,
                                   .plain_modulus = t,
                                   .digit_bits = digit_bits,
                                   .special_bits = special_bits,
                                   .error = error_law_of(errors),
                                   .security = security,
                                   .table = rlwe::security_table(table),
                                   .allow_insecure = allow_insecure,
                                   .strict = strict});
          },
          "degree"_a, "x"_a, "splits"_a.none(), "plain_modulus"_a, "digit_bits"_a, "errors"_a, "security"_a, "table"_a,
          "allow_insecure"_a, "strict"_a, "special_bits"_a = 0)
      .def_static("preset", &preset, "name"_a, "allow_insecure"_a)
      .def_static("preset_names", &preset_names)
      .def_prop_ro("degree", &Parameters::degree)
      .def_prop_ro("ring", &Parameters::ring)
      .def_prop_ro("x", [](const Parameters& p) { return p.basis().x(); })
      .def_prop_ro("splits", [](const Parameters& p) { return p.basis().splits(); })
      .def_prop_ro("modulus_bits", [](const Parameters& p) { return p.basis().bits(); })
      .def_prop_ro("words", [](const Parameters& p) { return p.basis().words(); })
      .def_prop_ro("limb_words",
                   [](const Parameters& p) {
                     std::vector<std::size_t> words;
                     for (const Limb& limb : p.basis().limbs()) words.push_back(limb.words);
                     return words;
                   })
      .def_prop_ro("plain_modulus", &Parameters::plain_modulus)
      .def_prop_ro("digit_bits", &Parameters::digit_bits)
      .def_prop_ro("special_primes", &Parameters::special_primes)
      .def_prop_ro("key_bits", &Parameters::key_bits)
      .def_prop_ro("digits", [](const Parameters& p) { return p.log2_digits().size(); })
      .def_prop_ro("security_reached", &Parameters::security_reached)
      .def_prop_ro("name", &Parameters::name)
      .def_prop_ro("fingerprint", [](const Parameters& p) { return to_bytes(p.fingerprint()); })
      .def_prop_ro("summary", &Parameters::summary);
}

void write(const FilePath& path, const io::Bytes& bytes, io::Privacy privacy, bool overwrite) {
  io::write_file(path, bytes, privacy, overwrite ? io::Existing::replaced : io::Existing::refused);
}

void bind_fermat_files(nb::module_& m) {
  nb::class_<io::FermatArray>(m, "FermatStoredArray")
      .def(
          "__init__",
          [](io::FermatArray* self, const Ciphertext& ciphertext, std::uint32_t width, bool rows, bool slots,
             std::optional<std::uint64_t> bound) { new (self) io::FermatArray{ciphertext, width, rows, slots, bound}; },
          "ciphertext"_a, "width"_a, "rows"_a, "slots"_a, "bound"_a.none())
      .def_ro("ciphertext", &io::FermatArray::ciphertext)
      .def_ro("width", &io::FermatArray::width)
      .def_ro("rows", &io::FermatArray::rows)
      .def_ro("slots", &io::FermatArray::slots)
      .def_ro("bound", &io::FermatArray::bound);
  const auto writer = [&m]<class Object>(io::Privacy privacy, std::type_identity<Object>) {
    m.def(
        "write_fermat",
        [privacy](const FilePath& path, const Object& object, bool overwrite) {
          write(path, io::serialize(object), privacy, overwrite);
        },
        "path"_a, "object"_a, "overwrite"_a, NoGil());
  };
  writer(io::Privacy::shared, std::type_identity<Parameters>());
  writer(io::Privacy::secret, std::type_identity<SecretKey>());
  writer(io::Privacy::shared, std::type_identity<PublicKey>());
  writer(io::Privacy::shared, std::type_identity<RelinearizationKey>());
  writer(io::Privacy::shared, std::type_identity<io::FermatArray>());
  m.def(
      "read_fermat",
      [](const FilePath& path, std::uint64_t max_bytes, bool allow_insecure, const EnginePtr& engine,
         const std::optional<std::string>& version) {
        const std::optional<Variant> variant = version ? std::optional(variant_of(*version)) : std::nullopt;
        return io::read_fermat(io::read_object_file(path, max_bytes), {max_bytes, allow_insecure},
                               [&](const Parameters& p) { return Context::create(p, engine, variant); });
      },
      "path"_a, "max_bytes"_a, "allow_insecure"_a, "engine"_a, "version"_a.none(), NoGil());
}

}  // namespace

void bind_fermat(nb::module_& m) {
  bind_fermat_parameters(m);
  nb::class_<Context>(m, "FermatContext")
      .def_static(
          "create",
          [](const Parameters& parameters, const EnginePtr& engine, const std::optional<std::string>& version,
             const std::string& products) {
            std::optional<Variant> variant;
            if (version) variant = variant_of(*version);
            const ProductMethod method = product_method_of(products);
            const Unlocked unlocked;
            wide_engine_of(engine);  // makes known what this build has beside its engines
            return Context::create(parameters, engine, variant, method);
          },
          "parameters"_a, "engine"_a, "version"_a.none(), "products"_a = "fastest")
      .def_prop_ro("products", [](const Context& c) { return name_of(c.product_method()); })
      .def_prop_ro("parameters", &Context::parameters)
      .def_prop_ro("version", [](const Context& c) { return name_of(c.variant()); })
      .def_prop_ro("has_slots", [](const Context& c) { return c.plain_ring()->has_transform(0); })
      .def_prop_ro("conversions", &Context::conversions)
      .def(
          "depth",
          [](const Context& c) {  // of squarings of fresh encryptions under the public key
            const auto& noise = c.parameters().noise();
            rlwe::NoiseBound bound = noise.sum(noise.public_zero(0, 1), noise.chosen(0.5));
            int depth = -1;
            for (; c.headroom(bound) >= 0 && depth < 1000; ++depth) {
              bound = noise.sum(c.product_noise(bound, bound), c.relinearization_noise());
            }
            return depth;
          },
          "How many squarings in a row decrypt; -1: not even a fresh encryption does.");
  nb::class_<SecretKey>(m, "FermatSecretKey")
      .def_static("generate", &SecretKey::generate, "context"_a, NoGil())
      .def_prop_ro("id", [](const SecretKey& key) { return to_bytes(key.id()); })
      .def_prop_ro("context", &SecretKey::context)
      .def("encrypt", &encrypted<SecretKey>, "values"_a, "slots"_a)
      .def("decrypt", &decrypted<&decrypt>, "ciphertext"_a, "slots"_a)
      .def("decrypt_unchecked", &decrypted<&decrypt_unchecked>, "ciphertext"_a, "slots"_a,
           "Without looking at the bound or at the noise: for measuring depth.");
  nb::class_<PublicKey>(m, "FermatPublicKey")
      .def_static("generate", &PublicKey::generate, "secret"_a, NoGil())
      .def_prop_ro("id", [](const PublicKey& key) { return to_bytes(key.id()); })
      .def_prop_ro("context", &PublicKey::context)
      .def("encrypt", &encrypted<PublicKey>, "values"_a, "slots"_a);
  nb::class_<RelinearizationKey>(m, "FermatRelinearizationKey")
      .def_static("generate", &RelinearizationKey::generate, "secret"_a, NoGil())
      .def_prop_ro("id", [](const RelinearizationKey& key) { return to_bytes(key.id()); })
      .def_prop_ro("context", &RelinearizationKey::context)
      .def_prop_ro("bytes", &RelinearizationKey::bytes);
  nb::class_<Ciphertext>(m, "FermatCiphertext")
      .def_prop_ro("items", [](const Ciphertext& c) { return c.items.size(); })
      .def_ro("parts", &Ciphertext::parts)
      .def_prop_ro("headroom", &Ciphertext::headroom)
      .def_prop_ro("transparent", &Ciphertext::transparent)
      .def("in_context", &Ciphertext::in, "context"_a,
           "The same ciphertexts in another context of the same parameters.")
      .def_ro("context", &Ciphertext::context)
      .def("add", &add, "other"_a, NoGil())
      .def("subtract", &subtract, "other"_a, NoGil())
      .def("negate", &negate, NoGil())
      .def("multiply", &multiply, "other"_a, "key"_a, NoGil())
      .def(
          "add_plain",
          [](const Ciphertext& a, const Values& values, bool slots) {
            const Unlocked unlocked;
            return add_plain(a, plain_of(a.context, values, slots));
          },
          "values"_a, "slots"_a)
      .def(
          "multiply_plain",
          [](const Ciphertext& a, const Values& values, bool slots) {
            const Unlocked unlocked;
            return multiply_plain(a, plain_of(a.context, values, slots));
          },
          "values"_a, "slots"_a);
  bind_fermat_files(m);
}

}  // namespace cyclotome::python
