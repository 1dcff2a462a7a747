// SPDX-License-Identifier: Apache-2.0
// What private look-ups rest on, checked to the last bit: with the secret and the errors at hand, drawn again from the
// request's seeds, what a client finds is the rows' words times message and error, less V and H times the keys' errors.
// Products are computed coefficient by coefficient, modulo q.
#include <iostream>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu.hpp"
#include "cyclotome/engine/cpu/scan/byte_scan.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/retrieval/answers.hpp"
#include "cyclotome/retrieval/packing.hpp"
#include "cyclotome/retrieval/request.hpp"

namespace {

using namespace cyclotome;
using namespace cyclotome::retrieval;

constexpr std::size_t n = degree;
using Integer = i128;

std::mt19937_64& generator() {
  static std::mt19937_64 random = [] {
    const unsigned seed = std::random_device{}();
    std::cout << "seed " << seed << '\n';
    return std::mt19937_64(seed);
  }();
  return random;
}

std::array<std::uint8_t, 32> drawn_bytes() {
  std::array<std::uint8_t, 32> bytes{};
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(generator()());
  return bytes;
}

LatticePtr lattice() {
  static const LatticePtr made = std::make_shared<Lattice>(make_cpu_engine(2));
  return made;
}

/// Small numbers of a law, as a client draws them.
std::vector<std::int64_t> small(Law law, const Seed& seed, Stream stream, std::uint32_t item, std::size_t batch,
                                std::size_t parts) {
  PolyArray a = lattice()->make(batch, parts, Domain::coefficient);
  lattice()->engine()->sample(a.view(), law, seed, stream, item);
  std::vector<std::int64_t> out;
  for (const std::uint64_t value : lattice()->integers(a)) {
    out.push_back(value > lattice()->modulus() / 2 ? static_cast<std::int64_t>(value - lattice()->modulus())
                                                   : static_cast<std::int64_t>(value));
  }
  return out;
}

/// Coefficient i of a(x) b(x) modulo x^n + 1 and q; a below q, b small.
std::int64_t coefficient(std::span<const std::uint64_t> a, std::span<const std::int64_t> b, std::size_t i) {
  const auto q = static_cast<Integer>(lattice()->modulus());
  Integer sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const Integer product = static_cast<Integer>(a[(i + n - j) % n]) * b[j];
    sum = (sum + (j <= i ? product : -product)) % q;
  }
  return static_cast<std::int64_t>((sum + q) % q);
}

std::int64_t entry(const Packing& packing, std::size_t row, std::size_t column) {
  const std::uint8_t* const at = packing.matrix.data() + ((row / 32 * matrix_quads + column) * 32 + row % 32) * 4;
  const std::uint32_t stored = at[0] | at[1] << 8 | at[2] << 16 | static_cast<std::uint32_t>(at[3]) << 24;
  return std::int64_t{stored} - matrix_offset;
}

struct Party {
  std::size_t rows;
  std::vector<std::uint16_t> words;
  Masks masks;
  Packing packing;

  explicit Party(std::size_t rows_, std::vector<std::uint16_t> words_)
      : rows(rows_),
        words(std::move(words_)),
        masks(lattice(), PublicSeed(drawn_bytes()), rows),
        packing(pack(masks, words)) {}
};

std::vector<std::uint16_t> random_words(std::size_t rows) {
  std::vector<std::uint16_t> words(rows * n);
  for (auto& word : words) word = static_cast<std::uint16_t>(generator()());
  return words;
}

Residues answer_to(const Party& party, const Request& request, std::size_t threads = 1) {
  const OpenedRequest opened(lattice(), request);
  const OpenedRequest* const all[] = {&opened};
  const std::vector<std::uint8_t> tiles = arranged(party.words);
  const auto scan = cpu::make_byte_scan(make_cpu_engine(threads));
  return answers(*scan, all, {tiles, party.packing.matrix, party.packing.flip}).front();
}

