// SPDX-License-Identifier: Apache-2.0
// Every stored object comes back equal, in the size that doc/wire-format.md states, and takes the same part in
// computations as before.

#include <cmath>

#include "check.hpp"
#include "cyclotome/io/container/bit_packing.hpp"
#include "cyclotome/io/objects/inspect.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "io_objects.hpp"

namespace {

using namespace cyclotome;
using io::Bytes;
using io::Container;
using io_objects::Objects;
using io_objects::parameter_sets;
using io_objects::same;

const io::Limits insecure{.allow_insecure = true};

template <class Test>
void for_each_set(const Test& test) {
  for (const auto& literal : parameter_sets()) test(Objects(literal));
}

bool same(const rlwe::SwitchingKey& a, const rlwe::SwitchingKey& b) {
  return same(a.polynomials(), b.polynomials()) && a.uniform_seed() == b.uniform_seed();
}

// Bytes of one polynomial as the documentation states them.
std::size_t polynomial_bytes(std::size_t degree, const std::vector<std::uint64_t>& moduli) {
  std::size_t bits = 0;
  for (const auto q : moduli) {
    for (std::uint64_t largest = q - 1; largest != 0; largest >>= 1) bits += degree;
  }
  return bits / 8;
}

// A whole container around sections of these sizes.
std::size_t container_bytes(const rlwe::Parameters& p, const std::vector<std::size_t>& sections) {
  std::size_t bytes = 56 + 32 + 12 + 28 + p.name().size() +
                      8 * (p.plain_moduli().size() + p.moduli().size() + p.special_moduli().size());
  for (const auto section : sections) bytes += 12 + section;
  return bytes;
}

std::vector<std::uint64_t> key_moduli(const rlwe::Parameters& p) {
  std::vector<std::uint64_t> all = p.special_moduli();
  all.insert(all.end(), p.moduli().begin(), p.moduli().end());
  return all;
}

TEST(bits_are_packed_from_the_lowest_up) {
  const std::vector<std::uint32_t> values = {5, 2, 7, 0, 1};
  std::vector<std::uint8_t> packed(io::packed_bytes(5, 3));
  io::pack_bits<std::uint32_t>(packed, values, 3);
  CHECK_EQ(packed, (std::vector<std::uint8_t>{0b11010101, 0b00010001}));  // 001 000 111 010 101
}

template <class W>
void check_packing(unsigned bits) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  for (std::size_t count = 1; count <= 70; ++count) {
    std::vector<W> values(count), read(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<W>((i % 3 == 0 ? mask : 0x9e3779b97f4a7c15 * (i + bits)) & mask);
    }
    std::vector<std::uint8_t> packed(io::packed_bytes(count, bits));
    io::pack_bits<W>(packed, values, bits);
    std::size_t wrong = 0;
    for (std::size_t bit = 0; bit < count * bits; ++bit) {
      wrong +=
          (packed[bit / 8] >> bit % 8 & 1) != static_cast<int>(std::uint64_t{values[bit / bits]} >> bit % bits & 1);
    }
    CHECK_EQ(wrong, 0U);
    const bool fits = io::unpack_bits<W>(read, packed, bits, static_cast<W>(mask + 1));  // 2^bits, 0 for the full word
    CHECK_EQ(fits, static_cast<W>(mask + 1) != 0);
    CHECK_EQ(read, values);
    if (values[0] != 0) CHECK(!io::unpack_bits<W>(read, packed, bits, values[0]));  // values[0] is the limit itself
    if (bits > 1) {  // one value, wherever it stands, is the limit
      std::vector<W> small(count, 0);
      small[count * 7 % 70 % count] = static_cast<W>(mask);
      std::vector<std::uint8_t> other(packed.size());
      io::pack_bits<W>(other, small, bits);
      CHECK(!io::unpack_bits<W>(read, other, bits, static_cast<W>(mask)));
    }
    if (count * bits % 8 != 0) {
      packed.back() |= 0x80;
      CHECK(!io::unpack_bits<W>(read, packed, bits, static_cast<W>(mask)));
    }
  }
}

TEST(packing_is_exact_at_every_width) {
  for (unsigned bits = 1; bits <= 64; ++bits) {
    check_packing<std::uint64_t>(bits);
    if (bits <= 32) check_packing<std::uint32_t>(bits);
  }
}

TEST(parameters_come_back) {
  for (auto literal : parameter_sets()) {
    const rlwe::Parameters p(literal);
    const Bytes bytes = io::serialize(p);
    const Container container(bytes, insecure);
    CHECK_EQ(container.parameters().fingerprint(), p.fingerprint());
    CHECK_EQ(container.parameters().name(), "test");
    CHECK_EQ(container.parameters().summary(), p.summary());
    CHECK_EQ(container.metadata().size(), 0U);
    CHECK_EQ(bytes.size(), container_bytes(p, {}));
    CHECK(io::serialize(container.parameters()) == bytes);
  }
}

