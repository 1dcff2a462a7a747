// SPDX-License-Identifier: Apache-2.0
// Damaged containers: every truncation and every flipped bit of a container of each kind, headers that lie and sections
// out of place. Each ends in a typed error, or in the very object that the bytes spell; never in anything else.

#include "io_pieces.hpp"

namespace {

using namespace cyclotome;
using namespace cyclotome::io_pieces;

TEST(sound_containers_load) {
  io_exercise::Contexts contexts;
  for (const auto& name : names) {
    CHECK(io_exercise::load(container(name), contexts));
    CHECK(Pieces(name).whole() == container(name));
  }
}

TEST(every_truncation_is_refused) {
  io_exercise::Contexts contexts;
  for (const auto& name : names) {
    const Bytes& bytes = container(name);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const io_exercise::Span cut = io_exercise::Span(bytes).first(length);
      CHECK_THROWS(FormatError, load(cut));
      // Behind a correct checksum, a cut after a key spells an object with fewer of them, and one before the proof of a
      // second share a share without, which sessions that ask for proofs refuse.
      if (io_exercise::load(resealed(cut), contexts)) CHECK(name == "evaluation_keys" || name == "proved_share");
    }
  }
}

TEST(every_extension_is_refused) {
  for (const auto& name : names) {
    Bytes bytes = container(name);
    bytes.push_back(0);
    CHECK_THROWS_WITH(FormatError, load(bytes), "tail");
    CHECK_THROWS(FormatError, load(resealed(bytes)));
  }
}

TEST(every_flipped_bit_is_refused) {
  for (const auto& name : names) {
    Bytes bytes = container(name);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      CHECK_THROWS(FormatError, load(bytes));
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    }
  }
}

TEST(a_flipped_bit_behind_a_correct_checksum_is_refused_or_meant) {
  io_exercise::Contexts contexts;
  for (const auto& name : names) {
    Bytes bytes = container(name);
    std::size_t taken = 0;
    for (std::size_t bit = 0; bit < 8 * (bytes.size() - 32); ++bit) {
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      taken += io_exercise::load(resealed(bytes), contexts) ? 1 : 0;  // std::logic_error if taken and not meant
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    }
    CHECK(taken > 0);  // residues, ids and names are free
  }
}

// 0 placement, 1 clean, 2 bounded, 3 axes, 4 words of the bound, 6 of the rows', 8 lengths (1, 8), then the bounds.
TEST(descriptions_that_lie_are_refused) {
  REFUSED("array", p.put(0, 3, 1, "ARRY"), "can't have");
  REFUSED("array", p.put(0, 0, 1, "ARRY"), "takes 8 ciphertexts");
  REFUSED("array", p.put(1, 0, 1, "ARRY"), "can't have");
  REFUSED("array", p.put(2, 2, 1, "ARRY"), "flag of 2");
  REFUSED("array", p.put(2, 1, 1, "ARRY").put(4, 1, 2, "ARRY"), "truncated");
  REFUSED("array", p.put(4, 1, 2, "ARRY"), "flag of 0");
  REFUSED("array", p.put(3, 33, 1, "ARRY"), "33 axes");
  REFUSED("array", p.put(3, 1, 1, "ARRY"), "too many");
  REFUSED("array", p.put(8, 0, 8, "ARRY"), "can't have");
  REFUSED("array", p.put(8, 2, 8, "ARRY"), "takes 2 ciphertexts");
  REFUSED("array", p.put(8, 1ULL << 62, 8, "ARRY"), "can't have");
  REFUSED("array", p.put(16, 9, 8, "ARRY"), "takes 2 ciphertexts");
  const auto bounded = [](Pieces& p, std::uint64_t largest, std::uint64_t row) {
    std::vector<std::uint8_t>& bytes = p.parts[3].bytes;
    bytes.resize(bytes.size() + 16);
    p.put(2, 1, 1, "ARRY").put(4, 1, 2, "ARRY").put(6, 1, 2, "ARRY");
    p.put(24, largest, 8, "ARRY").put(32, row, 8, "ARRY");
  };
  // T = 17 * 97, so that values are within 824, and rows within 8 times that.
  Pieces sound("array");
  bounded(sound, 824, 8 * 824);
  load(sound.whole());
  for (const auto& [largest, row] : {std::pair<std::uint64_t, std::uint64_t>{825, 825}, {824, 823}, {5, 41}, {0, 0}}) {
    Pieces p("array");
    bounded(p, largest, row);
    CHECK_THROWS(FormatError, load(p.whole()));
  }
}

TEST(bundles_of_version_1_are_read_without_a_description) {
  Pieces p("array");
  p.header[8] = 1;
  CHECK_THROWS_WITH(FormatError, load(p.whole()), "ARRY");
  p.parts.erase(p.parts.begin() + 3);
  for (auto& part : p.parts) {  // one number for the noise in place of three
    if (part.tag == "CIPH") part.bytes.erase(part.bytes.begin() + 40, part.bytes.begin() + 56);
  }
  load(p.whole());
  const Bytes bytes = p.whole();
  CHECK_THROWS_WITH(FormatError, io::read_array(Container(bytes, insecure), objects().context), "version 1");
}

