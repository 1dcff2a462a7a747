// SPDX-License-Identifier: Apache-2.0
#include "bindings/big_integers.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::python {

std::vector<std::uint64_t> words_of(const nb::bytes& bytes) {
  if (bytes.size() % 8 != 0) {
    throw ArgumentError(message("integers come as words of 8 bytes, but ", bytes.size(), " bytes were given"));
  }
  const auto span = to_span(bytes);
  std::vector<std::uint64_t> words(span.size() / 8);
  for (std::size_t i = 0; i < span.size(); ++i) words[i / 8] |= static_cast<std::uint64_t>(span[i]) << (8 * (i % 8));
  return words;
}

nb::bytes bytes_of_words(std::span<const std::uint64_t> words) {
  std::string bytes(words.size() * 8, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(words[i / 8] >> (8 * (i % 8)));
  return nb::bytes(bytes.data(), bytes.size());
}

BigUnsigned big_of(const nb::int_& value, std::size_t max_bits) {
  const auto bits = nb::cast<std::size_t>(value.attr("bit_length")());
  if (nb::cast<bool>(value.attr("__lt__")(0)) || bits > max_bits) {
    throw ArgumentError(
        message("an integer of ", bits, " bits was given; from 0 up to ", max_bits, " bits are allowed"));
  }
  const nb::object bytes = value.attr("to_bytes")((bits + 63) / 64 * 8, "little");
  return BigUnsigned::from_limbs(words_of(nb::cast<nb::bytes>(bytes)));
}

nb::int_ int_of(const BigUnsigned& value) {
  const nb::object type = nb::module_::import_("builtins").attr("int");
  return nb::cast<nb::int_>(type.attr("from_bytes")(bytes_of_words(value.limbs()), "little"));
}

}  // namespace cyclotome::python
