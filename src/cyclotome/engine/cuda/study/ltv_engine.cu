// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>

#include "cyclotome/engine/cuda/device_scope.cuh"
#include "cyclotome/engine/cuda/device_tables.cuh"
#include "cyclotome/engine/cuda/study/carrier_launch.cuh"
#include "cyclotome/engine/cuda/study/event_time.cuh"
#include "cyclotome/engine/cuda/study/ltv_engine.hpp"

namespace cyclotome {

using cuda::DeviceScope;
using namespace cuda::study;
using Form = study::ltv::Domain;

namespace {

constexpr unsigned items_a_key = 4;

template <class T>
T* data_of(const LtvEngine::Batch& batch) {
  return static_cast<T*>(batch.memory->data());
}

void require(const LtvEngine::Batch& a, Form domain, const char* operation) {
  if (a.domain == domain) return;
  throw ArgumentError(message(operation, ": polynomials in the ", name_of(a.domain), " domain; convert them to the ",
                              name_of(domain), " domain first"));
}

void require_like(const LtvEngine::Batch& a, const LtvEngine::Batch& b, const char* operation) {
  if (a.items == b.items && a.primes == b.primes && a.length == b.length && a.digits == b.digits) return;
  throw MismatchError(message(operation, ": ", a.items, " polynomials modulo ", a.primes, " primes, and ", b.items,
                              " modulo ", b.primes, "; bring both to one level and number"));
}

std::size_t rows_of(const LtvEngine::Batch& a) { return a.items * (a.digits != 0 ? a.digits : a.primes); }

void require_grid(std::size_t rows) {
  if (rows <= cuda::max_items) return;
  throw ArgumentError(
      message(rows, " rows at once; a launch has ", cuda::max_items, " at most, so take smaller batches"));
}

}  // namespace

/// Constants on the device, by number of primes where they depend on the level.
struct LtvEngine::Tables {
  cuda::DeviceTables device;
  cudaStream_t stream = nullptr;
  const std::uint64_t *twiddles = nullptr, *modulus = nullptr, *reciprocal = nullptr;
  const Modulus<std::uint32_t>* moduli = nullptr;
  std::vector<LevelConstants> levels;          // on the device
  std::vector<const std::uint32_t*> inverses;  // of the last prime, modulo those before it
  std::uint64_t inverse_of_points = 0;
  std::vector<std::pair<std::string, std::size_t>> bytes;

