// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings/bindings.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/ltv/keys.hpp"

#ifdef CYCLOTOME_CUDA
#include "cyclotome/engine/cuda/study/ltv_engine.hpp"
#endif

// Paper 002's arithmetic on a GPU, for the benchmark. The same functions in every build.
namespace cyclotome::python {

namespace {

using namespace study::ltv;
/// An operation's name, microseconds for one polynomial, and its result, which the caller checks.
using Timed = std::tuple<std::string, double, Polynomial>;
using Sizes = std::vector<std::pair<std::string, std::size_t>>;

#ifdef CYCLOTOME_CUDA

constexpr unsigned warm_up = 2;

/// A key without noise, to 1 in place of f: digits 2^(w t).
std::vector<Polynomial> key_of_one(const Parameters& parameters) {
  const Arithmetic& arithmetic = *parameters.arithmetic();
  std::vector<std::int64_t> one(arithmetic.degree());
  one[0] = 1;
  std::vector<Polynomial> digits{arithmetic.of_small(one, parameters.levels())};
  while (digits.size() < parameters.digits(parameters.levels())) {
    digits.push_back(arithmetic.scale(digits.back(), std::uint64_t{1} << parameters.window()));
  }
  return digits;
}

/// Several times the same polynomial on a device, and a key of full size.
class LtvBench {
 public:
  LtvBench(const ParametersPtr& parameters, const Polynomial& x, std::size_t items, unsigned repetitions, int device)
      : parameters_(parameters),
        engine_(LtvEngine::create(parameters->arithmetic(), device)),
        x_(engine_->put(std::vector<Polynomial>(items, x))),
        key_(engine_->put(parameters, key_of_one(*parameters))),
        repetitions_(repetitions) {}

  LtvEngine& engine() { return *engine_; }
  const LtvEngine::Batch& x() const { return x_; }
  const LtvEngine::Key& key() const { return key_; }

  template <class Work, class Result>
  Timed timed(const char* name, double parts, const Work& work, const Result& result) {
    for (unsigned i = 0; i < warm_up; ++i) work();
    const double all = engine_->event_time([&] { work(); }, repetitions_);
    return {name, all / static_cast<double>(x_.items) / parts, engine_->get(result(), x_.items - 1)};
  }
  template <class Work>
  Timed timed(const char* name, const Work& work) {
    return timed(name, 1, work, work);
  }

 private:
  ParametersPtr parameters_;
  std::shared_ptr<LtvEngine> engine_;
  LtvEngine::Batch x_;
  LtvEngine::Key key_;
  unsigned repetitions_;
};

std::vector<Timed> operations(const ParametersPtr& parameters, const Polynomial& x, const Polynomial& y,
                              std::size_t items, unsigned repetitions, int device) {
  LtvBench bench(parameters, x, items, repetitions, device);
  LtvEngine& engine = bench.engine();
  const auto other = engine.put(std::vector<Polynomial>(items, y)), raw = engine.icrt(bench.x()),
             transformed = engine.ntt(bench.x()), product = engine.intt(engine.dot(transformed, engine.ntt(other)));
  const unsigned count = parameters->digits(parameters->levels());
  const auto digits = engine.digits(raw, parameters->window(), count);
  const auto sum = [&] { return engine.multiply_add(digits, bench.key()); };
  std::vector<Timed> all;
  all.push_back(bench.timed("CRT", [&] { return engine.crt(raw); }));
  all.push_back(bench.timed("ICRT", [&] { return engine.icrt(bench.x()); }));
  all.push_back(bench.timed("NTT", [&] { return engine.ntt(bench.x()); }));
  all.push_back(bench.timed("INTT", [&] { return engine.intt(transformed); }));
  all.push_back(bench.timed("MULADD", count, sum, [&] { return engine.barrett(engine.intt(sum())); }));
  all.push_back(bench.timed("BARRETT", [&] { return engine.barrett(product); }));
  all.push_back(bench.timed("ADD", [&] { return engine.add(bench.x(), other); }));
  return all;
}

Timed relinearization(const ParametersPtr& parameters, const Polynomial& x, std::size_t items, unsigned repetitions,
                      int device) {
  LtvBench bench(parameters, x, items, repetitions, device);
  return bench.timed("relinearisation", [&] { return bench.engine().relinearize(bench.x(), bench.key()); });
}

Sizes memory(const ParametersPtr& parameters, int device) {
  const auto engine = LtvEngine::create(parameters->arithmetic(), device);
  Sizes sizes = engine->table_bytes();
  std::size_t bytes = 0;
  for (const auto& digit : engine->put(parameters, key_of_one(*parameters)).digits) bytes += digit->bytes();
  sizes.emplace_back("EK^", bytes);
  return sizes;
}

#else

[[noreturn]] void refuse() {
  throw EngineError(
      "this build of cyclotome has no CUDA engine, so there is nothing to time; make install-cuda builds it");
}
std::vector<Timed> operations(const ParametersPtr&, const Polynomial&, const Polynomial&, std::size_t, unsigned, int) {
  refuse();
}
Timed relinearization(const ParametersPtr&, const Polynomial&, std::size_t, unsigned, int) { refuse(); }
Sizes memory(const ParametersPtr&, int) { refuse(); }

#endif

}  // namespace

void bind_cuda_ltv(nb::module_& m) {
  m.def("cuda_ltv_operations", &operations, "parameters"_a, "x"_a, "y"_a, "items"_a, "repetitions"_a, "device"_a,
        NoGil(),
        "Operations of paper 002's Table 5: name, microseconds for one polynomial of `items` at once by CUDA events, "
        "and the result, of the polynomials x and y (CRT, all primes) and a key of relinearisation to 1 in place of f, "
        "without noise. MULADD: of all digits, divided by their number; its result is reduced, in CRT, and is x.");
  m.def("cuda_ltv_relinearization", &relinearization, "parameters"_a, "x"_a, "items"_a, "repetitions"_a, "device"_a,
        NoGil(), "The same of a whole relinearisation, modulo as many primes as x has; its result is x.");
  m.def("cuda_ltv_memory", &memory, "parameters"_a, "device"_a, NoGil(),
        "Bytes on the device by the names of paper 002's Table 3, at level 0.");
}

}  // namespace cyclotome::python