TEST(the_noise_is_the_words_times_the_error_less_the_matrix_times_the_keys_errors) {
  const Party party(2 * n, random_words(2 * n));
  const std::array<std::uint8_t, 32> master = drawn_bytes();
  const Digest version{1, 2, 3};
  RequestKey key(lattice(), Seed(master), version);
  const std::size_t position = generator()() % party.rows;
  const std::uint64_t positions[] = {position};
  const Residues phase = key.phase(party.packing.mask, answer_to(party, key.encrypt(party.masks, positions)));

  const Seed again(master);
  const auto errors =
      small(Law::error, derived(again, Purpose::request_error, version), Stream::symmetric_error, 0, 2, 1);
  const Seed key_seed = derived(again, Purpose::key_error, version);
  const auto turn = small(Law::error, key_seed, Stream::switching_key_error, 0, 1, gadget_digits);
  const auto flip = small(Law::error, key_seed, Stream::switching_key_error, 1, 1, gadget_digits);
  const auto q = static_cast<Integer>(lattice()->modulus());
  for (std::size_t c = 0; c < n; ++c) {
    Integer expected = 0;
    for (std::size_t r = 0; r < party.rows; ++r) {
      const Integer message = r == position ? static_cast<Integer>(lattice()->scale()) : 0;
      expected += (message + errors[r]) * (Integer{party.words[r * n + c]} - word_offset);
    }
    for (std::size_t k = 0; k < matrix_quads; ++k)
      expected -= static_cast<Integer>(entry(party.packing, c, k)) * turn[k];
    for (std::size_t d = 0; d < gadget_digits; ++d) {
      for (std::size_t j = 0; j < n; ++j) {
        const Integer product = static_cast<Integer>(party.packing.flip[d * n + (c + n - j) % n]) * flip[d * n + j];
        expected -= j <= c ? product : -product;
      }
    }
    CHECK_EQ(phase[c], static_cast<std::uint64_t>((expected % q + q) % q));
  }
}

TEST(a_request_is_masks_times_the_secret_plus_error_and_message) {
  const Party party(n, random_words(n));
  const std::array<std::uint8_t, 32> master = drawn_bytes();
  RequestKey key(lattice(), Seed(master), Digest{});
  const std::uint64_t positions[] = {17, 17, 2047};
  const Request request = key.encrypt(party.masks, positions);
  const Seed again(master);
  const auto secret = small(Law::ternary, derived(again, Purpose::secret, {}), Stream::secret, 0, 1, 1);
  const auto errors = small(Law::error, derived(again, Purpose::request_error, {}), Stream::symmetric_error, 0, 1, 1);
  PolyArray masks = lattice()->make(1, 1, Domain::transform);
  lattice()->engine()->copy(masks.view(), party.masks.row_masks());
  masks.to_coefficient();
  const Residues a = lattice()->integers(masks);
  const auto q = static_cast<std::int64_t>(lattice()->modulus());
  const auto scale = static_cast<std::int64_t>(lattice()->scale());
  for (const std::size_t i : {std::size_t{0}, std::size_t{17}, std::size_t{1000}, n - 1}) {
    const std::int64_t message = i == 17 ? 2 * scale : i == n - 1 ? scale : 0;
    const std::int64_t expected = (coefficient(a, secret, i) + errors[i] + message) % q;
    CHECK_EQ(request.rows[i], static_cast<std::uint64_t>((expected + q) % q));
  }
}