TEST(headers_that_lie_are_refused) {
  REFUSED("ciphertext", p.header[0] = 'c', "CYCLOTOM");
  REFUSED("ciphertext", p.header[8] = 3, "format version 3");
  REFUSED("ciphertext", p.header[8] = 0, "format version 0");
  REFUSED("ciphertext", p.header[9] = 1, "format version 258");
  REFUSED("ciphertext", p.header[10] = 0, "kind 0");
  REFUSED("ciphertext", p.header[10] = 8, "context of polynomial products");
  REFUSED("ciphertext", p.header[10] = 9, "section SEAL");
  REFUSED("ciphertext", p.header[10] = 10, "kind 10");
  REFUSED("ciphertext", p.header[11] = 255, "is unknown");
  REFUSED("ciphertext", p.header[12] = 1, "reserved");
  REFUSED("ciphertext", p.header[15] = 1, "reserved");
  REFUSED("ciphertext", p.header[24] ^= 1, "fingerprint");
  for (unsigned kind = 1; kind <= 7; ++kind) {  // one object given out as another
    Pieces p("product");
    if (kind == 5) continue;
    p.header[10] = static_cast<std::uint8_t>(kind);
    CHECK_THROWS(FormatError, load(p.whole()));
  }
  CHECK_THROWS_WITH(FormatError, io::read_public_key(Container(container("product"), insecure), objects().context),
                    "a ciphertext array, not a public key");
}

TEST(absurd_lengths_are_refused) {
  for (const std::uint64_t length :
       {std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{0} - 11, std::uint64_t{1} << 32}) {
    for (const auto& name : names) {
      Bytes bytes = container(name);
      const Container whole(container(name), insecure);
      for (const io::Section& s : whole.sections()) {
        Bytes changed = bytes;
        for (unsigned i = 0; i < 8; ++i) changed[s.offset - 8 + i] = static_cast<std::uint8_t>(length >> (8 * i));
        CHECK_THROWS_WITH(FormatError, load(resealed(changed)), "truncated or damaged");
      }
      for (unsigned i = 0; i < 8; ++i) bytes[16 + i] = static_cast<std::uint8_t>(length >> (8 * i));
      CHECK_THROWS_WITH(FormatError, load(bytes), "announces");
    }
  }
}

TEST(sections_out_of_place_are_refused) {
  REFUSED("ciphertext", p.parts.erase(p.parts.begin()), "first section");
  REFUSED("ciphertext", p.parts.insert(p.parts.begin(), p.parts[0]), "KYID");
  REFUSED("ciphertext", p.parts.erase(p.parts.begin() + 1), "KYID");
  REFUSED("ciphertext", p.parts[1].bytes.push_back(0), "KYID");
  REFUSED("plaintext", p.parts.insert(p.parts.begin() + 1, Pieces("ciphertext").parts[1]), "PLTX");
  REFUSED("ciphertext", std::swap(p.parts[1], p.parts[2]), "KYID");
  REFUSED("ciphertext", std::swap(p.parts[2], p.parts[3]), "CIPH");
  REFUSED("ciphertext", p.parts.insert(p.parts.begin() + 2, p.parts[2]), "CIPH");
  REFUSED("ciphertext", p.parts[2].bytes.clear(), "metadata");
  REFUSED("ciphertext", p.parts[2].bytes.resize(io::max_metadata_bytes + 1), "metadata");
  REFUSED("ciphertext", p.parts.pop_back(), "CIPH");
  REFUSED("ciphertext", p.parts.push_back(p.parts.back()), "CIPH");
  REFUSED("ciphertext", p.parts.back().tag = "ciph", "capital");
  REFUSED("ciphertext", p.parts.back().tag = "ABCD", "ABCD");
  REFUSED("parameters", p.parts.push_back({"CIPH", {}}), "no place");
  REFUSED("array", p.parts.back().tag = "PLTX", "no place");
  REFUSED("array", p.parts.resize(4), "without ciphertexts");
  REFUSED("array", p.parts.resize(3), "needs a section ARRY");
  REFUSED("array", p.parts.erase(p.parts.begin() + 3), "needs a section ARRY");
  REFUSED("array", p.parts.pop_back(), "equally many ciphertexts");
  REFUSED("array", std::swap(p.parts[4], p.parts[5]), "must be larger");
  REFUSED("array", p.parts.push_back(p.parts.back()), "must be larger");
  REFUSED("array", p.parts.insert(p.parts.end(), 100000, {"CIPH", {}}), "more than 13 sections");
  REFUSED("secret_key", p.parts.back().bytes.push_back(0), "damaged");
  REFUSED("secret_key", p.parts.back().bytes.pop_back(), "damaged");
  REFUSED("public_key", p.parts.back().bytes.resize(31), "truncated");
}

}  // namespace

int main() { return check::run(); }