TEST(secret_keys_come_back) {
  for_each_set([](const Objects& o) {
    const Bytes bytes = io::serialize(o.secret);
    const rlwe::SecretKey key = io::read_secret_key(Container(bytes, insecure), o.context);
    CHECK_EQ(key.coefficients(), o.secret.coefficients());
    CHECK_EQ(key.id(), o.secret.id());
    CHECK_EQ(bytes.size(), container_bytes(o.context->parameters(), {16, o.context->degree() / 4}));
    const rlwe::Plaintext plain = o.plain(0, 2);
    if (scheme::noise_headroom(o.fresh()) > 0)
      CHECK(same(scheme::decrypt(o.fresh(), key).polynomials(), plain.polynomials()));
  });
}

TEST(public_keys_come_back) {
  for_each_set([](const Objects& o) {
    const rlwe::Parameters& p = o.context->parameters();
    const Bytes bytes = io::serialize(o.public_key, io_objects::metadata());
    const Container container(bytes, insecure);
    const rlwe::PublicKey key = io::read_public_key(container, o.context);
    CHECK(same(key.polynomials(), o.public_key.polynomials()));
    CHECK_EQ(key.id(), o.public_key.id());
    CHECK(key.uniform_seed() == o.public_key.uniform_seed());
    CHECK(std::ranges::equal(container.metadata(), io_objects::metadata()));
    CHECK_EQ(bytes.size(), container_bytes(p, {16, 13, 32 + polynomial_bytes(p.degree(), key_moduli(p))}));
  });
}

TEST(evaluation_keys_come_back) {
  for_each_set([](const Objects& o) {
    const rlwe::Parameters& p = o.context->parameters();
    const Bytes bytes = io::serialize(o.evaluation);
    const rlwe::EvaluationKeys keys = io::read_evaluation_keys(Container(bytes, insecure), o.context);
    CHECK(same(keys.relinearization(), o.evaluation.relinearization()));
    CHECK_EQ(keys.id(), o.evaluation.id());
    CHECK_EQ(keys.all_galois().size(), 3U);
    for (const auto& [element, key] : o.evaluation.all_galois()) CHECK(same(keys.galois(element), key));
    const std::size_t pairs = p.digits() * polynomial_bytes(p.degree(), key_moduli(p));
    CHECK_EQ(bytes.size(), container_bytes(p, {16, 32 + pairs, 40 + pairs, 40 + pairs, 40 + pairs}));
  });
}

TEST(evaluation_keys_may_hold_few_or_no_keys) {
  const Objects o(parameter_sets()[3]);
  const auto read = [&](bool relinearization, const std::vector<std::uint64_t>& elements) {
    const Bytes bytes = io::serialize(
        rlwe::deterministic::generate_evaluation_keys(o.secret, relinearization, elements, io_objects::seed(9)));
    return io::read_evaluation_keys(Container(bytes, insecure), o.context);
  };
  CHECK(!read(false, {}).has_relinearization());
  CHECK(read(false, {}).all_galois().empty());
  CHECK(!read(false, {3}).has_relinearization());
  CHECK(read(false, {3}).has_galois(3));
  std::vector<std::uint64_t> all;
  for (std::uint64_t element = 3; element < 16; element += 2) all.push_back(element);
  CHECK_EQ(read(true, all).all_galois().size(), 7U);
}

TEST(ciphertexts_come_back) {
  for_each_set([](const Objects& o) {
    const rlwe::Parameters& p = o.context->parameters();
    const auto check = [&](const rlwe::Ciphertext& c, std::size_t polynomials, std::size_t seed_bytes = 0) {
      const Bytes bytes = io::serialize(c);
      const rlwe::Ciphertext read = io::read_ciphertext(Container(bytes, insecure), o.context);
      CHECK(same(read, c));
      CHECK(io::serialize(read) == bytes);
      const std::size_t one = polynomial_bytes(p.degree(), c.polynomials().ring()->basis().values());
      CHECK_EQ(bytes.size(), container_bytes(p, {16, 56 + seed_bytes + polynomials * one}));
    };
    for (std::size_t plain = 0; plain < o.context->plain_count(); ++plain) {
      check(o.fresh(plain, 3), 3 * 2);
      check(o.symmetric(plain, 3), 3, 32);
    }
    check(o.product(), 2 * 3);
    check(rlwe::negate(o.symmetric()), 2 * 2);  // no seed any more
    if (o.has_levels()) {
      CHECK_EQ(o.switched().limbs(), p.moduli().size() - 1);
      CHECK(o.switched().correction() != 1);
      check(o.switched(), 2 * 2);
    }
  });
}

TEST(loaded_objects_compute_as_before) {
  for_each_set([](const Objects& o) {
    const auto compute = [&](const rlwe::Ciphertext& x, const rlwe::EvaluationKeys& keys) {
      return rlwe::apply_galois(rlwe::relinearize(scheme::square(x), keys), 3, keys);
    };
    const Bytes keys_bytes = io::serialize(o.evaluation), bytes = io::serialize(o.symmetric());
    const rlwe::EvaluationKeys keys = io::read_evaluation_keys(Container(keys_bytes, insecure), o.context);
    const rlwe::Ciphertext x = io::read_ciphertext(Container(bytes, insecure), o.context);
    CHECK(same(compute(x, keys), compute(o.symmetric(), o.evaluation)));
  });
}