TEST(norms_are_those_of_the_matrix_and_of_the_words) {
  const Party party(n, random_words(n));
  long double flip = 0, most = 0;
  for (const std::int32_t digit : party.packing.flip) flip += static_cast<long double>(digit) * digit;
  std::int64_t words = 0, largest_sum = 0;
  for (std::size_t c = 0; c < n; ++c) {
    long double row = flip;
    for (std::size_t k = 0; k < matrix_quads; ++k) {
      row +=
          static_cast<long double>(entry(party.packing, c, k)) * static_cast<long double>(entry(party.packing, c, k));
    }
    most = std::max(most, row);
    std::int64_t square = 0, sum = 0;
    for (std::size_t r = 0; r < party.rows; ++r) {
      const std::int64_t word = std::int64_t{party.words[r * n + c]} - word_offset;
      square += word * word;
      sum += word;
    }
    words = std::max(words, square);
    largest_sum = std::max(largest_sum, std::abs(sum));
  }
  CHECK(static_cast<long double>(party.packing.matrix_norm) >= most);
  CHECK(static_cast<long double>(party.packing.matrix_norm) <= most * (1 + 0x1p-36L) + 2);
  CHECK_EQ(party.packing.words_norm, words);
  CHECK_EQ(party.packing.words_sum, largest_sum);
}

TEST(words_at_both_ends_are_read_back) {
  for (const int kind : {0, 1, 2}) {
    std::vector<std::uint16_t> words(n * n);
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = static_cast<std::uint16_t>(kind == 0 ? 0 : kind == 1 ? 65535 : (i * 7 % 3 == 0 ? 65535 : 0));
    }
    const Party party(n, std::move(words));
    RequestKey key(lattice(), Seed(drawn_bytes()), Digest{});
    const std::uint64_t positions[] = {generator()() % n};
    const Residues answer = answer_to(party, key.encrypt(party.masks, positions));
    const auto found = key.decrypt(party.packing.mask, answer);
    for (std::size_t c = 0; c < n; ++c) {
      CHECK_EQ(found[c], static_cast<std::uint16_t>(party.words[positions[0] * n + c] - word_offset));
    }
  }
}

TEST(answers_are_the_same_on_any_number_of_threads_and_in_batches) {
  const Party party(n, random_words(n));
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 3; ++i) {
    RequestKey key(lattice(), Seed(drawn_bytes()), Digest{});
    const std::uint64_t positions[] = {i};
    requests.push_back(key.encrypt(party.masks, positions));
  }
  std::vector<OpenedRequest> opened;
  for (const Request& request : requests) opened.emplace_back(lattice(), request);
  const OpenedRequest* const all[] = {opened.data(), opened.data() + 1, opened.data() + 2};
  const std::vector<std::uint8_t> tiles = arranged(party.words);
  for (const cpu::InstructionSet set : cpu::instruction_sets()) {
    const auto scan = cpu::make_byte_scan(make_cpu_engine(3), set);
    const auto together = answers(*scan, all, {tiles, party.packing.matrix, party.packing.flip});
    for (std::size_t i = 0; i < 3; ++i) CHECK(together[i] == answer_to(party, requests[i], 1));
  }
}

TEST(a_secret_encrypts_once) {
  const Masks masks(lattice(), PublicSeed(drawn_bytes()), n);
  RequestKey key(lattice(), Seed(drawn_bytes()), Digest{});
  const std::uint64_t positions[] = {1}, outside[] = {n};
  CHECK_THROWS_WITH(ArgumentError, key.encrypt(masks, outside), "not among the 2048");
  key.encrypt(masks, positions);
  CHECK_THROWS_WITH(ArgumentError, key.encrypt(masks, positions), "make a new one");
}

