// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/reals/real_array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::value {

Reals::Reals(Shape lengths, ckks::Numbers numbers, Field of)
    : shape(std::move(lengths)), values(std::move(numbers)), field(of) {
  if (count_of(shape) != values.size()) {
    throw ArgumentError(
        message("an array of shape ", to_string(shape), " has ", count_of(shape), " numbers, not ", values.size()));
  }
  const auto finite = [](const std::complex<double>& value) { return std::isfinite(std::abs(value)); };
  const auto bad = std::ranges::find_if_not(values, finite);
  if (bad != values.end()) {
    throw RangeError(message("value number ", bad - values.begin(), " is no finite number below 2^1023; leave ",
                             "out or fill in what is missing before"));
  }
}

RealArray::RealArray(ckks::Approximate numbers, Layout layout, Field field, Keyring keys)
    : numbers_(std::move(numbers)), layout_(std::move(layout)), field_(field), keys_(std::move(keys)) {
  if (numbers_.ciphertext.parts() != 2 || count_of(ciphertext_axes(layout_)) != numbers_.ciphertext.batch()) {
    throw ArgumentError(message("an array of reals of shape ", to_string(shape()), " takes ",
                                count_of(ciphertext_axes(layout_)), " ciphertexts, not ", numbers_.ciphertext.batch()));
  }
  keys_.require(*context(), key());
}

RealArray RealArray::with_keys(const Keyring& keys) const { return {numbers_, layout_, field_, keys_.joined(keys)}; }

RealArray RealArray::to(const rlwe::ContextPtr& context, const Keyring& keys) const {
  return {{numbers_.ciphertext.to(context), numbers_.about}, layout_, field_, keys};
}

RealArray RealArray::assume_bound(double bound) const {
  if (!(bound > 0)) throw RangeError(message("assume_bound: ", bound, " is no bound above 0 on magnitudes"));
  const ckks::Approximation about{numbers_.about.error, std::min(bound, numbers_.about.bound)};
  return {ckks::with_phase(numbers_.ciphertext, about, "assume_bound"), layout_, field_, keys_};
}

RealArray RealArray::switch_to_level(std::size_t level) const {
  return {ckks::lowered(numbers_, rlwe::Level(level)), layout_, field_, keys_};
}

Layout layout_of_reals(const rlwe::Parameters& parameters, const Shape& shape) {
  const bool single = shape.empty() || shape.back() == 1;
  return {shape, Widths(parameters.degree() / 2), single ? Placement::replicated : Placement::slots};
}

std::size_t period(const Layout& layout) {
  return layout.chunks() > 1 ? layout.width() : std::bit_ceil(layout.length());
}

bool has_padding(const Layout& layout) { return layout.packed() && layout.length() % period(layout) != 0; }

Shape ciphertext_axes(const Layout& layout) { return layout.packed() ? layout.ciphertext_axes() : layout.shape(); }

ckks::Numbers spread(const Reals& values, const Layout& layout) {
  const std::size_t width = layout.width(), chunks = layout.chunks(), length = layout.length(), turn = period(layout);
  const std::size_t batch = count_of(ciphertext_axes(layout));
  ckks::Numbers slots(batch * width);
  for (std::size_t i = 0; i < batch; ++i) {
    const std::size_t first = i % chunks * width, count = std::min(width, length - first);
    const auto from = values.values.begin() + static_cast<std::ptrdiff_t>(i / chunks * length + first);
    for (std::size_t start = 0; start < width; start += turn) {
      std::copy_n(from, std::min(count, turn), slots.begin() + static_cast<std::ptrdiff_t>(i * width + start));
    }
  }
  return slots;
}

Reals gathered(const ckks::Numbers& slots, const Layout& layout, Field field) {
  const std::size_t width = layout.width(), chunks = layout.chunks(), length = layout.length();
  ckks::Numbers values(count_of(layout.shape()));
  for (std::size_t i = 0; i < slots.size() / width; ++i) {
    const std::size_t first = i % chunks * width, count = std::min(width, length - first);
    std::copy_n(slots.begin() + static_cast<std::ptrdiff_t>(i * width), count,
                values.begin() + static_cast<std::ptrdiff_t>(i / chunks * length + first));
  }
  if (field == Field::real) {
    for (std::complex<double>& value : values) value = value.real();
  }
  return {layout.shape(), std::move(values), field};
}

RealArray finished_reals(const char* operation, ckks::Approximate numbers, const Layout& layout, Field field,
                         const Keyring& keys) {
  if (rlwe::is_transparent(numbers.ciphertext)) {
    if (!keys.encryption) {
      throw TransparentError(message(operation,
                                     ": the result would be a ciphertext that hides nothing (as x - x and 0 * x are); ",
                                     "attach the public key with x = x.with_keys(public), which encrypts such results ",
                                     "anew, or leave the operation out"));
    }
    const rlwe::Parameters& parameters = numbers.context().parameters();
    const rlwe::NoiseBound zero = rlwe::public_zero_noise(parameters, rlwe::PlainIndex(0));
    const ckks::Approximation about{parameters.noise().sum(numbers.about.error, zero), numbers.about.bound};
    numbers = ckks::with_phase(scheme::rerandomize(numbers.ciphertext, *keys.encryption), about, operation);
  }
  return {std::move(numbers), layout, field, keys};
}

}  // namespace cyclotome::value
