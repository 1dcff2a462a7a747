// SPDX-License-Identifier: Apache-2.0
// What the verbs write down, and the traces of what they would have computed.
#include <algorithm>
#include <array>

#include "cyclotome/engine/dry/dry_engine.hpp"

namespace cyclotome {

namespace {

std::size_t polynomial_bytes(const ConstView& view) { return view.limbs() * view.limb_words() * bytes_of(view.word()); }

const char* address_of(const ConstView& view, std::size_t item, std::size_t part) {
  const std::size_t words =
      (view.batch == 1 ? 0 : item) * view.batch_stride + (view.parts == 1 ? 0 : part) * view.part_stride;
  return static_cast<const char*>(view.data) + words * bytes_of(view.word());
}

using Operands = std::span<const View>;

/// So many members from a number on, of a list of which there may be fewer.
std::vector<ConstView> members_of(const View& list, std::size_t count, std::size_t first) {
  std::vector<ConstView> members;
  members.reserve(count);
  for (std::size_t i = first; i < first + count; ++i) members.emplace_back(list.items(i % list.batch));
  return members;
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
  const Accounting accounting(*this);
  const std::optional<std::vector<Trace>> traces = known_->traces(name);
  if (!traces || traces->size() != out.batch * out.parts) return false;
  put_traces(out, *traces);
  return true;
}

void DryEngine::learn(const Name& name, ConstView polynomials) {
  const Accounting accounting(*this);
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
  const Accounting accounting(*this);
  return known_->norms(digest_of(polynomials));
}

void DryEngine::note(ConstView polynomials, const Norms& norms) {
  const Accounting accounting(*this);
  known_->note(digest_of(polynomials), norms);
}

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
  const Work work =
      record("forward", a, {}, 0, [&](std::size_t item, std::size_t part) { return trace_of(a, item, part); });
  if (there) {
    host_->forward(a);
  } else {
    remember("forward", a, {}, work, [](Engine& engine, Operands on) { engine.forward(on[0]); });
  }
}

void DryEngine::do_inverse(View a) {
  const bool there = content_of(a.data) == Content::there;
  const Work work =
      record("inverse", a, {}, 0, [&](std::size_t item, std::size_t part) { return trace_of(a, item, part); });
  if (there) {
    host_->inverse(a);
  } else {
    remember("inverse", a, {}, work, [](Engine& engine, Operands on) { engine.inverse(on[0]); });
  }
}

void DryEngine::do_copy(View out, ConstView a) {
  const Work work =
      record("copy", out, {a}, 0, [&](std::size_t item, std::size_t part) { return trace_of(a, item, part); });
  if (holds_products(a.data)) put_products(out.data);
  if (content_of(a.data) != Content::there) {
    remember("copy", out, {a}, work, [](Engine& engine, Operands on) { engine.copy(on[0], on[1]); });
    return;
  }
  host_->copy(out, a);
  put(out.data, Content::there);
}

void DryEngine::do_sample(View out, Law law, const Seed&, Stream stream, std::uint32_t) {
  const Work work = record("sample", out, {});
  put(out.data, law == Law::uniform ? Content::unknown : Content::zeros);
  remember("sample", out, {}, work, [law, stream](Engine& engine, Operands on) {
    engine.sample(on[0], law, Seed(std::array<std::uint8_t, 32>{}), stream);
  });
}

void DryEngine::do_clear(View out) {
  const Work work = record("clear", out, {}, 0, [](std::size_t, std::size_t) { return Trace(); });
  remember("clear", out, {}, work, [](Engine& engine, Operands on) { engine.clear(on[0]); });
}

void DryEngine::do_add(View out, ConstView a, ConstView b) {
  if (out.data == a.data && holds_products(b.data)) {  // a sum that grows, as no other sum does
    const std::lock_guard lock(mutex_);
    summed_products_ += out.batch;
  }
  const Work work = record("add", out, {a, b}, 0, [&](std::size_t item, std::size_t part) {
    return trace_of(a, item, part) + trace_of(b, item, part);
  });
  remember("add", out, {a, b}, work, [](Engine& engine, Operands on) { engine.add(on[0], on[1], on[2]); });
}

void DryEngine::do_subtract(View out, ConstView a, ConstView b) {
  const Work work = record("subtract", out, {a, b}, 0, [&](std::size_t item, std::size_t part) {
    return trace_of(a, item, part) - trace_of(b, item, part);
  });
  remember("subtract", out, {a, b}, work, [](Engine& engine, Operands on) { engine.subtract(on[0], on[1], on[2]); });
}

void DryEngine::do_negate(View out, ConstView a) {
  const Work work = record("negate", out, {a}, 0,
                           [&](std::size_t item, std::size_t part) { return trace_of(a, item, part).times(-1); });
  remember("negate", out, {a}, work, [](Engine& engine, Operands on) { engine.negate(on[0], on[1]); });
}

void DryEngine::do_multiply(View out, ConstView a, ConstView b) {
  const Work work = record("multiply", out, {a, b}, 1, [&](std::size_t item, std::size_t part) {
    return trace_of(a, item, part) * trace_of(b, item, part);
  });
  remember("multiply", out, {a, b}, work, [](Engine& engine, Operands on) { engine.multiply(on[0], on[1], on[2]); });
}

void DryEngine::do_multiply_accumulate(View out, ConstView a, ConstView b) {
  const Work work = record("multiply", out, {a, b}, 1, [&](std::size_t item, std::size_t part) {
    return trace_of(out, item, part) + trace_of(a, item, part) * trace_of(b, item, part);
  });
  remember("multiply_accumulate", out, {a, b}, work,
           [](Engine& engine, Operands on) { engine.multiply_accumulate(on[0], on[1], on[2]); });
}

void DryEngine::do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) {
  // A factor of zero modulo some primes alone does not make a polynomial zero.
  const auto some = std::ranges::find_if(factors, [](std::uint64_t factor) { return factor != 0; });
  const std::size_t limb = some == factors.end() ? 0 : static_cast<std::size_t>(some - factors.begin());
  const std::uint64_t factor = factors[limb], modulus = out.ring->basis()[limb];
  const Work work = record("multiply_scalars", out, {a}, 1, [&](std::size_t item, std::size_t part) {
    return trace_of(a, item, part).times(factor, modulus);
  });
  remember("multiply_scalars", out, {a}, work,
           [kept = std::vector(factors.begin(), factors.end())](Engine& engine, Operands on) {
             engine.multiply_scalars(on[0], on[1], kept);
           });
}

