// SPDX-License-Identifier: Apache-2.0
// What is refused although the bytes are sound: insecure parameters without permission, objects of other parameters,
// more than the limits, and what can't be stored.

#include <limits>

#include "check.hpp"
#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/frame.hpp"
#include "cyclotome/math/errors.hpp"
#include "io_objects.hpp"

namespace {

using namespace cyclotome;
using io::Bytes;
using io::Container;
using io_objects::Objects;
using io_objects::parameter_sets;
using io_objects::same;

const io::Limits insecure{.allow_insecure = true};

TEST(secure_parameters_need_no_permission) {
  rlwe::ParametersLiteral literal;
  literal.scheme = &bfv::scheme();
  literal.degree = 4096;
  literal.plain_moduli = {65537};
  literal.moduli = primes_congruent_to_one(45, 8192, 2);
  const Bytes bytes = io::serialize(rlwe::Parameters(literal));
  CHECK(!Container(bytes).parameters().insecure());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CHECK(text.find("128 bits") != std::string_view::npos);
  CHECK(text.find("INSECURE") == std::string_view::npos);
  literal.security = 192;  // promised, not reached
  literal.allow_insecure = true;
  CHECK_THROWS_WITH(SecurityError, Container(io::serialize(rlwe::Parameters(literal))), "192 bits are asked for");
}

TEST(insecure_parameters_need_permission_and_say_so) {
  const Objects o(parameter_sets()[3]);
  for (const auto& [name, bytes] : io_objects::containers(o)) {
    CHECK_THROWS_WITH(SecurityError, Container(bytes), "allow_insecure=True");
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    CHECK_EQ(text.find("INSECURE"), 68U);
  }
}

TEST(objects_of_other_parameters_are_refused) {
  const Objects o(parameter_sets()[3]), stranger(parameter_sets()[4]);
  for (const auto& [name, bytes] : io_objects::containers(o)) {
    const Container c(bytes, insecure);
    const auto load = [&, kind = c.kind()] {
      switch (kind) {
        case io::Kind::secret_key:
          io::read_secret_key(c, stranger.context);
          break;
        case io::Kind::public_key:
          io::read_public_key(c, stranger.context);
          break;
        case io::Kind::evaluation_keys:
          io::read_evaluation_keys(c, stranger.context);
          break;
        case io::Kind::rekeying_key:
          io::read_rekeying_key(c, stranger.context);
          break;
        case io::Kind::plaintext:
          io::read_plaintext(c, stranger.context);
          break;
        case io::Kind::plain_array:
          io::read_plain_array(c, stranger.context);
          break;
        case io::Kind::bundle:
          io::read_array(c, stranger.context);
          break;
        default:
          io::read_ciphertext(c, stranger.context);
      }
    };
    if (c.kind() == io::Kind::parameters) continue;
    CHECK_THROWS_WITH(MismatchError, load(), o.context->parameters().summary());
    CHECK_THROWS_WITH(MismatchError, load(), stranger.context->parameters().summary());
  }
}

TEST(what_cannot_be_stored_is_refused) {
  const Objects o(parameter_sets()[3]);
  const std::vector<std::uint8_t> most(io::max_metadata_bytes, 7), too_much(io::max_metadata_bytes + 1, 7);
  const Bytes bytes = io::serialize(o.public_key, most);
  CHECK_EQ(Container(bytes, insecure).metadata().size(), most.size());
  CHECK_THROWS_WITH(ArgumentError, io::serialize(o.public_key, too_much), "1048576");

  const rlwe::Ciphertext noisy = [&] {
    const rlwe::Ciphertext fresh = o.fresh();
    constexpr double infinite = std::numeric_limits<double>::infinity();
    return fresh.derived(fresh.polynomials().clone(), {infinite, infinite, infinite});
  }();
  CHECK_THROWS_WITH(ArgumentError, io::serialize(noisy), "noise");

  // An array that can't be decrypted is not stored unasked.
  value::Channels channels = o.array(1).channels();
  channels[1] = channels[1].derived(channels[1].polynomials(), {1000, 1000, 1000});
  const value::EncryptedArray spoilt({channels, o.array(1).layout()}, value::Bound::wrapping());
  CHECK_THROWS_WITH(NoiseError, io::serialize(spoilt), "allow_undecryptable");
  CHECK(!io::serialize(spoilt, {}, {.allow_undecryptable = true}).empty());

  rlwe::ParametersLiteral literal = parameter_sets()[3];
  literal.name = std::string(256, 'x');
  CHECK_THROWS_WITH(ArgumentError, io::serialize(rlwe::Parameters(literal)), "255");
  literal.name = "two\nlines";
  CHECK_THROWS_WITH(ArgumentError, io::serialize(rlwe::Parameters(literal)), "name");
}

TEST(limits_hold) {
  const Objects o(parameter_sets()[3]);
  const Bytes bytes = io::serialize(o.fresh());
  io::Limits limits = insecure;
  limits.max_bytes = bytes.size();
  limits.max_expanded_bytes = o.fresh().polynomials().bytes();
  CHECK(same(io::read_ciphertext(Container(bytes, limits), o.context), o.fresh()));
  limits.max_bytes -= 1;
  CHECK_THROWS_WITH(FormatError, Container(bytes, limits), "max_bytes");
  limits.max_bytes += 1;
  limits.max_expanded_bytes -= 1;
  CHECK_THROWS_WITH(FormatError, io::read_ciphertext(Container(bytes, limits), o.context), "max_expanded_bytes");
}

TEST(a_header_announces_the_whole) {
  const Objects o(parameter_sets()[3]);
  for (const auto& [name, bytes] : io_objects::containers(o)) {
    constexpr std::size_t header = io::layout::header_bytes;
    CHECK_EQ(io::announced_bytes(std::span(bytes).first(header), bytes.size()), bytes.size());
    CHECK_EQ(io::announced_bytes(bytes, bytes.size()), bytes.size());
    CHECK_THROWS_WITH(FormatError, io::announced_bytes(bytes, bytes.size() - 1), "max_bytes");
    CHECK_THROWS_WITH(FormatError, io::announced_bytes(std::span(bytes).first(header - 1), bytes.size()), "truncated");
    CHECK_THROWS_WITH(FormatError, io::announced_bytes(std::span(bytes).first(0), bytes.size()), "CYCLOTOM");
    Bytes small = bytes;
    for (std::size_t i = 0; i < 8; ++i) small[io::layout::length_offset + i] = i == 0 ? 87 : 0;
    CHECK_THROWS_WITH(FormatError, io::announced_bytes(small, bytes.size()), "fewer than the 88");
  }
}

}  // namespace

int main() { return check::run(); }
