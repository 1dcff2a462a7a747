// SPDX-License-Identifier: Apache-2.0
// Containers with a correct checksum whose contents lie: impossible parameters, shapes, noise bounds, residues and
// keys.

#include <bit>
#include <cmath>

#include "io_pieces.hpp"

namespace {

using namespace cyclotome;
using namespace cyclotome::io_pieces;

TEST(impossible_parameters_are_refused) {
  const auto changed = [](std::size_t offset, std::uint64_t value, unsigned count) {
    Pieces p("parameters");
    return io_exercise::resealed_with_fingerprint(p.put(offset, value, count, "PARM").whole());
  };
  CHECK_THROWS_WITH(FormatError, load(changed(0, 0x7374696220383231, 8)), "label");  // "128 bits"
  CHECK_THROWS_WITH(FormatError, load(changed(8, 9, 1)), "scheme 9");
  CHECK_THROWS_WITH(FormatError, load(changed(9, 5, 1)), "5-byte words");
  CHECK_THROWS_WITH(FormatError, load(changed(10, 7, 1)), "table 7");
  CHECK_THROWS_WITH(FormatError, load(changed(11, 5, 1)), "cyclotomic index 8");  // the degree taken for m
  CHECK_THROWS_WITH(FormatError, load(changed(11, 17, 1)), "flags");
  CHECK_THROWS_WITH(FormatError, load(changed(11, 9, 1)), "truncated");  // several parties, but no number of them
  CHECK_THROWS_WITH(FormatError, load(changed(11, 0, 1)), "degree 8");   // too small without the flag that allows it
  CHECK_THROWS_WITH(FormatError, load(changed(12, 100, 2)), "100");
  CHECK_THROWS_WITH(FormatError, load(changed(14, 0, 2)), "digits");
  CHECK_THROWS_WITH(FormatError, load(changed(14, 9, 2)), "9 digits");
  for (const std::uint64_t degree : {0U, 1U, 3U, 4U, 12U, 1U << 18, 1U << 31, ~0U}) {
    CHECK_THROWS_WITH(FormatError, load(changed(16, degree, 4)), "impossible parameters");
  }
  for (const std::size_t count : {20U, 22U, 24U, 26U}) {
    CHECK_THROWS_WITH(FormatError, load(changed(count, 65535, 2)), "parameter block");
  }
  const std::uint64_t q = objects().context->parameters().moduli()[0];
  for (const std::uint64_t modulus :
       {std::uint64_t{0}, std::uint64_t{1}, q + 1, q + 16, q * q, std::uint64_t{1} << 63}) {
    CHECK_THROWS_WITH(FormatError, load(changed(28 + 2 * 8, modulus, 8)), "impossible parameters");
  }
  CHECK_THROWS_WITH(FormatError, load(changed(28 + 3 * 8, q, 8)), "impossible parameters");  // twice the same prime
  for (const std::uint64_t t : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{97}, std::uint64_t{1} << 30}) {
    CHECK_THROWS_WITH(FormatError, load(changed(28, t, 8)), "impossible parameters");
  }
  for (const unsigned character : {0U, 10U, 27U, 127U, 195U}) {
    CHECK_THROWS_WITH(FormatError, load(changed(28 + 7 * 8, character, 1)), "printable");
  }
  REFUSED("parameters", p.parts[0].bytes.push_back(0), "too many");
}

// The number of parties stands at the end of the block; objects of several have a version of their own.
TEST(impossible_parties_are_refused) {
  const auto with_parties = [](std::uint64_t parties) {
    Pieces p("session");
    p.put(p.parts[0].bytes.size() - 2, parties, 2, "PARM");
    return io_exercise::resealed_with_fingerprint(p.whole());
  };
  load(with_parties(3));
  for (const std::uint64_t parties : {0U, 257U, 65535U}) {
    CHECK_THROWS_WITH(FormatError, load(with_parties(parties)), "impossible parameters");
  }
  CHECK_THROWS_WITH(FormatError, load(with_parties(1)), "not written as this library writes it");
  CHECK_THROWS_WITH(FormatError, load(with_parties(4)),
                    "container's id");  // parameters, and so a session, of their own
  for (std::uint8_t version = 1; version <= 3; ++version) {
    Pieces single("public_key"), joint("session");
    single.header[8] = 4;
    joint.header[8] = version;
    CHECK_THROWS_WITH(FormatError, load(single.whole()), "those of several parties 4");
    CHECK_THROWS_WITH(FormatError, load(joint.whole()), "those of several parties 4");
  }
}