TEST(plaintexts_come_back) {
  for_each_set([](const Objects& o) {
    const rlwe::Parameters& p = o.context->parameters();
    for (std::size_t i = 0; i < o.context->plain_count(); ++i) {
      const rlwe::Plaintext plain = o.plain(i, 2);
      const Bytes bytes = io::serialize(plain);
      const rlwe::Plaintext read = io::read_plaintext(Container(bytes, insecure), o.context);
      CHECK(same(read.polynomials(), plain.polynomials()));
      CHECK_EQ(read.plain(), rlwe::PlainIndex(i));
      CHECK_EQ(bytes.size(), container_bytes(p, {16 + 2 * polynomial_bytes(p.degree(), {p.plain_moduli()[i]})}));
    }
  });
}

TEST(arrays_come_back) {
  for_each_set([](const Objects& o) {
    const value::EncryptedArray wrapping = o.array(2);
    const value::Layout one({2}, value::Widths(o.context->parameters()), value::Placement::replicated);
    const value::Bound bound(value::capacity(o.context->parameters()), 2);
    for (const value::EncryptedArray& array : {wrapping, value::EncryptedArray({wrapping.channels(), one}, bound)}) {
      const Bytes bytes = io::serialize(array, io_objects::metadata());
      const Container container(bytes, insecure);
      const value::EncryptedArray read = io::read_array(container, o.context);
      CHECK(read.layout() == array.layout() && read.bound() == array.bound());
      for (std::size_t i = 0; i < array.channels().size(); ++i) CHECK(same(read.channels()[i], array.channels()[i]));
      CHECK(std::ranges::equal(container.metadata(), io_objects::metadata()));
      const io::Inspection seen = io::inspect(bytes);
      CHECK(seen.description && seen.description->layout == array.layout());
    }
  });
}

TEST(inspection_tells_what_is_inside) {
  const Objects o(parameter_sets()[1]);
  const rlwe::Ciphertext first = o.symmetric(0, 5), second = o.fresh(1, 5);
  const std::size_t n = o.context->degree();
  const value::Placed placed{
      {first, second}, value::Layout({5, n}, value::Widths(o.context->parameters()), value::Placement::coefficients)};
  const Bytes bundle = io::serialize(value::EncryptedArray(placed, value::Bound::wrapping()), io_objects::metadata());
  const io::Inspection seen = io::inspect(bundle);
  CHECK(seen.kind == io::Kind::bundle);
  CHECK_EQ(seen.bytes, bundle.size());
  CHECK_EQ(seen.expanded_bytes, first.polynomials().bytes() + second.polynomials().bytes());
  CHECK_EQ(seen.key_id, o.secret.id());
  CHECK_EQ(seen.metadata, io_objects::metadata());
  CHECK(seen.parameters.insecure());
  CHECK_EQ(seen.sections.size(), 6U);
  CHECK_EQ(seen.sections[3].tag, "ARRY");
  CHECK_EQ(seen.sections[5].tag, "CIPH");
  CHECK_EQ(seen.sections[5].offset + seen.sections[5].bytes + 32, bundle.size());
  CHECK_EQ(seen.arrays.size(), 2U);
  CHECK_EQ(seen.arrays[0].batch, 5U);
  CHECK_EQ(seen.arrays[1].plain_modulus, 257U);
  CHECK(seen.arrays[0].seeded && !seen.arrays[1].seeded);
  CHECK(std::abs(seen.arrays[0].headroom - scheme::noise_headroom(first)) < 1e-5);
  CHECK(std::abs(seen.arrays[1].headroom - scheme::noise_headroom(second)) < 1e-5);

  const Objects bgv(parameter_sets()[5]);
  const io::Inspection lower = io::inspect(io::serialize(bgv.switched()));
  CHECK_EQ(lower.arrays[0].limbs, 2U);
  CHECK_EQ(lower.expanded_bytes, bgv.switched().polynomials().bytes());
  CHECK(std::abs(lower.arrays[0].headroom - scheme::noise_headroom(bgv.switched())) < 1e-5);

  const io::Inspection keys = io::inspect(io::serialize(o.evaluation));
  CHECK(keys.relinearization);
  CHECK_EQ(keys.galois_elements, (std::vector<std::uint64_t>{3, 5, 2047}));
  CHECK_EQ(keys.expanded_bytes, 4 * o.evaluation.relinearization().polynomials().bytes());
  CHECK_EQ(io::inspect(io::serialize(o.public_key)).expanded_bytes, o.public_key.polynomials().bytes());
  CHECK_EQ(io::inspect(io::serialize(o.plain(1, 3))).expanded_bytes, o.plain(1, 3).polynomials().bytes());
  CHECK_EQ(io::inspect(io::serialize(o.context->parameters())).expanded_bytes, 0U);
}

}  // namespace

int main() { return check::run(); }
