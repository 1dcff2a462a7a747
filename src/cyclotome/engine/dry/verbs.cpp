// SPDX-License-Identifier: Apache-2.0
// What the verbs write down, and the traces of what they would have computed.
#include <algorithm>

#include "cyclotome/engine/dry/dry_engine.hpp"

namespace cyclotome {

namespace {

std::size_t polynomial_bytes(const ConstView& view) { return view.limbs() * view.limb_words() * bytes_of(view.word()); }

const char* address_of(const ConstView& view, std::size_t item, std::size_t part) {
  const std::size_t words =
      (view.batch == 1 ? 0 : item) * view.batch_stride + (view.parts == 1 ? 0 : part) * view.part_stride;
  return static_cast<const char*>(view.data) + words * bytes_of(view.word());
}

}  // namespace

Trace DryEngine::new_trace() {
  const std::lock_guard lock(mutex_);
  return Trace::hashed(++serial_);
}

Trace DryEngine::trace_of(const ConstView& view, std::size_t item, std::size_t part) const {
  const char* const address = address_of(view, item, part);
  const std::lock_guard lock(mutex_);
  if (const std::optional<Trace> known = traces_.at(address)) return *known;
  const auto found = blocks_.upper_bound(address);
  if (found == blocks_.begin()) return Trace::hashed(0);
  const auto& [start, block] = *std::prev(found);
  if (block.content != Content::there) {
    return Trace::hashed(block.serial, static_cast<std::uint64_t>(address - static_cast<const char*>(start)));
  }
  // What was uploaded stays as it is until memory is written or freed: one row meets thousands of ciphertexts.
  const std::size_t words = polynomial_bytes(view) / sizeof(std::uint64_t);
  const auto read = digests_.find(address);
  if (read != digests_.end() && read->second.words == words) return read->second.trace;
  std::uint64_t digest = 0, any = 0;
  const auto* const data = reinterpret_cast<const std::uint64_t*>(address);
  for (std::size_t i = 0; i < words; ++i) {
    any |= data[i];
    digest = (digest ^ data[i]) * 0x9e3779b97f4a7c15 + (digest >> 29);
  }
  const Trace trace = any == 0 ? Trace() : Trace::hashed(digest, words);
  digests_.insert_or_assign(address, Digest{words, trace});
  return trace;
}

bool DryEngine::stand_in(const Name& name, View out) {
  const std::optional<std::vector<Trace>> traces = known_->traces(name);
  if (!traces || traces->size() != out.batch * out.parts) return false;
  put_traces(out, *traces);
  return true;
}

void DryEngine::learn(const Name& name, ConstView polynomials) {
  std::vector<Trace> traces;
  for (std::size_t item = 0; item < polynomials.batch; ++item) {
    for (std::size_t part = 0; part < polynomials.parts; ++part) traces.push_back(trace_of(polynomials, item, part));
  }
  known_->learn(name, std::move(traces));
}

std::uint64_t DryEngine::digest_of(const ConstView& polynomials) const {
  Trace digest = Trace::hashed(polynomials.ring->basis()[0], polynomials.ring->index());
  for (std::size_t item = 0; item < polynomials.batch; ++item) {
    digest = Trace::hashed(digest.value(), trace_of(polynomials, item, 0).value());
  }
  return digest.value();
}

std::optional<KnownPlaintexts::Norms> DryEngine::noted(ConstView polynomials) const {
  return known_->norms(digest_of(polynomials));
}

void DryEngine::note(ConstView polynomials, const Norms& norms) { known_->note(digest_of(polynomials), norms); }

/// Precondition: the mutex is held.
void DryEngine::forget(const void* data, std::size_t bytes) {
  traces_.forget(data, bytes);
  const auto* const first = static_cast<const char*>(data);
  digests_.erase(digests_.lower_bound(first), digests_.lower_bound(first + bytes));
}

std::vector<Trace> DryEngine::traced(View out, const PartTrace& trace) {
  std::vector<Trace> traces;
  for (std::size_t item = 0; item < out.batch; ++item) {
    for (std::size_t part = 0; part < out.parts; ++part) {
      traces.push_back(trace ? trace(item, part) : new_trace());
    }
  }
  return traces;
}

void DryEngine::put_traces(View out, const std::vector<Trace>& traces) {
  const std::lock_guard lock(mutex_);
  for (std::size_t item = 0; item < out.batch; ++item) {
    for (std::size_t part = 0; part < out.parts; ++part) {
      traces_.put(address_of(out, item, part), polynomial_bytes(out), traces[item * out.parts + part]);
    }
  }
}

void DryEngine::do_forward(View a) {
  const bool there = content_of(a.data) == Content::there;
  record("forward", a, {}, 0, [&](std::size_t item, std::size_t part) { return trace_of(a, item, part); });
  if (there) host_->forward(a);
}

void DryEngine::do_inverse(View a) {
  const bool there = content_of(a.data) == Content::there;
  record("inverse", a, {}, 0, [&](std::size_t item, std::size_t part) { return trace_of(a, item, part); });
  if (there) host_->inverse(a);
}

void DryEngine::do_copy(View out, ConstView a) {
  record("copy", out, {a}, 0, [&](std::size_t item, std::size_t part) { return trace_of(a, item, part); });
  if (holds_products(a.data)) put_products(out.data);
  if (content_of(a.data) != Content::there) return;
  host_->copy(out, a);
  put(out.data, Content::there);
}

void DryEngine::do_sample(View out, Law law, const Seed&, Stream, std::uint32_t) {
  record("sample", out, {});
  put(out.data, law == Law::uniform ? Content::unknown : Content::zeros);
}

void DryEngine::do_clear(View out) {
  record("clear", out, {}, 0, [](std::size_t, std::size_t) { return Trace(); });
}

void DryEngine::do_add(View out, ConstView a, ConstView b) {
  if (out.data == a.data && holds_products(b.data)) {  // a sum that grows, as no other sum does
    const std::lock_guard lock(mutex_);
    summed_products_ += out.batch;
  }
  record("add", out, {a, b}, 0,
         [&](std::size_t item, std::size_t part) { return trace_of(a, item, part) + trace_of(b, item, part); });
}

void DryEngine::do_subtract(View out, ConstView a, ConstView b) {
  record("subtract", out, {a, b}, 0,
         [&](std::size_t item, std::size_t part) { return trace_of(a, item, part) - trace_of(b, item, part); });
}

void DryEngine::do_negate(View out, ConstView a) {
  record("negate", out, {a}, 0, [&](std::size_t item, std::size_t part) { return trace_of(a, item, part).times(-1); });
}

void DryEngine::do_multiply(View out, ConstView a, ConstView b) {
  record("multiply", out, {a, b}, 1,
         [&](std::size_t item, std::size_t part) { return trace_of(a, item, part) * trace_of(b, item, part); });
}

void DryEngine::do_multiply_accumulate(View out, ConstView a, ConstView b) {
  record("multiply", out, {a, b}, 1, [&](std::size_t item, std::size_t part) {
    return trace_of(out, item, part) + trace_of(a, item, part) * trace_of(b, item, part);
  });
}

void DryEngine::do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) {
  // A factor of zero modulo some primes alone does not make a polynomial zero.
  const auto some = std::ranges::find_if(factors, [](std::uint64_t factor) { return factor != 0; });
  const std::size_t limb = some == factors.end() ? 0 : static_cast<std::size_t>(some - factors.begin());
  const std::uint64_t factor = factors[limb], modulus = out.ring->basis()[limb];
  record("multiply_scalars", out, {a}, 1,
         [&](std::size_t item, std::size_t part) { return trace_of(a, item, part).times(factor, modulus); });
}

