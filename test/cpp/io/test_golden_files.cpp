// SPDX-License-Identifier: Apache-2.0
// What files of BFV and BGV hold, byte for byte: hashes that were taken when format 2 was made, those of formats 3 and
// 4 later. They change with no version of the library; a change here makes other people's files unreadable.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/math/sha256.hpp"
#include "io_objects.hpp"

namespace {

using namespace cyclotome;

std::string hex(const Digest& digest, std::size_t bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += {digits[digest[i] >> 4], digits[digest[i] & 15]};
  return text;
}

/// Hash of kind, version and sections, but for noise bounds: their last bit is the mathematical library's.
std::string hash_of(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t noise_offset = 32, noise_bytes = 24;
  const io::Container container(bytes, io::Limits{.allow_insecure = true});
  std::vector<std::uint8_t> canonical = {static_cast<std::uint8_t>(container.kind()),
                                         static_cast<std::uint8_t>(container.version())};
  const auto& fingerprint = container.parameters().fingerprint();
  canonical.insert(canonical.end(), fingerprint.begin(), fingerprint.end());
  for (const io::Section& section : container.sections()) {
    canonical.insert(canonical.end(), section.tag.begin(), section.tag.end());
    const std::size_t start = canonical.size();
    canonical.insert(canonical.end(), section.bytes.begin(), section.bytes.end());
    if (section.tag == io::layout::ciphertext) {
      std::fill_n(canonical.begin() + static_cast<std::ptrdiff_t>(start + noise_offset), noise_bytes, std::uint8_t{0});
    }
  }
  return hex(sha256(canonical), 8);
}

/// By parameter set of io_objects.hpp: the fingerprint, then each of its containers in turn.
const std::vector<std::vector<std::string>> golden = {
    {"047697f0673760d0cbabf7cc8616f63b4f280401ff7f47a2565a2f77cda0665f", "2367a1e40f8d1222", "78c2791abaec8d31",
     "c752aab5edd969ed", "7caf32134b4bdb24", "d37c8c595bd87bc3", "08d9a159763e6d24", "da5e1f5f22fb34f5",
     "5e6759d719464db3", "95282cb0e38338e3", "f0df0f8f90d39d7a", "d9bc1712a5300545", "a964fba8f8ca78b6"},
    {"1fa2a8ef6a98eb3589cb1742ba4af9012228bc488331852d4e3509da69145172", "8194e055b42c422c", "d2a4643a59ec2ea5",
     "59ef692e80fdb178", "5d0ba8d4bbb5163f", "7e98a34d96d085f3", "19ffdf9f441e88d4", "29655366fc0c29b1",
     "4410b0c91997575a", "164a77d5f86f0615", "8de524270d0505d2", "0a37efc1ae2c7c64", "51b1fcc0d3c4ce98"},
    {"397aa9897d9861fec6a1ba8d1b2b95ccb109773be2ad10bfe4b7a3248df9968d", "aa0d5588c855ddba", "ad6c24c1cf4bb123",
     "23987e9ae46bb4d5", "3fc7acd608f1e3bb", "524a452da260b2e0", "a96a72fc70aacb4d", "a7be273725665e30",
     "5f10d801a60e1a5e", "4ef0c4ac2fdcd2d9", "ac28d9bd2b8e7e55"},
    {"fecfe84ec81ef32606e65a881e92a2322feab0937694239e460ad5bc759ab836", "c6aeafa0bbd91f26", "9be29764b94f6240",
     "cb25295b79bfe199", "2f31c30c47ff562a", "61e6680c65e0f414", "9c1d812de566d784", "83cf1d26a2b95ca1",
     "6e7edbd2b8f4be47", "a513f32257502cc1", "d95afd0a3cbbdbf0", "dfd5de535f7160c9", "90106df7f37f9f1e"},
    {"4c9af2704cc32888ae4bae79857fac12ac9944ff30d00f143d02fbf42254ba59", "02b49a31c3ba74f7", "a2d71c76c10d702b",
     "5ff10c1590ad7403", "939277f4b1b8c5d4", "b890b3b81d0cdcc4", "34f89fc1898b191d", "22caa9ef614e51b9",
     "b1ebc3ad41daf15e", "dea9638b75f1fbd4", "4dc35634caaa5df4"},
    {"739685c90d4647c36f57e6c8586463af5adab295fc25d758051d39f55a47e10c", "43794ed40a42a79a", "b574d071de391d2e",
     "56e67341ca91a5d3", "a13b9c0958bea022", "928cff0eec26bcd3", "3d7cd206772da349", "2a367431dd67dbfc",
     "8fbc004be15529ce", "d3ed9f2c5cc99c50", "4cb977db1b2e9fb7", "fd2977ffa463f4ff", "c6232e515487752e",
     "b906333c4d546aed"},
    {"97cf2233e2797caad94478568077e6212954018af3ddc368f5b926d0336ddca6", "305064fe86058115", "83f481207debda8d",
     "745e482449094dc1", "a7c880a05e3dbcf9", "67a0439ebeec81d3", "7ce650541f707a0f", "e78eecef73166357",
     "978e6e063466f8c5", "928de4943272cef2", "63608ceecc151809", "b5fde78d4ee0f9f4"},
};

}  // namespace

