// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/profiling_engine.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::study {

namespace {

/// Composites that are products of polynomials, transforms included; the others convert or round.
constexpr std::string_view products[] = {"tensor_product", "multiply_ciphertexts", "multiply_key", "key_switch_product",
                                         "turned_product"};

Work work_of(std::string_view composite) {
  return std::ranges::find(products, composite) == std::end(products) ? Work::conversions : Work::polynomials;
}

Work work_of(Law law) {
  return law == Law::uniform ? Work::uniform : law == Law::ternary ? Work::ternary : Work::gaussian;
}

}  // namespace

bool ProfilingEngine::computes_in(const Ring& ring) const noexcept {
  try {
    host()->require_ring(ring);
    return true;
  } catch (...) {
    return false;
  }
}

Native ProfilingEngine::native(const program::Program& program, const program::Composite& composite) {
  Native inner = host()->native(program, composite);
  if (!inner) return {};
  return [this, inner = std::move(inner), work = work_of(composite.name)](std::span<const View> operands) {
    timed(work, [&] { inner(operands); });
  };
}

void ProfilingEngine::do_forward(View a) {
  timed(Work::polynomials, [&] { host()->forward(a); });
}
void ProfilingEngine::do_inverse(View a) {
  timed(Work::polynomials, [&] { host()->inverse(a); });
}
void ProfilingEngine::do_copy(View out, ConstView a) {
  timed(Work::conversions, [&] { host()->copy(out, a); });
}
void ProfilingEngine::do_clear(View out) {
  timed(Work::conversions, [&] { host()->clear(out); });
}
void ProfilingEngine::do_add(View out, ConstView a, ConstView b) {
  timed(Work::polynomials, [&] { host()->add(out, a, b); });
}
void ProfilingEngine::do_subtract(View out, ConstView a, ConstView b) {
  timed(Work::polynomials, [&] { host()->subtract(out, a, b); });
}
void ProfilingEngine::do_negate(View out, ConstView a) {
  timed(Work::polynomials, [&] { host()->negate(out, a); });
}
void ProfilingEngine::do_multiply(View out, ConstView a, ConstView b) {
  timed(Work::polynomials, [&] { host()->multiply(out, a, b); });
}
void ProfilingEngine::do_multiply_accumulate(View accumulator, ConstView a, ConstView b) {
  timed(Work::polynomials, [&] { host()->multiply_accumulate(accumulator, a, b); });
}
void ProfilingEngine::do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) {
  timed(Work::polynomials, [&] { host()->multiply_scalars(out, a, factors); });
}
void ProfilingEngine::do_convert(View out, ConstView a, const BaseConversion& conversion) {
  timed(Work::conversions, [&] { host()->convert(out, a, conversion); });
}
void ProfilingEngine::do_automorphism(View out, ConstView a, std::uint64_t element) {
  timed(Work::polynomials, [&] { host()->automorphism(out, a, element); });
}
void ProfilingEngine::do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) {
  timed(work_of(law), [&] { host()->sample(out, law, seed, stream, first_item); });
}
void ProfilingEngine::do_peaks(View numbers, ConstView a, const BaseConversion& conversion) {
  timed(Work::conversions, [&] { host()->peaks(numbers, a, conversion); });
}

}  // namespace cyclotome::study