TEST(counts_are_bounded_before_primes_are_tested) {
  // Of one number again and again, which a test of primality or of common factors would complain about.
  const auto with_counts = [](std::size_t plain, std::size_t moduli, std::size_t special) {
    Pieces p("parameters");
    std::vector<std::uint8_t>& block = p.parts[0].bytes;
    block.resize(28 + 8 * (plain + moduli + special), 0xff);
    p.put(20, plain, 2, "PARM").put(22, moduli, 2, "PARM").put(24, special, 2, "PARM").put(26, 0, 2, "PARM");
    return p.whole();
  };
  CHECK_THROWS_WITH(FormatError, load(with_counts(1, 65535, 0)), "65535 primes were given; at most 128");
  CHECK_THROWS_WITH(FormatError, load(with_counts(1, 1, 65535)), "65536 primes were given; at most 128");
  CHECK_THROWS_WITH(FormatError, load(with_counts(65535, 1, 0)), "65535 plaintext moduli were given; 1 to 16");
  CHECK_THROWS_WITH(FormatError, load(with_counts(1, 0, 3)), "no ciphertext modulus");
}

TEST(containers_of_impossible_shape_are_none) {
  // Before any context: a container cannot even be made.
  for (const auto& name :
       {"secret_key", "public_key", "evaluation_keys", "ciphertext", "array", "plaintext", "plain_array"}) {
    Pieces empty(name);
    empty.parts.back().bytes.clear();
    CHECK_THROWS(FormatError, Container(empty.whole(), insecure));
    Pieces shorter(name);
    shorter.parts.back().bytes.pop_back();
    CHECK_THROWS_WITH(FormatError, Container(shorter.whole(), insecure), "items");
  }
}

TEST(impossible_ciphertexts_are_refused) {
  REFUSED("ciphertext", p.put(0, 2, 4), "plaintext modulus number 2");
  REFUSED("ciphertext", p.put(0, ~0U, 4), "plaintext modulus");
  for (const std::uint64_t parts : {0U, 1U, 4U, 65535U}) {
    Pieces p("ciphertext");
    CHECK_THROWS_WITH(FormatError, load(p.put(4, parts, 2).whole()), "parts");
  }
  for (const std::uint64_t limbs : {0U, 4U, 65535U}) {  // there are 3 primes
    Pieces p("ciphertext");
    CHECK_THROWS_WITH(FormatError, load(p.put(6, limbs, 2).whole()), "level");
  }
  for (const std::uint64_t limbs : {1U, 2U}) {  // lower levels, whose residues would take fewer bytes
    Pieces p("ciphertext");
    CHECK_THROWS_WITH(FormatError, load(p.put(6, limbs, 2).whole()), "items");
  }
  REFUSED("ciphertext", p.put(8, 2, 4), "seed flag 2");
  REFUSED("product", p.put(8, 1, 4), "seed flag 1");
  REFUSED("ciphertext", p.put(8, 1, 4), "items");  // a seed that is not there
  for (const auto& name : {"ciphertext", "symmetric", "product"}) {
    const std::uint64_t batch = 2;
    for (const std::uint64_t lie : {std::uint64_t{0}, batch - 1, batch + 1, std::uint64_t{1} << 60, ~std::uint64_t{0},
                                    (std::uint64_t{1} << 63) + batch, (std::uint64_t{1} << 61) + batch}) {
      Pieces p(name);
      CHECK_THROWS_WITH(FormatError, load(p.put(16, lie, 8).whole()), "items");
    }
    REFUSED(name, p.parts.back().bytes.pop_back(), "items");
    REFUSED(name, p.parts.back().bytes.push_back(0), "items");
  }
  REFUSED("ciphertext", p.put(24, 2, 8), "not 1, as in BFV");
  REFUSED("ciphertext", p.put(24, 0, 8), "no unit");
  REFUSED("ciphertext", p.put(12, 1, 4), "no meaning");
  for (const double noise : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1.1e9, -1.1e9}) {
    for (const std::size_t offset : {32, 40, 48}) {
      Pieces p("ciphertext");
      CHECK_THROWS_WITH(FormatError, load(p.put(offset, std::bit_cast<std::uint64_t>(noise), 8).whole()), "noise");
    }
  }
  for (const std::size_t offset : {32, 40, 48}) {  // each norm bounds the others
    Pieces p("ciphertext");
    CHECK_THROWS_WITH(FormatError, load(p.put(offset, std::bit_cast<std::uint64_t>(1e6), 8).whole()), "its own parts");
  }
}

