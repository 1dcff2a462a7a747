// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/reals/real_array_payload.hpp"

#include <cmath>

#include "cyclotome/io/container/byte_reader.hpp"
#include "cyclotome/io/container/noise_limits.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/ckks/levels.hpp"

namespace cyclotome::io {

namespace {

[[noreturn]] void refuse(const Section& section, std::string_view what) {
  throw FormatError(message("the description of real numbers at offset ", section.offset, " ", what,
                            ": the data is damaged; get a fresh copy"));
}

value::Layout read_layout(ByteReader& reader, const Section& section, const rlwe::Parameters& p) {
  const std::uint8_t placement = reader.u8(), clean = reader.u8(), axes = reader.u8();
  if (placement > 1 || clean > 1 || axes > value::max_axes) refuse(section, "has a layout that such arrays can't have");
  value::Shape shape;
  for (std::size_t i = 0; i < axes; ++i) shape.push_back(reader.u64());
  try {
    const value::Layout usual = value::layout_of_reals(p, shape);
    static_cast<void>(value::count_of(value::ciphertext_axes(usual)));
    // One spelling: what has no room beside its numbers is clean.
    const bool packed = placement == 1, possible = packed ? usual.packed() : true;
    const value::Layout layout =
        packed ? usual.with_clean(clean == 1) : usual.placed(shape, value::Placement::replicated);
    if (possible && (clean == 1 || value::has_padding(layout))) return layout;
  } catch (const ArgumentError&) {
    // A shape that no array has.
  }
  refuse(section, "has a shape that such arrays can't have");
}

ckks::Approximation read_approximation(ByteReader& reader, const Section& section, const rlwe::Parameters& p) {
  ckks::Approximation about{{}, reader.f64()};
  about.error.log2_max = reader.f64();
  about.error.log2_rms = reader.f64();
  about.error.log2_canonical = reader.f64();
  if (!(about.bound >= 0) || !std::isfinite(about.bound) || !storable(about.error) ||
      !(p.noise().tidy(about.error) == about.error)) {
    refuse(section, "states a bound or an error that is no sane number");
  }
  return about;
}

/// Logarithms of other machines' libraries may differ in the last place.
bool near(double a, double b) { return std::abs(a - b) <= 1e-6; }

void require_consistent(const Section& section, const rlwe::Parameters& p, const ckks::Approximation& about,
                        const PhaseFacts& c) {
  const double lowest = ckks::Part::of(p).scale();
  const double scale = ckks::level_scales(p.moduli(), lowest)[c.level.primes - 1];
  const rlwe::NoiseBound phase = p.noise().sum(ckks::message_bound(p, about.bound, scale), about.error);
  if (c.parts != 2 || !near(phase.log2_max, c.noise.log2_max) || !near(phase.log2_rms, c.noise.log2_rms) ||
      !near(phase.log2_canonical, c.noise.log2_canonical)) {
    refuse(section, "contradicts what its ciphertexts say of their phase");
  }
  if (!(phase.log2_max <= ckks::log2_noise_limit(p, c.level))) refuse(section, "has more than its level holds");
}

}  // namespace

RealArrayPayload read_real_array_payload(const Section& section, const rlwe::Parameters& p, const PhaseFacts& c) {
  ByteReader reader(section.bytes, section.offset, "the description of real numbers");
  const std::uint8_t field = reader.u8();
  if (field > 1) refuse(section, "is of numbers that are neither real nor complex");
  value::Layout layout = read_layout(reader, section, p);
  const ckks::Approximation about = read_approximation(reader, section, p);
  reader.finish();
  require_consistent(section, p, about, c);
  if (value::count_of(value::ciphertext_axes(layout)) != c.batch) {
    refuse(section, "is of another number of ciphertexts than there are");
  }
  return {std::move(layout), static_cast<value::Field>(field), about};
}

}  // namespace cyclotome::io