void DryEngine::do_convert(View out, ConstView a, const BaseConversion&) {
  record("convert", out, {a}, a.limbs(), [&](std::size_t item, std::size_t part) { return trace_of(a, item, part); });
}

void DryEngine::do_automorphism(View out, ConstView a, std::uint64_t element) {
  record("automorphism", out, {a}, 0,
         [&](std::size_t item, std::size_t part) { return trace_of(a, item, part) * Trace::hashed(element); });
}

void DryEngine::do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) {
  record("linear_combination", out, {a}, a.batch, [&](std::size_t item, std::size_t part) {
    Trace sum;
    for (std::size_t i = 0; i < a.batch; ++i) sum = sum + trace_of(a, i, part).times(matrix[item * a.batch + i]);
    return sum;
  });
}

void DryEngine::do_sum_items(View out, std::span<const ConstView> items, std::size_t group) {
  const bool products = std::ranges::any_of(items, [&](const ConstView& item) { return holds_products(item.data); });
  record("sum_items", out, items, 0, [&](std::size_t item, std::size_t part) {
    Trace sum;
    for (const ConstView& member : items.subspan(item * group, group)) {
      if (part < member.parts) sum = sum + trace_of(member, 0, part);
    }
    return sum;
  });
  if (!products) return;
  if (group == 1) put_products(out.data);
  const std::lock_guard lock(mutex_);
  summed_products_ += out.batch * (group - 1);
}

void DryEngine::do_sum_products(View out, std::span<const ConstView> a, std::span<const ConstView> b,
                                std::size_t group) {
  const std::uint64_t words = out.batch * out.parts * out.limbs() * out.ring->degree();
  const std::vector<Trace> traces = traced(out, [&](std::size_t item, std::size_t part) {
    Trace sum;
    for (std::size_t i = item * group; i < (item + 1) * group; ++i) {
      for (std::size_t first = 0; first < a[i].parts; ++first) {
        if (part < first || part - first >= b[i].parts) continue;
        sum = sum + trace_of(a[i], 0, first) * trace_of(b[i], 0, part - first);
      }
    }
    return sum;
  });
  count("sum_products", out.batch, {0, words * group * 4 / 3, words});
  written(out.data, a, 1);
  written(out.data, b, 1);
  put_traces(out, traces);
}

}  // namespace cyclotome