TEST(files_and_fingerprints_are_what_they_always_were) {
  const auto sets = io_objects::parameter_sets();
  CHECK_EQ(sets.size(), golden.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const io_objects::Objects objects(sets[i]);
    std::vector<std::string> hashes = {hex(objects.context->parameters().fingerprint(), 32)};
    for (const io_objects::Named& container : io_objects::containers(objects)) {
      hashes.push_back(hash_of(container.bytes));
    }
    if (hashes != (i < golden.size() ? golden[i] : std::vector<std::string>{})) {
      std::cout << "  set " << i << " is\n    {";
      for (const std::string& hash : hashes) std::cout << '"' << hash << "\", ";
      std::cout << "},\n";
    }
    CHECK(i < golden.size() && hashes == golden[i]);
  }
}

/// Integers in 128 slots of 1024: values, and the keys that rotate and sum them.
TEST(arrays_in_fewer_slots_than_coefficients_are_what_they_were_when_they_came) {
  const auto literal = io_objects::small_literal(1024, Word::u64, 50, 3, 1, {257});
  const rlwe::ContextPtr context = scheme::make_context(rlwe::Parameters(literal), CpuEngine::create(1));
  CHECK_EQ(context->parameters().slots(), 128U);
  const rlwe::SecretKey secret = rlwe::deterministic::generate_secret_key(context, check::seed(1));
  std::vector<std::int64_t> values(2 * 128);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>((i * i + 5 * i) % 257) - 128;
  const rlwe::Ciphertext made = scheme::deterministic::encrypt(
      encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, 2, 128), secret, check::seed(5));
  const value::Layout layout({2, 128}, value::Widths(context->parameters()), value::Placement::slots);
  const value::EncryptedArray array({{made}, layout}, value::Bound::wrapping());
  const rlwe::EvaluationKeys keys = rlwe::deterministic::generate_evaluation_keys(
      secret, false, rlwe::slot_sum_elements(context->slot_galois()), check::seed(3));
  const std::vector<std::string> hashes = {hash_of(io::serialize(array)), hash_of(io::serialize(keys))};
  const std::vector<std::string> expected = {"efa8f75230262b27", "e00d13c154f6bd87"};
  for (const std::string& hash : hashes) std::cout << (hashes == expected ? "" : "  is \"" + hash + "\"\n");
  CHECK(hashes == expected);
}

/// Over Phi_85, by scheme and word: the fingerprint, then parameters, keys and a ciphertext.
const std::vector<std::vector<std::string>> cyclotomic_golden = {
    {"ff7d2c73899b7e72bcefe7e946a895c4351795234bcf33e18cf02e7c1d36e366", "17205caf88a470aa", "e1d6e0c772b1fc56",
     "aeeae874ce9ef066", "855fd2f860739c63", "17107b6b00650f48"},
    {"6ef31adb764fe5b56b8423df7f6ae28c34818bbd4532d8452a4fef9fb77a73dc", "fbce0c1fd5f9df9f", "6ff49c98696796f8",
     "576dbd7c4edea43c", "078983f03763782e", "db46ddd22714fded"},
    {"68bf76c55d825585b0f0df077b971ca0843f502123ce8262938a285c11593cf0", "37bab9dca2c4beb6", "70c2ff41d078c056",
     "ac822bc5e28b5ea0", "dfcd47e2192f4e4c", "ecd52ce9f4003850"},
    {"f4f303bb14fc1bf727aaa2f235a2daec94542978a01ede00058328e30e6a47a7", "f528add7fb571569", "6a37a1e009e05ea2",
     "d01183ffcc7150f9", "652db540d4469dff", "7aa552e75928d811"},
};