  template <class T>
  const T* copy(const T* from, std::size_t count) {
    return device.put(std::vector<T>(from, from + count), stream);
  }
  void make(const Arithmetic& arithmetic) {
    const auto& basis = arithmetic.basis();
    const std::size_t d = arithmetic.primes(), points = arithmetic.points();
    twiddles = device.put(arithmetic.transform().twiddles(), stream);
    modulus = copy(arithmetic.modulus_transform().row(0), d * points);
    reciprocal = copy(arithmetic.reciprocal_transform().row(0), d * points);
    inverse_of_points = carrier::power(points, carrier::modulus - 2);
    const LevelConstants all = basis.constants(d);
    moduli = copy(all.moduli, d);
    const std::uint64_t* const reciprocals = copy(all.reciprocals, d);
    for (std::size_t t = 1; t <= d; ++t) {
      const LevelConstants host = basis.constants(t);
      levels.push_back({host.primes, host.words, moduli, copy(host.product, host.words),
                        copy(host.cofactors, t * host.words), copy(host.inverses, t), reciprocals});
      std::vector<std::uint32_t> row;
      for (std::size_t j = 0; j + 1 < t; ++j) row.push_back(basis.inverse(t - 1, j));
      inverses.push_back(device.put(row, stream));
    }
    const LevelConstants top = basis.constants(d);
    const std::size_t words = top.words * sizeof(*top.product), row = d * points * sizeof(std::uint64_t);
    bytes = {{"P", d * sizeof(*top.moduli)},
             {"q_i", words},
             {"Q*_i", d * words},
             {"Q+_i", d * sizeof(*top.inverses)},
             {"P^-1", d * (d - 1) / 2 * sizeof(std::uint32_t)},
             {"M^", row},
             {"U^", row},
             {"twiddles", arithmetic.transform().twiddles().size() * sizeof(std::uint64_t)}};
  }
};

std::shared_ptr<LtvEngine> LtvEngine::create(study::ltv::ArithmeticPtr arithmetic, int device) {
  if (arithmetic->points() < 8192) {
    throw ParameterError(message("Phi_", arithmetic->ring().index(), " needs ", arithmetic->points(),
                                 " points; the kernels take 8192 to 65536, so compute on the CPU"));
  }
  std::shared_ptr<LtvEngine> engine(new LtvEngine(std::move(arithmetic), device));
  engine->test_itself();
  return engine;
}

LtvEngine::LtvEngine(study::ltv::ArithmeticPtr arithmetic, int device)
    : CudaEngine(device, false), arithmetic_(std::move(arithmetic)), tables_(std::make_unique<Tables>()) {
  const DeviceScope scope(static_cast<CUcontext>(context()));
  tables_->stream = static_cast<cudaStream_t>(stream());
  tables_->make(*arithmetic_);
}

LtvEngine::~LtvEngine() {
  const DeviceScope scope(static_cast<CUcontext>(context()), std::nothrow);
  cuda::succeeded(cudaStreamSynchronize(static_cast<cudaStream_t>(stream())));
  tables_.reset();
}

std::string LtvEngine::name() const { return message(CudaEngine::name(), " LTV"); }

std::vector<std::pair<std::string, std::size_t>> LtvEngine::table_bytes() const { return tables_->bytes; }

LtvEngine::Batch LtvEngine::empty(Form domain, std::size_t items, std::size_t primes, std::size_t length,
                                  unsigned digits) {
  Batch batch{domain, items, primes, length, digits, nullptr};
  const std::size_t words =
      domain == Form::raw ? items * length * arithmetic_->basis().words(primes) : rows_of(batch) * length;
  batch.memory = allocate(words * (domain == Form::ntt ? 8 : 4), false);
  return batch;
}

LtvEngine::Batch LtvEngine::put(std::span<const Polynomial> polynomials) {
  if (polynomials.empty()) throw ArgumentError("put: no polynomials");
  const Polynomial& first = polynomials.front();
  Batch batch = empty(first.domain, polynomials.size(), first.primes, first.length);
  std::size_t offset = 0;
  for (const Polynomial& a : polynomials) {
    if (a.domain != first.domain || a.primes != first.primes || a.length != first.length || a.shared) {
      throw MismatchError("put: polynomials of one domain, length and number of primes go together");
    }
    const void* const data = a.domain == Form::ntt ? static_cast<const void*>(a.values.data()) : a.words.data();
    upload(static_cast<std::byte*>(batch.memory->data()) + offset, data, a.bytes());
    offset += a.bytes();
  }
  return batch;
}

LtvEngine::Polynomial LtvEngine::get(const Batch& batch, std::size_t item) {
  if (item >= batch.items || batch.digits != 0) {
    throw ArgumentError(message("get: polynomial ", item, " of ", batch.items, ", and no digits"));
  }
  Polynomial a{batch.domain, batch.primes, batch.length};
  const std::size_t bytes = batch.memory->bytes() / batch.items;
  if (a.domain == Form::ntt) {
    a.values.resize(bytes / 8);
    a.largest = carrier::modulus - 1;  // not followed on the device: go back to CRT before another product
  } else {
    a.words.resize(bytes / 4);
  }
  void* const to = a.domain == Form::ntt ? static_cast<void*>(a.values.data()) : a.words.data();
  download(to, static_cast<const std::byte*>(batch.memory->data()) + item * bytes, bytes);
  return a;
}

LtvEngine::Key LtvEngine::put(const study::ltv::SwitchingKey& key) {
  if (key.parameters()->arithmetic()->ring().index() != arithmetic_->ring().index() ||
      key.digits().front().primes != arithmetic_->primes()) {
    throw MismatchError("put: the key belongs to other parameters than this engine's");
  }
  Key result{key.parameters(), {}, nullptr};
  std::vector<const void*> addresses;
  for (const Polynomial& digit : key.digits()) {
    result.digits.push_back(allocate(digit.bytes(), false));
    upload(result.digits.back()->data(), digit.values.data(), digit.bytes());
    addresses.push_back(result.digits.back()->data());
  }
  result.table = allocate(addresses.size() * sizeof(void*), false);
  upload(result.table->data(), addresses.data(), addresses.size() * sizeof(void*));
  return result;
}

template <class Source>
LtvEngine::Batch LtvEngine::forward(const Source& source, std::size_t items, std::size_t primes, unsigned digits) {
  const std::size_t points = arithmetic_->points();
  Batch out = empty(Form::ntt, items, primes, points, digits),
        scratch = empty(Form::ntt, items, primes, points, digits);
  const auto rows = static_cast<unsigned>(rows_of(out));
  require_grid(rows);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device(), false);
  transform_rows(queue, arithmetic_->transform().steps(), rows, tables_->twiddles, data_of<std::uint64_t>(out),
                 data_of<std::uint64_t>(scratch), source, ValueSink{data_of<std::uint64_t>(out), points});
  return out;
}

