// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/study/domain_kernels.cuh"
#include "cyclotome/engine/cuda/study/event_time.cuh"
#include "cyclotome/engine/cuda/study/ltv_tables.cuh"

namespace cyclotome {

using cuda::DeviceScope;
using namespace cuda::study;

std::shared_ptr<LtvEngine> LtvEngine::create(study::ltv::ArithmeticPtr arithmetic, int device) {
  const std::vector<std::uint64_t>& twiddles = arithmetic->transform().twiddles();
  return create(std::move(arithmetic), device, twiddles);
}

std::shared_ptr<LtvEngine> LtvEngine::create(study::ltv::ArithmeticPtr arithmetic, int device,
                                             const std::vector<std::uint64_t>& twiddles) {
  if (arithmetic->points() < 8192) {
    throw ParameterError(message("Phi_", arithmetic->ring().index(), " needs ", arithmetic->points(),
                                 " points; the kernels take 8192 to 65536, so compute on the CPU"));
  }
  std::shared_ptr<LtvEngine> engine(new LtvEngine(std::move(arithmetic), device, twiddles));
  engine->test_itself();
  return engine;
}

LtvEngine::LtvEngine(study::ltv::ArithmeticPtr arithmetic, int device, const std::vector<std::uint64_t>& twiddles)
    : CudaEngine(device, false), arithmetic_(std::move(arithmetic)), tables_(std::make_unique<Tables>()) {
  const DeviceScope scope(static_cast<CUcontext>(context()));
  tables_->stream = static_cast<cudaStream_t>(stream());
  tables_->make(*arithmetic_, twiddles);
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
  std::vector<const Polynomial*> pointers;
  for (const Polynomial& a : polynomials) pointers.push_back(&a);
  return put(pointers);
}

LtvEngine::Batch LtvEngine::put(std::span<const Polynomial* const> polynomials) {
  if (polynomials.empty()) throw ArgumentError("put: no polynomials");
  const Polynomial& first = *polynomials.front();
  Batch batch = empty(first.domain, polynomials.size(), first.primes, first.length);
  std::size_t offset = 0;
  for (const Polynomial* const a : polynomials) {
    if (a->domain != first.domain || a->primes != first.primes || a->length != first.length || a->shared) {
      throw MismatchError("put: polynomials of one domain, length and number of primes go together");
    }
    const void* const data = a->domain == Form::ntt ? static_cast<const void*>(a->values.data()) : a->words.data();
    upload(static_cast<std::byte*>(batch.memory->data()) + offset, data, a->bytes());
    offset += a->bytes();
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
  std::vector<std::shared_ptr<Buffer>> digits;
  for (const Polynomial& digit : key.digits()) {
    digits.push_back(allocate(digit.bytes(), false));
    upload(digits.back()->data(), digit.values.data(), digit.bytes());
  }
  return key_of(key.parameters(), std::move(digits));
}

LtvEngine::Key LtvEngine::put(const study::ltv::ParametersPtr& parameters, std::span<const Polynomial> digits) {
  std::vector<std::shared_ptr<Buffer>> transformed;
  for (const Polynomial& digit : digits) transformed.push_back(ntt(put(std::span(&digit, 1))).memory);
  return key_of(parameters, std::move(transformed));
}

LtvEngine::Key LtvEngine::key_of(const study::ltv::ParametersPtr& parameters,
                                 std::vector<std::shared_ptr<Buffer>> digits) {
  Key result{parameters, std::move(digits), nullptr};
  std::vector<const void*> addresses;
  for (const auto& digit : result.digits) addresses.push_back(digit->data());
  result.table = allocate(addresses.size() * sizeof(void*), false);
  upload(result.table->data(), addresses.data(), addresses.size() * sizeof(void*));
  return result;
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
  return backward(ReversedSource{data_of<std::uint64_t>(a), arithmetic_->points()}, a.items, a.primes);
}

LtvEngine::Batch LtvEngine::crt(const Batch& a) {
  require(a, Form::raw, "CRT");
  Batch out = empty(Form::crt, a.items, a.primes, arithmetic_->degree());
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device());
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
  const cuda::Queue queue(tables_->stream, device());
  cuda::launch<to_integers>(queue, {blocks_for(a.length), static_cast<unsigned>(a.items)}, threads_of_block, 0, 1,
                            "ICRT", data_of<std::uint32_t>(out), data_of<std::uint32_t>(a),
                            tables_->levels[a.primes - 1], a.length);
  return out;
}

LtvEngine::Batch LtvEngine::dot(const Batch& a, const Batch& b) {
  require(a, Form::ntt, "DOTMUL"), require(b, Form::ntt, "DOTMUL"), require_like(a, b, "DOTMUL");
  Batch out = empty(Form::ntt, a.items, a.primes, a.length, a.digits);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device());
  const auto rows = static_cast<unsigned>(rows_of(a));
  cuda::launch<cuda::study::products>(queue, {blocks_for(a.length), rows}, threads_of_block, 0, 1, "DOTMUL",
                                      data_of<std::uint64_t>(out), data_of<std::uint64_t>(a), data_of<std::uint64_t>(b),
                                      a.length, rows);
  return out;
}

LtvEngine::Batch LtvEngine::dot_kept(const Batch& a, const std::uint64_t* kept) {
  Batch out = empty(Form::ntt, a.items, a.primes, a.length);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device());
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
  const cuda::Queue queue(tables_->stream, device());
  constexpr unsigned items_a_key = 4, primes_a_digit = 4;
  const dim3 grid{blocks_for(a.items, items_a_key), blocks_for(a.primes, primes_a_digit), blocks_for(a.length)};
  cuda::launch<key_products<items_a_key, primes_a_digit>>(
      queue, grid, threads_of_block, 0, 1, "MULADD", data_of<std::uint64_t>(out), data_of<std::uint64_t>(a),
      static_cast<const std::uint64_t* const*>(key.table->data()), a.length, a.digits, static_cast<unsigned>(a.primes),
      static_cast<unsigned>(a.items));
  return out;
}

LtvEngine::Batch LtvEngine::add(const Batch& a, const Batch& b) {
  require(a, Form::crt, "ADD"), require(b, Form::crt, "ADD"), require_like(a, b, "ADD");
  Batch out = empty(Form::crt, a.items, a.primes, a.length);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device());
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
  const cuda::Queue queue(tables_->stream, device());
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

LtvEngine::Batch LtvEngine::relinearize(const Batch& a, const Key& key, Reduction reduction) {
  require(a, Form::crt, "relinearise");
  const unsigned window = key.parameters->window(), count = key.parameters->digits(a.primes);
  const Batch product = intt(multiply_add(digits(icrt(a), window, count), key));
  return reduction == Reduction::barrett ? barrett(product) : reduced(product);
}

LtvEngine::Batch LtvEngine::switched(const Batch& a) {
  require(a, Form::crt, "modulus switch");
  if (a.primes == 1) throw ArgumentError("modulus switch: polynomials modulo one prime have no level left");
  if (a.length != arithmetic_->degree()) throw ArgumentError("modulus switch: reduce products first");
  Batch out = empty(Form::crt, a.items, a.primes - 1, a.length);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device());
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
