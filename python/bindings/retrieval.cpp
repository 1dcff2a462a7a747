// SPDX-License-Identifier: Apache-2.0
// Private look-ups: masks, databases, requests, answers. Formats around them are the package's (cyclotome/pir).
#include "bindings/retrieval.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "cyclotome/engine/cpu/scan/byte_scan.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/retrieval/answers.hpp"
#include "cyclotome/retrieval/packing.hpp"
#include "cyclotome/retrieval/request.hpp"

namespace cyclotome::python {

namespace {

using retrieval::degree;
using retrieval::Lattice;
using retrieval::LatticePtr;
using retrieval::Masks;
using retrieval::OpenedRequest;
using retrieval::Packing;
using retrieval::Request;
using retrieval::RequestKey;
using retrieval::Residues;

using Words = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Digits = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Signed = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t key_integers = retrieval::gadget_digits * degree;

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.size());
}

template <class T>
using Numpy = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
Numpy<T> numpy_of(std::vector<T> values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  const nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  std::vector<T>* const data = kept.release();
  return Numpy<T>(data->data(), {data->size()}, owner);
}

std::array<std::uint8_t, 32> array_of(std::span<const std::uint8_t> bytes, const char* what) {
  std::array<std::uint8_t, 32> out{};
  if (bytes.size() != out.size()) throw ArgumentError(message(what, " has 32 bytes, not ", bytes.size()));
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

std::span<const std::uint8_t> span_of(const nb::bytearray& bytes) {
  return {static_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

void append(std::vector<std::uint8_t>& to, const std::vector<std::uint8_t>& bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

std::size_t packed_size(std::size_t count, unsigned bits) { return (count * bits + 7) / 8; }

constexpr unsigned modulus_bits = 53;

Seed seed_of(std::span<const std::uint8_t> saved) {
  std::array<std::uint8_t, 32> bytes = array_of(saved, "a saved secret");
  Seed seed(bytes);
  secure_zero(bytes.data(), bytes.size());
  return seed;
}

/// A key with the seed that it is made from, for a client that keeps it in a file between request and answer.
class KeptKey {
 public:
  KeptKey(LatticePtr lattice, const std::optional<nb::bytearray>& saved, const nb::bytes& version)
      : lattice_(std::move(lattice)),
        seed_(saved ? seed_of(span_of(*saved)) : Seed::from_system()),
        restored_(saved.has_value()),
        version_(array_of(to_span(version), "a version")),
        key_(lattice_, Seed(seed_.bytes()), version_) {}

  nb::bytearray saved() const { return nb::bytearray(seed_.bytes().data(), seed_.bytes().size()); }

  /// Seed of the dither, rows, keys.
  std::vector<std::uint8_t> encrypt(const Masks& masks, const std::vector<std::uint64_t>& positions, unsigned kept) {
    if (restored_) throw ArgumentError("this secret has encrypted a request before it was saved: make a new one");
    return sent(key_.encrypt(masks, positions), kept);
  }

  std::vector<std::uint8_t> encrypt_values(const Masks& masks, std::span<const std::int64_t> values,
                                           std::uint64_t scale, unsigned kept) {
    if (restored_) throw ArgumentError("this secret has encrypted a request before it was saved: make a new one");
    return sent(key_.encrypt_values(masks, values, scale), kept);
  }

  const Lattice& lattice() const { return *lattice_; }
  const RequestKey& key() const { return key_; }

 private:
  std::vector<std::uint8_t> sent(const Request& request, unsigned kept) const {
    const PublicSeed dither = PublicSeed::publish(retrieval::derived(seed_, retrieval::Purpose::dither, version_));
    std::vector<std::uint8_t> out(dither.bytes().begin(), dither.bytes().end());
    append(out, retrieval::packed_bits(retrieval::dithered(*lattice_, request.rows, dither, kept), kept));
    append(out, retrieval::packed_bits(request.turn, modulus_bits));
    append(out, retrieval::packed_bits(request.flip, modulus_bits));
    return out;
  }

  LatticePtr lattice_;
  Seed seed_;
  bool restored_;
  Digest version_;
  RequestKey key_;
};

std::unique_ptr<OpenedRequest> opened(const LatticePtr& lattice, std::span<const std::uint8_t> body, std::size_t rows,
                                      unsigned kept, std::size_t word_bytes) {
  const std::size_t row_bytes = packed_size(rows, kept), key_bytes = packed_size(key_integers, modulus_bits);
  if (body.size() != 32 + row_bytes + 2 * key_bytes) {
    throw FormatError(
        message("a request of ", body.size(), " bytes; for ", rows, " rows it has ", 32 + row_bytes + 2 * key_bytes));
  }
  const PublicSeed dither(array_of(body.first(32), "a seed"));
  Request request;
  request.rows =
      retrieval::undithered(*lattice, retrieval::unpacked_bits(body.subspan(32, row_bytes), kept, rows), dither, kept);
  request.turn = retrieval::unpacked_bits(body.subspan(32 + row_bytes, key_bytes), modulus_bits, key_integers);
  request.flip = retrieval::unpacked_bits(body.last(key_bytes), modulus_bits, key_integers);
  return std::make_unique<OpenedRequest>(lattice, request, word_bytes);
}

std::vector<nb::bytes> answers(const EnginePtr& engine, const LatticePtr& lattice,
                               const std::vector<const OpenedRequest*>& requests, const Bytes& words,
                               const Bytes& matrix, const Digits& flip, unsigned bits) {
  std::vector<std::vector<std::uint8_t>> packed;
  {
    const Unlocked unlocked;
    const std::unique_ptr<ByteScan> scan = cpu::make_byte_scan(engine);
    const retrieval::StoredOutput output{span_of(words), span_of(matrix), span_of(flip)};
    for (const Residues& values : retrieval::answers(*scan, requests, output)) {
      packed.push_back(retrieval::packed_bits(retrieval::shortened(*lattice, values, bits), bits));
    }
  }
  std::vector<nb::bytes> out;
  for (const auto& bytes : packed) out.push_back(to_bytes(std::span<const std::uint8_t>(bytes)));
  return out;
}

void bind_database(nb::module_& m) {
  nb::class_<Lattice>(m, "RetrievalLattice")
      .def(nb::init<EnginePtr>(), "engine"_a, NoGil())
      .def_prop_ro("modulus", &Lattice::modulus);
  nb::class_<Masks>(m, "RetrievalMasks")
      .def(
          "__init__",
          [](Masks* self, const LatticePtr& lattice, const nb::bytes& seed, std::size_t rows) {
            const PublicSeed published(array_of(to_span(seed), "a seed"));
            const Unlocked unlocked;
            new (self) Masks(lattice, published, rows);
          },
          "lattice"_a, "seed"_a, "rows"_a);
  nb::class_<Packing>(m, "RetrievalPacking")
      .def_prop_ro(
          "mask", [](const Packing& p) { return numpy_of(p.mask); }, nb::rv_policy::move)
      .def_prop_ro(
          "matrix", [](const Packing& p) { return numpy_of(p.matrix); }, nb::rv_policy::move)
      .def_prop_ro(
          "flip", [](const Packing& p) { return numpy_of(p.flip); }, nb::rv_policy::move)
      .def_ro("matrix_norm", &Packing::matrix_norm)
      .def_ro("words_norm", &Packing::words_norm)
      .def_ro("words_sum", &Packing::words_sum);
  m.def(
      "retrieval_pack",
      [](const Masks& masks, const Words& words) {
        if (words.shape(1) != degree) {
          throw ArgumentError(message("rows of ", words.shape(1), " words; they have ", degree));
        }
        const Unlocked unlocked;
        return std::make_unique<Packing>(retrieval::pack(masks, span_of(words)));
      },
      "masks"_a, "words"_a, "What is known of an output, 2048 columns of words, before a request comes.");
  m.def(
      "retrieval_tiles",
      [](const Words& words, std::size_t word_bytes) {
        std::vector<std::uint8_t> tiles;
        {
          const Unlocked unlocked;
          tiles = retrieval::arranged(span_of(words), word_bytes);
        }
        return numpy_of(std::move(tiles));
      },
      "words"_a, "word_bytes"_a = 2, "The words of an output in the order of a scan.");
  m.attr("retrieval_matrix_bytes") = retrieval::matrix_tile_bytes;
}

}  // namespace

void bind_retrieval(nb::module_& m) {
  bind_database(m);
  nb::class_<OpenedRequest>(m, "RetrievalRequest").def_prop_ro("rows", &OpenedRequest::rows);
  m.def(
      "open_retrieval_request",
      [](const LatticePtr& lattice, const nb::bytes& body, std::size_t rows, unsigned kept, std::size_t word_bytes) {
        const std::span<const std::uint8_t> bytes = to_span(body);
        const Unlocked unlocked;
        return opened(lattice, bytes, rows, kept, word_bytes);
      },
      "lattice"_a, "body"_a, "rows"_a, "kept"_a, "word_bytes"_a = 2);
  m.def(
      "retrieval_request_bytes",
      [](std::size_t rows, unsigned kept) {
        return 32 + packed_size(rows, kept) + 2 * packed_size(key_integers, modulus_bits);
      },
      "rows"_a, "kept"_a);
  m.def("retrieval_answers", &answers, "engine"_a, "lattice"_a, "requests"_a, "words"_a, "matrix"_a, "flip"_a, "bits"_a,
        "For each request 2048 integers of so many bits, packed.");
  nb::class_<KeptKey>(m, "RetrievalKey")
      .def(nb::init<LatticePtr, const std::optional<nb::bytearray>&, const nb::bytes&>(), "lattice"_a, "saved"_a.none(),
           "version"_a)
      .def("saved", &KeptKey::saved, "The secret's seed, for a file that nobody else reads.")
      .def(
          "encrypt",
          [](KeptKey& key, const Masks& masks, std::vector<std::uint64_t> positions, unsigned kept) {
            std::vector<std::uint8_t> body;
            {
              const Unlocked unlocked;
              body = key.encrypt(masks, positions, kept);
              secure_zero(positions.data(), positions.size() * sizeof(std::uint64_t));
            }
            return to_bytes(std::span<const std::uint8_t>(body));
          },
          "masks"_a, "positions"_a, "kept"_a)
      .def(
          "encrypt_values",
          [](KeptKey& key, const Masks& masks, const Signed& values, std::uint64_t scale, unsigned kept) {
            std::vector<std::uint8_t> body;
            {
              const Unlocked unlocked;
              body = key.encrypt_values(masks, span_of(values), scale, kept);
            }
            return to_bytes(std::span<const std::uint8_t>(body));
          },
          "masks"_a, "values"_a, "scale"_a, "kept"_a)
      .def(
          "decrypt_values",
          [](const KeptKey& key, const Integers& mask, const nb::bytes& answer, unsigned bits, std::uint64_t scale) {
            std::vector<std::int64_t> values;
            {
              const std::span<const std::uint8_t> bytes = to_span(answer);
              const Unlocked unlocked;
              values = key.key().decrypt_values(
                  span_of(mask),
                  retrieval::lengthened(key.lattice(), retrieval::unpacked_bits(bytes, bits, degree), bits), scale);
            }
            return numpy_of(std::move(values));
          },
          "mask"_a, "answer"_a, "bits"_a, "scale"_a)
      .def(
          "decrypt",
          [](const KeptKey& key, const Integers& mask, const nb::bytes& answer, unsigned bits) {
            std::vector<std::uint16_t> words;
            {
              const std::span<const std::uint8_t> bytes = to_span(answer);
              const Unlocked unlocked;
              words = key.key().decrypt(
                  span_of(mask),
                  retrieval::lengthened(key.lattice(), retrieval::unpacked_bits(bytes, bits, degree), bits));
            }
            return numpy_of(std::move(words));
          },
          "mask"_a, "answer"_a, "bits"_a)
      .def(
          "phase",
          [](const KeptKey& key, const Integers& mask, const nb::bytes& answer, unsigned bits) {
            return numpy_of(key.key().phase(
                span_of(mask),
                retrieval::lengthened(key.lattice(), retrieval::unpacked_bits(to_span(answer), bits, degree), bits)));
          },
          "mask"_a, "answer"_a, "bits"_a, "What rounding sees, modulo q: for those who measure noise.");
  m.def(
      "pack_integers",
      [](const Integers& values, unsigned bits) {
        const std::vector<std::uint8_t> bytes = retrieval::packed_bits(span_of(values), bits);
        return to_bytes(std::span<const std::uint8_t>(bytes));
      },
      "values"_a, "bits"_a);
  m.def(
      "unpack_integers",
      [](const nb::bytes& bytes, unsigned bits, std::size_t count) {
        return numpy_of(retrieval::unpacked_bits(to_span(bytes), bits, count));
      },
      "bytes"_a, "bits"_a, "count"_a);
}

}  // namespace cyclotome::python