LtvEngine::Batch LtvEngine::ntt_of(const Batch& a, std::size_t first, std::size_t count) {
  return forward(ResidueSource{data_of<std::uint32_t>(a), a.length, first, count}, a.items, a.primes, 0);
}

LtvEngine::Batch LtvEngine::ntt(const Batch& a) {
  require(a, Form::crt, "NTT");
  if (a.length != arithmetic_->degree()) throw ArgumentError("NTT: reduce products first");
  return ntt_of(a, 0, a.length);
}

LtvEngine::Batch LtvEngine::digits(const Batch& a, unsigned window, unsigned count) {
  require(a, Form::raw, "digits");
  const DigitSource source{data_of<std::uint32_t>(a), arithmetic_->basis().words(a.primes), count, window,
                           static_cast<unsigned>(arithmetic_->degree())};
  return forward(source, a.items, a.primes, count);
}

LtvEngine::Batch LtvEngine::intt(const Batch& a) {
  require(a, Form::ntt, "INTT");
  const std::size_t points = arithmetic_->points(), length = arithmetic_->ring().product_length();
  const Batch first = empty(Form::ntt, a.items, a.primes, points), second = empty(Form::ntt, a.items, a.primes, points);
  Batch out = empty(Form::crt, a.items, a.primes, length);
  const auto rows = static_cast<unsigned>(rows_of(out));
  require_grid(rows);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device(), false);
  transform_rows(
      queue, arithmetic_->transform().steps(), rows, tables_->twiddles, data_of<std::uint64_t>(first),
      data_of<std::uint64_t>(second), ReversedSource{data_of<std::uint64_t>(a), points},
      ResidueSink{data_of<std::uint32_t>(out), tables_->moduli, a.primes, length, tables_->inverse_of_points});
  return out;
}

LtvEngine::Batch LtvEngine::crt(const Batch& a) {
  require(a, Form::raw, "CRT");
  Batch out = empty(Form::crt, a.items, a.primes, arithmetic_->degree());
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device(), false);
  cuda::launch<to_residues>(queue, {blocks_for(a.length), static_cast<unsigned>(a.items)}, threads_of_block, 0, 1,
                            "CRT", data_of<std::uint32_t>(out), data_of<std::uint32_t>(a),
                            tables_->levels[a.primes - 1], a.length);
  return out;
}

LtvEngine::Batch LtvEngine::icrt(const Batch& a) {
  require(a, Form::crt, "ICRT");
  if (a.length != arithmetic_->degree()) throw ArgumentError("ICRT: reduce products first");
  Batch out = empty(Form::raw, a.items, a.primes, a.length);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device(), false);
  cuda::launch<to_integers>(queue, {blocks_for(a.length), static_cast<unsigned>(a.items)}, threads_of_block, 0, 1,
                            "ICRT", data_of<std::uint32_t>(out), data_of<std::uint32_t>(a),
                            tables_->levels[a.primes - 1], a.length);
  return out;
}

LtvEngine::Batch LtvEngine::dot(const Batch& a, const Batch& b) {
  require(a, Form::ntt, "DOTMUL"), require(b, Form::ntt, "DOTMUL"), require_like(a, b, "DOTMUL");
  Batch out = empty(Form::ntt, a.items, a.primes, a.length, a.digits);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device(), false);
  const auto rows = static_cast<unsigned>(rows_of(a));
  cuda::launch<cuda::study::products>(queue, {blocks_for(a.length), rows}, threads_of_block, 0, 1, "DOTMUL",
                                      data_of<std::uint64_t>(out), data_of<std::uint64_t>(a), data_of<std::uint64_t>(b),
                                      a.length, rows);
  return out;
}

LtvEngine::Batch LtvEngine::dot_kept(const Batch& a, const std::uint64_t* kept) {
  Batch out = empty(Form::ntt, a.items, a.primes, a.length);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device(), false);
  cuda::launch<cuda::study::products>(queue, {blocks_for(a.length), static_cast<unsigned>(rows_of(a))},
                                      threads_of_block, 0, 1, "DOTMUL", data_of<std::uint64_t>(out),
                                      data_of<std::uint64_t>(a), kept, a.length, static_cast<unsigned>(a.primes));
  return out;
}