/// Format version 3.
TEST(objects_over_other_cyclotomic_rings_are_what_they_were_when_this_was_written) {
  const std::uint64_t step = RingShape::cyclotomic(85)->transform_step();
  std::size_t i = 0;
  for (const rlwe::Scheme* const kind : {&bfv::scheme(), &bgv::scheme()}) {
    for (const Word word : {Word::u32, Word::u64}) {
      const std::uint64_t plain = primes_congruent_to_one(20, step, 1).front();
      rlwe::ParametersLiteral p;
      p.scheme = kind;
      p.word = word;
      p.cyclotomic = 85;
      p.plain_moduli = {plain};
      p.moduli = primes_congruent_to_one(word == Word::u32 ? 29 : 50, step, 4);
      p.special_moduli = {p.moduli.back()};
      p.moduli.pop_back();
      p.security = 0;
      p.allow_insecure = true;
      const rlwe::ContextPtr context = scheme::make_context(rlwe::Parameters(p), CpuEngine::create(1));
      const rlwe::SecretKey secret = rlwe::deterministic::generate_secret_key(context, check::seed(1));
      const rlwe::PublicKey key = rlwe::deterministic::generate_public_key(secret, check::seed(2));
      const rlwe::EvaluationKeys evaluation =
          rlwe::deterministic::generate_evaluation_keys(secret, true, {2, 84}, check::seed(3));
      std::vector<std::int64_t> values(2 * context->degree());
      for (std::size_t at = 0; at < values.size(); ++at) values[at] = static_cast<std::int64_t>(at * at % plain);
      const auto message =
          encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, 2, context->degree());
      const rlwe::Ciphertext made = scheme::deterministic::encrypt(message, key, check::seed(4));
      const io::Bytes written = io::serialize(context->parameters());
      CHECK_EQ(io::Container(written, io::Limits{.allow_insecure = true}).version(), 3);
      const std::vector<std::string> hashes = {hex(context->parameters().fingerprint(), 32),
                                               hash_of(written),
                                               hash_of(io::serialize(secret)),
                                               hash_of(io::serialize(key)),
                                               hash_of(io::serialize(evaluation)),
                                               hash_of(io::serialize(made))};
      if (i >= cyclotomic_golden.size() || hashes != cyclotomic_golden[i]) {
        std::cout << "  set " << i << " over Phi_85 is\n    {";
        for (const std::string& hash : hashes) std::cout << '"' << hash << "\", ";
        std::cout << "},\n";
      }
      CHECK(i < cyclotomic_golden.size() && hashes == cyclotomic_golden[i]);
      ++i;
    }
  }
}

/// Of JointObjects: the fingerprint, then each of its containers but the decryption share, whose flooding's size has
/// the mathematical library's last bit.
const std::vector<std::vector<std::string>> joint_golden = {
    {"c82d09057f1ea51e281156333bbdb6166703216d1d1b8d7c7fd1e367189f1d1f", "e6f783e225a044b1", "8ed29e5c41fa90f0",
     "b6eebb0935fffc2d", "8e366073ba002670", "74128b80cfe68e6f", "7482d9c9487c3915", "e218640274da5260",
     "3dbc811c707a2e93", "b62124e7c407c170", "5071b514497a654c", "f26e016caa81753f", "b0af85b1d04a2fac",
     "9f09dd777070981b"},
    {"2b85cd6446217cbf8b0b1c8e153f7e1a8ac3da05ebe74f09c496d85d5d418b6a", "f5722c9e2106df61", "bde4ff07f49449fa",
     "8d63af5c7ccdd6c1", "ace8a7c6898fffa1", "c3fca0a3ac722cee", "ba74c0ef1c03c820", "21fef04c7a4001e1",
     "30c116ddb0f937b0", "a89b3237eb8a775e", "1f0cd38c5377e452", "ace4f35400cdb150", "27c714b4f77faedd",
     "456f60380e3a3857"},
};

TEST(messages_of_joint_keys_are_what_they_always_were) {
  const rlwe::ParametersLiteral sets[] = {io_objects::small_literal(64, Word::u32, 28, 3, 1, {257}),
                                          io_objects::small_literal(64, Word::u64, 50, 3, 1, {257}, &bgv::scheme())};
  for (std::size_t i = 0; i < std::size(sets); ++i) {
    const io_objects::JointObjects objects(sets[i]);
    std::vector<std::string> hashes = {hex(objects.context->parameters().fingerprint(), 32)};
    for (const io_objects::Named& container : objects.containers()) {
      if (container.name != "decryption_share") hashes.push_back(hash_of(container.bytes));
    }
    if (hashes != (i < joint_golden.size() ? joint_golden[i] : std::vector<std::string>{})) {
      std::cout << "  joint set " << i << " is\n    {";
      for (const std::string& hash : hashes) std::cout << '"' << hash << "\", ";
      std::cout << "},\n";
    }
    CHECK(i < joint_golden.size() && hashes == joint_golden[i]);
  }
}

int main() { return cyclotome::check::run(); }