/// Phases of sums of values times bytes, under a scale of their own: exactly those sums after rounding, at both ends.
TEST(sums_of_bytes_times_values_are_read_back) {
  std::vector<std::uint16_t> words(n * n);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto byte = i % n == 0 ? -128 : i % n == 1 ? 127 : static_cast<int>(generator()() % 256) - 128;
    words[i] = static_cast<std::uint16_t>(byte + word_offset);
  }
  const Party party(n, words);
  std::vector<std::int64_t> values(n);
  for (std::size_t r = 0; r < 300; ++r) values[r] = static_cast<std::int64_t>(generator()() % 3) - 1;
  const std::uint64_t scale = lattice()->modulus() / (2 * 40000);
  RequestKey key(lattice(), Seed(drawn_bytes()), Digest{});
  const Request request = key.encrypt_values(party.masks, values, scale);
  CHECK_THROWS_WITH(ArgumentError, key.encrypt_values(party.masks, values, scale), "make a new one");
  const OpenedRequest opened(lattice(), request, 1);
  const OpenedRequest* const all[] = {&opened};
  const std::vector<std::uint8_t> tiles = arranged(party.words, 1);
  for (const cpu::InstructionSet set : cpu::instruction_sets()) {
    const auto scan = cpu::make_byte_scan(make_cpu_engine(2), set);
    const Residues answer = answers(*scan, all, {tiles, party.packing.matrix, party.packing.flip}).front();
    CHECK(answer == answer_to(party, request));  // the same as of words of two bytes
    const std::vector<std::int64_t> found = key.decrypt_values(party.packing.mask, answer, scale);
    for (std::size_t c = 0; c < n; ++c) {
      std::int64_t expected = 0;
      for (std::size_t r = 0; r < n; ++r) expected += values[r] * (std::int64_t{words[r * n + c]} - word_offset);
      CHECK_EQ(found[c], expected);
    }
  }
}

/// The quotient by a reciprocal is the one by division, wherever a phase lies; a mask of zeros makes answers phases.
TEST(phases_are_rounded_to_the_nearest_multiple) {
  const RequestKey key(lattice(), Seed(drawn_bytes()), Digest{});
  const auto q = static_cast<std::int64_t>(lattice()->modulus());
  const Residues zeros(n);
  for (const std::int64_t scale :
       {std::int64_t{1}, std::int64_t{3}, std::int64_t{1} << 35, (std::int64_t{1} << 35) + 1, q / 2 - 1, q / 2}) {
    Residues phases(n);
    for (std::size_t i = 0; i < n; ++i) phases[i] = generator()() % lattice()->modulus();
    const std::int64_t edges[] = {
        0, 1, q - 1, q / 2, q / 2 + 1, scale / 2, scale - scale / 2, q - scale / 2, q - scale / 2 - 1};
    for (std::size_t i = 0; i < std::size(edges); ++i)
      phases[i] = static_cast<std::uint64_t>(edges[i]) % lattice()->modulus();
    const auto found = key.decrypt_values(zeros, phases, static_cast<std::uint64_t>(scale));
    for (std::size_t i = 0; i < n; ++i) {
      const auto phase = static_cast<std::int64_t>(phases[i]);
      const std::int64_t moved = (phase > q / 2 ? phase - q : phase) + scale / 2;
      CHECK_EQ(found[i], moved >= 0 ? moved / scale : -((-moved + scale - 1) / scale));
    }
  }
  CHECK_THROWS_WITH(ArgumentError, key.decrypt_values(zeros, zeros, 0), "half of the modulus");
}

TEST(values_and_words_that_do_not_fit_are_refused) {
  const Masks masks(lattice(), PublicSeed(drawn_bytes()), n);
  RequestKey key(lattice(), Seed(drawn_bytes()), Digest{});
  const std::uint64_t scale = std::uint64_t{1} << 40, most = lattice()->modulus() / 2 / scale;
  std::vector<std::int64_t> values(n);
  CHECK_THROWS_WITH(ArgumentError, key.encrypt_values(masks, std::span(values).first(n - 1), scale),
                    "values for 2048 rows");
  values[5] = -static_cast<std::int64_t>(most) - 1;
  CHECK_THROWS_WITH(RangeError, key.encrypt_values(masks, values, scale), "more than half of the modulus");
  values[5] = std::numeric_limits<std::int64_t>::min();
  CHECK_THROWS_WITH(RangeError, key.encrypt_values(masks, values, scale), "more than half of the modulus");
  CHECK_THROWS_WITH(ArgumentError, key.encrypt_values(masks, values, 0), "from 1 to half");
  values[5] = -static_cast<std::int64_t>(most);
  key.encrypt_values(masks, values, scale);
  std::vector<std::uint16_t> words(4 * n, static_cast<std::uint16_t>(word_offset));
  CHECK_EQ(arranged(words, 1).front(), 128);
  words[7] = static_cast<std::uint16_t>(word_offset + 128);
  CHECK_THROWS_WITH(RangeError, arranged(words, 1), "one byte holds");
  CHECK_THROWS_WITH(ArgumentError, arranged(words, 3), "1 or 2");
  CHECK_THROWS_WITH(ArgumentError, arranged(std::span(words).first(2 * n), 1), "multiple of 4");
}