TEST(impossible_levels_and_correction_factors_are_refused) {
  const Objects o(io_objects::parameter_sets()[6]);  // BGV with t = 17 and 12
  const auto changed = [&](const rlwe::Ciphertext& c, std::size_t offset, std::uint64_t value, unsigned count) {
    const Bytes bytes = io::serialize(c);
    Pieces p(bytes);
    const Bytes crafted = p.put(offset, value, count).whole();
    return io::read_ciphertext(Container(crafted, insecure), o.context).correction();
  };
  CHECK_EQ(changed(o.fresh(0), 24, 16, 8), 16U);
  CHECK_EQ(changed(o.fresh(1), 24, 7, 8), 7U);
  for (const std::uint64_t factor : {std::uint64_t{0}, std::uint64_t{17}, std::uint64_t{18}, ~std::uint64_t{0}}) {
    CHECK_THROWS_WITH(FormatError, changed(o.fresh(0), 24, factor, 8), "no unit modulo t = 17");
  }
  for (const std::uint64_t factor : {0U, 2U, 9U, 12U, 13U}) {
    CHECK_THROWS_WITH(FormatError, changed(o.fresh(1), 24, factor, 8), "no unit modulo t = 12");
  }
  CHECK_THROWS_WITH(FormatError, changed(o.fresh(), 6, 0, 2), "level 0");
  CHECK_THROWS_WITH(FormatError, changed(o.fresh(), 6, 4, 2), "level 4");
  CHECK_THROWS_WITH(FormatError, changed(o.fresh(), 6, 2, 2), "items");     // too many residues for this level
  CHECK_THROWS_WITH(FormatError, changed(o.switched(), 6, 3, 2), "items");  // too few
}

TEST(residues_that_are_not_reduced_are_refused) {
  const std::vector<std::uint64_t>& moduli = objects().context->parameters().moduli();
  // The first residue of 20 bits, and in the second limb, which starts 20 bytes later.
  for (std::size_t limb = 0; limb < 2; ++limb) {
    for (const std::uint64_t residue : {moduli[limb], moduli[limb] + 1, std::uint64_t{0xfffff}}) {
      Pieces c("ciphertext");
      const std::size_t start = 56 + 20 * limb;
      const std::uint64_t high = c.parts.back().bytes[start + 2] & 0xf0U;
      CHECK_THROWS_WITH(FormatError, load(c.put(start, residue | high << 16, 3).whole()), "not below its modulus");
    }
  }
  REFUSED("public_key", p.put(32, 0xffffff, 3), "not below its modulus");
  REFUSED("evaluation_keys", p.put(40, 0xffffff, 3), "not below its modulus");
  REFUSED("plaintext", p.put(16, 17, 1), "not below its modulus 17");
  // The code 10 stands for nothing.
  for (const std::uint64_t code : {0b10U, 0b1000U, 0b100000U, 0b10000000U}) {
    Pieces key("secret_key");
    CHECK_THROWS_WITH(FormatError, load(key.put(1, code, 1).whole()), "{-1, 0, 1}");
  }
}

TEST(impossible_keys_are_refused) {
  // Sections: PARM, KYID, RLIN, GALO 3, GALO 5, GALO 15.
  for (const std::uint64_t element : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4}, std::uint64_t{16},
                                      std::uint64_t{17}, ~std::uint64_t{0}}) {
    Pieces p("evaluation_keys");
    CHECK_THROWS_WITH(FormatError, load(p.put(0, element, 8).whole()), "Galois element");
  }
  REFUSED("evaluation_keys", p.put(0, 5, 8), "without repetition");
  REFUSED("evaluation_keys", p.put(0, 3, 8), "without repetition");
  REFUSED("evaluation_keys", std::swap(p.parts[3], p.parts[4]), "ascend");
  REFUSED("evaluation_keys", std::swap(p.parts[2], p.parts[3]), "out of place");
  REFUSED("evaluation_keys", p.parts.insert(p.parts.begin() + 2, p.parts[2]), "out of place");
  REFUSED("evaluation_keys", p.parts.back().tag = "PKEY", "out of place");
  REFUSED("evaluation_keys", p.parts.back().bytes.pop_back(), "items");
  REFUSED("evaluation_keys", p.parts.back().bytes.resize(40), "items");
  REFUSED("evaluation_keys", p.parts.back().bytes.resize(7), "truncated");
  REFUSED("evaluation_keys", p.parts.insert(p.parts.end(), 100, p.parts.back()), "more than 13 sections");
}

TEST(plaintexts_that_lie_are_refused) {
  REFUSED("plaintext", p.put(0, 2, 4), "plaintext modulus number 2");
  REFUSED("plaintext", p.put(4, 1, 4), "reserved");
  REFUSED("plaintext", p.put(8, 0, 8), "items");
  REFUSED("plaintext", p.put(8, std::uint64_t{1} << 60, 8), "items");
  REFUSED("plaintext", p.put(0, 1, 4), "items");  // modulus 97 needs other lengths
}

