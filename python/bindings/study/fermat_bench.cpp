// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "bindings/bindings.hpp"
#include "bindings/study/wide_engines.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/study/fermat/scheme/ciphertext.hpp"

namespace cyclotome::python {

namespace {

using namespace study::fermat;

using WideRows = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NumpyWords = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>>;

constexpr unsigned word_prime_bits = 60;

NumpyWords copied(std::vector<std::uint64_t> rows, std::size_t degree) {
  auto* const values = new std::vector<std::uint64_t>(std::move(rows));
  const nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<std::uint64_t>*>(p); });
  const std::size_t shape[2] = {values->size() / degree, degree};
  return NumpyWords(values->data(), 2, shape, owner);
}

NumpyWords copied(const WideWords& rows, std::size_t degree) {
  std::vector<std::uint64_t> host(rows.size());
  rows.to_host(host.data());
  return copied(std::move(host), degree);
}

/// The first half of FastBConv in one of its versions, or with ordinary primes of 60 bits.
std::shared_ptr<const Punctured> source_of(unsigned x, const std::string& version, std::size_t degree) {
  const FermatBasis basis(x);
  if (version == "words") {
    const std::size_t count = (basis.bits() + word_prime_bits - 1) / word_prime_bits;
    const std::uint64_t step = RingShape::negacyclic(degree)->transform_step();
    return std::make_shared<const WordPunctured>(
        Basis(Word::u64, primes_congruent_to_one(word_prime_bits, step, count)));
  }
  if (version == "positional") return std::make_shared<const FermatPunctured>(FermatBasis(x, 0), Method::both);
  for (const Method method : methods) {
    if (name_of(method) == version) return std::make_shared<const FermatPunctured>(basis, method);
  }
  throw ArgumentError(message(
      "FastBConv has versions none, multiplication, reduction, both, positional and words, not \"", version, "\""));
}

/// One polynomial's FastBConv on an engine, timed without what a caller does around it.
class Conversion {
 public:
  Conversion(unsigned x, const std::string& version, const std::vector<std::uint64_t>& targets, std::size_t degree,
             const EnginePtr& engine)
      : wide_(wide_engine_of(engine)),
        source_(source_of(x, version, degree)),
        degree_(degree),
        copied_(Ring::create(RingShape::negacyclic(degree), Basis(Word::u64, {max_modulus<std::uint64_t> - 1}))),
        in_(*wide_, source_->words() * degree, false),
        out_(*wide_, targets.size() * degree, false),
        copy_(*wide_, in_.size(), false) {
    step_ = wide_->from_wide(std::make_shared<FromWide>(source_, Basis(Word::u64, targets)));
  }

  std::size_t words() const { return source_->words(); }
  std::size_t limbs() const { return source_->limbs(); }
  void load(const WideRows& rows) {
    if (rows.shape(0) != words() || rows.shape(1) != degree_) {
      throw ArgumentError(message("residues of ", words(), " rows of ", degree_, " words are needed, not ",
                                  rows.shape(0), " of ", rows.shape(1)));
    }
    wide_->engine()->upload(in_.data(), rows.data(), in_.size() * sizeof(std::uint64_t));
  }
  void run() {
    step_(out_.data(), in_.data(), {degree_});
    wide_->engine()->synchronize();
  }
  /// Of one call among many in a row.
  double microseconds(unsigned repetitions) {
    return device_microseconds(wide_->engine(), [&] { step_(out_.data(), in_.data(), {degree_}); }, repetitions);
  }
  void copy() {
    if (wide_->on_host()) {
      std::memcpy(copy_.data(), in_.data(), in_.size() * sizeof(std::uint64_t));
    } else {
      move();
      wide_->engine()->synchronize();
    }
  }
  double copy_microseconds(unsigned repetitions) {
    return device_microseconds(wide_->engine(), [&] { move(); }, repetitions);
  }
  NumpyWords result() const { return copied(out_, degree_); }

 private:
  /// A word a residue: copies ask for nothing.
  void move() {
    const View to{copy_.data(), copied_.get(), 1, words(), copy_.size(), degree_, Domain::coefficient};
    const ConstView from{in_.data(), copied_.get(), 1, words(), in_.size(), degree_, Domain::coefficient};
    wide_->engine()->copy(to, from);
  }

  WideEnginePtr wide_;
  std::shared_ptr<const Punctured> source_;
  std::size_t degree_;
  RingPtr copied_;
  WideWords in_, out_, copy_;
  WideStep step_;
};

/// D_RNS of a ciphertext's first part, as relinearisation takes it.
class Decomposition {
 public:
  Decomposition(const ContextPtr& context, const Ciphertext& ciphertext)
      : context_(context),
        part_(context->wide(), context->ring().size(), false),
        out_(context->wide(), context->ring().size(), false) {
    const Ciphertext moved = ciphertext.in(context);
    context->engine()->upload(part_.data(), moved.items.at(0).data(), part_.size() * sizeof(std::uint64_t));
  }