TEST(dither_leaves_a_uniform_error_whatever_the_value) {
  const PublicSeed seed(drawn_bytes());
  Residues values(5 * n);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? lattice()->modulus() - 1 : generator()() % lattice()->modulus();
  }
  for (const unsigned kept : {53U, 52U, 44U, 40U}) {
    const Residues sent = dithered(*lattice(), values, seed, kept);
    const Residues back = undithered(*lattice(), sent, seed, kept);
    const std::int64_t half = kept == 53 ? 0 : std::int64_t{1} << (52 - kept);
    std::int64_t least = 0, most = 0;
    double total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(sent[i] >> kept == 0);
      const auto q = static_cast<std::int64_t>(lattice()->modulus());
      std::int64_t error = (static_cast<std::int64_t>(back[i]) - static_cast<std::int64_t>(values[i]) + q) % q;
      error -= error > q / 2 ? q : 0;
      least = std::min(least, error);
      most = std::max(most, error);
      total += static_cast<double>(error);
    }
    CHECK(most <= half && (half == 0 ? least == 0 : least > -half));
    // 10,240 draws: their mean is within 7 standard deviations of one half.
    const double deviation = static_cast<double>(2 * half) / 3.46 / 101;
    CHECK(half == 0 || std::abs(total / static_cast<double>(values.size()) - 0.5) < 7 * deviation);
  }
}

TEST(bits_are_packed_and_unpacked) {
  const std::vector<std::uint64_t> values{1, 0, (1ULL << 44) - 1, 5};
  const std::vector<std::uint8_t> bytes = packed_bits(values, 44);
  CHECK_EQ(bytes.size(), 22U);
  CHECK(unpacked_bits(bytes, 44, 4) == values);
  CHECK_THROWS_WITH(FormatError, unpacked_bits(bytes, 44, 5), "bytes for 5 integers");
  const std::vector<std::uint8_t> ones{0xff};
  CHECK_THROWS_WITH(FormatError, unpacked_bits(ones, 3, 2), "belong to no integer");
  CHECK_THROWS_WITH(FormatError, unpacked_bits(bytes, 44, ~std::size_t{0} / 8), "bytes for");
}

TEST(requests_and_outputs_of_other_sizes_are_refused) {
  Request request{Residues(n), Residues(3 * n), Residues(3 * n)};
  const OpenedRequest zeros(lattice(), request);
  const OpenedRequest* const all[] = {&zeros};
  const std::vector<std::uint8_t> words(word_tile_bytes(n)), matrix(matrix_tile_bytes);
  const std::vector<std::int32_t> flip(3 * n);
  const auto scan = cpu::make_byte_scan(make_cpu_engine(1));
  CHECK_THROWS_WITH(ArgumentError, answers(*scan, all, {std::span(words).first(100), matrix, flip}),
                    "for 2048 rows it has");
  request.turn.pop_back();
  CHECK_THROWS_WITH(ArgumentError, OpenedRequest(lattice(), request), "keys of 6143");
  request.turn.push_back(lattice()->modulus());
  CHECK_THROWS_WITH(RangeError, OpenedRequest(lattice(), request), "not below the modulus");
}

}  // namespace

int main() { return check::run(); }