TEST(plain_arrays_that_lie_are_refused) {
  // u8 axes, u8 words, 6 zeros, the lengths 2 and 5, ten integers of a word.
  for (const std::uint64_t axes : {0U, 1U, 3U, 33U, 255U}) {
    Pieces p("plain_array");
    CHECK_THROWS(FormatError, load(p.put(0, axes, 1).whole()));
  }
  REFUSED("plain_array", p.put(0, 33, 1), "at most 32");
  REFUSED("plain_array", p.put(1, 0, 1), "words");
  REFUSED("plain_array", p.put(1, 2, 1), "items");
  for (const std::size_t offset : {2U, 3U, 4U, 7U}) {
    Pieces p("plain_array");
    CHECK_THROWS_WITH(FormatError, load(p.put(offset, 1, 1).whole()), "reserved");
  }
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{11}, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    Pieces first("plain_array"), second("plain_array");
    CHECK_THROWS(FormatError, load(first.put(8, length, 8).whole()));
    CHECK_THROWS(FormatError, load(second.put(16, length, 8).whole()));
  }
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    Pieces p("plain_array");
    CHECK_THROWS_WITH(FormatError, load(p.put(16, length, 8).whole()), "shape");
  }
  REFUSED("plain_array", p.put(8, 1, 8), "items");
  REFUSED("plain_array", p.parts.back().bytes.push_back(0), "items");
  REFUSED("plain_array", p.parts.back().bytes.clear(), "truncated");
  REFUSED("plain_array", p.parts.push_back(p.parts.back()), "PLNA");
  REFUSED("plain_array", p.parts.back().tag = "PLTX", "PLNA");
  // Integers of two words that one would hold: they have one spelling.
  REFUSED("plain_constants", (p.put(24 + 24, ~std::uint64_t{0}, 8), p.put(24 + 16, ~std::uint64_t{0}, 8)), "fit fewer");
  // A key id has no place in it.
  REFUSED("plain_array", (p.parts.insert(p.parts.begin() + 1, Part{"KYID", std::vector<std::uint8_t>(16, 1)})), "PLNA");
}

TEST(plain_arrays_of_parameters_without_slots_are_refused) {
  Pieces p(io::serialize(Objects(io_objects::small_literal(8, Word::u64, 60, 2, 1, {2})).context->parameters()));
  p.header[io::layout::kind_offset] = static_cast<std::uint8_t>(io::Kind::plain_array);
  p.parts.push_back(Pieces("plain_array").parts.back());
  CHECK_THROWS_WITH(FormatError, Container(p.whole(), insecure), "have none");
}

TEST(what_plain_arrays_expand_to_is_limited) {
  const Bytes& bytes = container("plain_array");
  const io::Inspection seen = io::inspect(bytes);
  // Two rows of two plaintext moduli: each a polynomial of 8 coefficients of 4 bytes, and its transforms of 3 primes.
  CHECK_EQ(seen.expanded_bytes, 10 * 8 + 2 * 2 * 8 * 4 * (1 + 3));
  CHECK(seen.shape == (value::Shape{2, 5}));
  const Container small(bytes, {.max_expanded_bytes = seen.expanded_bytes - 1, .allow_insecure = true});
  CHECK_THROWS_WITH(FormatError, io::read_plain_values(small), "expand");
  CHECK_THROWS_WITH(FormatError, io::read_plain_array(small, objects().context), "expand");
}

TEST(what_plain_arrays_hold_comes_back) {
  for (const char* const name : {"plain_array", "plain_constants"}) {
    const Container c(container(name), insecure);
    const value::PlainArray read = io::read_plain_array(c, objects().context);
    const value::PlainArray made = name[6] == 'a' ? objects().plain_array() : objects().plain_constants();
    CHECK(read.shape() == made.shape());
    for (std::size_t i = 0; i < read.values().size(); ++i) CHECK(read.values()[i] == made.values()[i]);
    CHECK_EQ(read.bytes(), made.bytes());
  }
  // Words that say nothing are not written.
  const value::PlainArray wide(objects().context, value::Integers({3}, 3,
                                                                  {1, 0, 0, ~std::uint64_t{0}, ~std::uint64_t{0},
                                                                   ~std::uint64_t{0}, std::uint64_t{1} << 63, 0, 0}));
  const Bytes bytes = io::serialize(wide),
              scalar = io::serialize(value::PlainArray(objects().context, value::Integers(7)));
  CHECK_EQ(io::read_plain_values(Container(bytes, insecure)).values.words(), 2U);
  CHECK(io::read_plain_values(Container(scalar, insecure)).values.shape().empty());
  CHECK_THROWS(ArgumentError,
               io::serialize(io::PlainValues{objects().context->parameters(), value::Integers({0}, 1, {})}));
}

}  // namespace

int main() { return check::run(); }