  void run() {
    context_->decompose(out_.data(), part_.data());
    context_->engine()->synchronize();
  }
  double microseconds(unsigned repetitions) {
    return device_microseconds(
        context_->engine(), [&] { context_->decompose(out_.data(), part_.data()); }, repetitions);
  }
  NumpyWords result() const { return copied(out_, context_->degree()); }

 private:
  ContextPtr context_;
  WideWords part_, out_;
};

/// A product of two polynomials modulo every limb, in one of the ways.
class Product {
 public:
  Product(unsigned x, std::size_t degree, const std::string& method, const EnginePtr& engine)
      : ring_(std::make_shared<const WideRing>(FermatBasis(x), RingShape::negacyclic(degree))),
        products_(make_ring_products(
            product_method_of(method), ring_,
            std::make_shared<const LimbProducts>(wide_engine_of(engine)->engine(), *ring_, 0, 2), engine)),
        a_(ring_->size()),
        b_(ring_->size()),
        out_(ring_->size()) {}

  void load(const WideRows& a, const WideRows& b) {
    for (const WideRows* const rows : {&a, &b}) {
      if (rows->shape(0) != ring_->words() || rows->shape(1) != ring_->degree()) {
        throw ArgumentError(message("residues of ", ring_->words(), " rows of ", ring_->degree(),
                                    " words are needed, not ", rows->shape(0), " of ", rows->shape(1)));
      }
      if (!ring_->holds(rows->data())) throw ArgumentError("residues that are not below their moduli");
    }
    std::memcpy(a_.data(), a.data(), a_.size() * sizeof(std::uint64_t));
    std::memcpy(b_.data(), b.data(), b_.size() * sizeof(std::uint64_t));
  }
  void run() {
    for (std::size_t i = 0; i < ring_->basis().limbs().size(); ++i) {
      const std::size_t at = ring_->offset(i);
      products_->multiply(out_.data() + at, a_.data() + at, b_.data() + at, i);
    }
  }
  NumpyWords result() const { return copied(out_, ring_->degree()); }
  std::size_t words() const { return ring_->words(); }

 private:
  std::shared_ptr<const WideRing> ring_;
  std::unique_ptr<RingProducts> products_;
  std::vector<std::uint64_t> a_, b_, out_;
};

}  // namespace

void bind_fermat_bench(nb::module_& m) {
  nb::class_<Conversion>(m, "FermatConversion",
                         "FastBConv of one polynomial from q = 2^(2^x) - 1, or from as many bits of ordinary primes "
                         "(\"words\"), to `targets`: for timing.")
      .def(nb::init<unsigned, const std::string&, const std::vector<std::uint64_t>&, std::size_t, const EnginePtr&>(),
           "x"_a, "version"_a, "targets"_a, "degree"_a, "engine"_a)
      .def_prop_ro("words", &Conversion::words, "Rows of words that residues take.")
      .def_prop_ro("limbs", &Conversion::limbs)
      .def("load", &Conversion::load, "rows"_a, "Residues below their moduli, words[word][coefficient].")
      .def("run", &Conversion::run, NoGil())
      .def("microseconds", &Conversion::microseconds, "repetitions"_a, NoGil(),
           "Of one call on a GPU, by CUDA events around so many; EngineError elsewhere.")
      .def("copy_microseconds", &Conversion::copy_microseconds, "repetitions"_a, NoGil(), "The same of `copy`.")
      .def("copy", &Conversion::copy, NoGil(), "Moves the words of the residues once: what time is measured against.")
      .def("result", &Conversion::result, "residues[target][coefficient] of the last run.");
  nb::class_<Product>(m, "FermatProduct",
                      "A negacyclic product modulo every limb of q = 2^(2^x) - 1 in one way (\"primes\", \"tree\", "
                      "\"kronecker\", \"schoenhage\", \"fastest\"): for timing.")
      .def(nb::init<unsigned, std::size_t, const std::string&, const EnginePtr&>(), "x"_a, "degree"_a, "method"_a,
           "engine"_a)
      .def_prop_ro("words", &Product::words, "Rows of words that a polynomial takes.")
      .def("load", &Product::load, "a"_a, "b"_a, "Residues below their moduli, words[word][coefficient].")
      .def("run", &Product::run, NoGil())
      .def("result", &Product::result, "words[word][coefficient] of the last run.");
  nb::class_<Decomposition>(m, "FermatDecomposition", "D_RNS of a ciphertext's first part: for timing.")
      .def(nb::init<const ContextPtr&, const Ciphertext&>(), "context"_a, "ciphertext"_a)
      .def("run", &Decomposition::run, NoGil())
      .def("microseconds", &Decomposition::microseconds, "repetitions"_a, NoGil(),
           "Of one call on a GPU, by CUDA events around so many; EngineError elsewhere.")
      .def("result", &Decomposition::result, "words[word][coefficient] of the last run.");
}

}  // namespace cyclotome::python