LtvEngine::Batch LtvEngine::multiply_add(const Batch& a, const Key& key) {
  require(a, Form::ntt, "MULADD");
  if (a.digits == 0 || a.digits > key.digits.size()) {
    throw ArgumentError(message("MULADD: ", a.digits, " digits, and a key of ", key.digits.size()));
  }
  Batch out = empty(Form::ntt, a.items, a.primes, a.length);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device(), false);
  const dim3 grid{blocks_for(a.length), static_cast<unsigned>(a.primes), blocks_for(a.items, items_a_key)};
  cuda::launch<key_products<items_a_key>>(queue, grid, threads_of_block, 0, 1, "MULADD", data_of<std::uint64_t>(out),
                                          data_of<std::uint64_t>(a),
                                          static_cast<const std::uint64_t* const*>(key.table->data()), a.length,
                                          a.digits, static_cast<unsigned>(a.primes), static_cast<unsigned>(a.items));
  return out;
}

LtvEngine::Batch LtvEngine::add(const Batch& a, const Batch& b) {
  require(a, Form::crt, "ADD"), require(b, Form::crt, "ADD"), require_like(a, b, "ADD");
  Batch out = empty(Form::crt, a.items, a.primes, a.length);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device(), false);
  cuda::launch<combine<false>>(queue, {blocks_for(a.length), static_cast<unsigned>(rows_of(a))}, threads_of_block, 0, 1,
                               "ADD", data_of<std::uint32_t>(out), data_of<std::uint32_t>(a), a.length,
                               data_of<std::uint32_t>(b), b.length, tables_->moduli, static_cast<unsigned>(a.primes),
                               a.length);
  return out;
}

LtvEngine::Batch LtvEngine::barrett(const Batch& f) {
  require(f, Form::crt, "BARRETT");
  const std::size_t n = arithmetic_->degree();
  if (f.length != arithmetic_->ring().product_length())
    throw ArgumentError(
        message("BARRETT: ", f.length, " coefficients; a product has ", arithmetic_->ring().product_length()));
  const Batch first = intt(dot_kept(ntt_of(f, n, n - 1), tables_->reciprocal));
  const Batch multiple = intt(dot_kept(ntt_of(first, n - 1, n), tables_->modulus));
  Batch out = empty(Form::crt, f.items, f.primes, n);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device(), false);
  cuda::launch<combine<true>>(queue, {blocks_for(n), static_cast<unsigned>(rows_of(f))}, threads_of_block, 0, 1,
                              "BARRETT", data_of<std::uint32_t>(out), data_of<std::uint32_t>(f), f.length,
                              data_of<std::uint32_t>(multiple), multiple.length, tables_->moduli,
                              static_cast<unsigned>(f.primes), n);
  return out;
}

LtvEngine::Batch LtvEngine::multiply(const Batch& a, const Batch& b) {
  require(a, Form::crt, "multiply"), require(b, Form::crt, "multiply"), require_like(a, b, "multiply");
  return barrett(intt(dot(ntt(a), ntt(b))));
}

LtvEngine::Batch LtvEngine::relinearize(const Batch& a, const Key& key) {
  require(a, Form::crt, "relinearise");
  return barrett(intt(multiply_add(digits(icrt(a), key.parameters->window(), key.parameters->digits(a.primes)), key)));
}

LtvEngine::Batch LtvEngine::switched(const Batch& a) {
  require(a, Form::crt, "modulus switch");
  if (a.primes == 1) throw ArgumentError("modulus switch: polynomials modulo one prime have no level left");
  if (a.length != arithmetic_->degree()) throw ArgumentError("modulus switch: reduce products first");
  Batch out = empty(Form::crt, a.items, a.primes - 1, a.length);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device(), false);
  const dim3 grid{blocks_for(a.length), static_cast<unsigned>(a.primes - 1), static_cast<unsigned>(a.items)};
  cuda::launch<divide_by_last>(queue, grid, threads_of_block, 0, 1, "modulus switch", data_of<std::uint32_t>(out),
                               data_of<std::uint32_t>(a), tables_->moduli, tables_->inverses[a.primes - 1],
                               static_cast<unsigned>(a.primes), a.length);
  return out;
}

double LtvEngine::event_time(const std::function<void()>& work, unsigned repetitions) {
  const DeviceScope scope(static_cast<CUcontext>(context()));
  return cuda::study::event_time(tables_->stream, work, repetitions);
}

}  // namespace cyclotome