void DryEngine::do_convert(View out, ConstView a, const BaseConversion&) {
  const Work work = record("convert", out, {a}, a.limbs(),
                           [&](std::size_t item, std::size_t part) { return trace_of(a, item, part); });
  remember("convert", out, {a}, work, {});
}

void DryEngine::do_automorphism(View out, ConstView a, std::uint64_t element) {
  const Work work = record("automorphism", out, {a}, 0, [&](std::size_t item, std::size_t part) {
    return trace_of(a, item, part) * Trace::hashed(element);
  });
  remember("automorphism", out, {a}, work,
           [element](Engine& engine, Operands on) { engine.automorphism(on[0], on[1], element); });
}

void DryEngine::do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) {
  const Work work = record("linear_combination", out, {a}, a.batch, [&](std::size_t item, std::size_t part) {
    Trace sum;
    for (std::size_t i = 0; i < a.batch; ++i) sum = sum + trace_of(a, i, part).times(matrix[item * a.batch + i]);
    return sum;
  });
  remember("linear_combination", out, {a}, work,
           [kept = std::vector(matrix.begin(), matrix.end())](Engine& engine, Operands on) {
             engine.linear_combination(on[0], on[1], std::span(kept).first(on[0].batch * on[1].batch));
           });
}

void DryEngine::do_sum_items(View out, std::span<const ConstView> items, std::size_t group) {
  const bool products = std::ranges::any_of(items, [&](const ConstView& item) { return holds_products(item.data); });
  const Work work = record("sum_items", out, items, 0, [&](std::size_t item, std::size_t part) {
    Trace sum;
    for (const ConstView& member : items.subspan(item * group, group)) {
      if (part < member.parts) sum = sum + trace_of(member, 0, part);
    }
    return sum;
  });
  remember(
      "sum_items", out, items, work,
      [group](Engine& engine, Operands on) {
        engine.sum_items(on[0], members_of(on[1], on[0].batch * group, 0), group);
      },
      true);
  if (!products) return;
  if (group == 1) put_products(out.data);
  const std::lock_guard lock(mutex_);
  summed_products_ += out.batch * (group - 1);
}

void DryEngine::do_sum_products(View out, std::span<const ConstView> a, std::span<const ConstView> b,
                                std::size_t group) {
  const std::uint64_t words = out.batch * out.parts * out.limbs() * out.ring->degree();
  const Accounting accounting(*this);
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
  const Work work{0, words * group * 4 / 3, words};
  count("sum_products", out.batch, work);
  std::vector<ConstView> factors(a.begin(), a.end());
  factors.insert(factors.end(), b.begin(), b.end());
  remember(
      "sum_products", out, factors, work,
      [group](Engine& engine, Operands on) {
        const std::size_t count = on[0].batch * group;
        engine.sum_products(on[0], members_of(on[1], count, 0), members_of(on[1], count, count), group);
      },
      true);
  written(out.data, a, 1);
  written(out.data, b, 1);
  put_traces(out, traces);
}

}  // namespace cyclotome
