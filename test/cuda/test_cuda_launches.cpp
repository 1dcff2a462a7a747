// SPDX-License-Identifier: Apache-2.0
// What the CUDA engine launches for usual operations, kernel by kernel: a launch more is a microsecond more. All of it
// is decided on the host, so this needs no GPU.
//
//   test_cuda_launches FOLDER            compares
//   test_cuda_launches FOLDER --write    writes the file anew
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "../kit/canonical.hpp"
#include "check.hpp"
#include "cyclotome/engine/cuda/graph/launches.hpp"
#include "cyclotome/rlwe/keys/encryption_program.hpp"
#include "cyclotome/rlwe/switching/key_switch_program.hpp"
#include "cyclotome/scheme/bfv/decryption_program.hpp"
#include "cyclotome/scheme/bfv/product_program.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/programs.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "engines.hpp"
#include "programs.hpp"

using namespace cyclotome;
using check::Bases;
using cuda::CodePaths;
using cuda::Launches;

namespace {

std::string folder;  ///< of the file of launches
bool writes = false;

constexpr CodePaths whole_limbs{.one_pass = true, .doubles = true, .multiprocessors = 132},
    general{.multiprocessors = 132};
constexpr std::size_t many = 100;  ///< items that fill a device
using Names = std::vector<std::string_view>;

const Bases& small() {
  static const Bases bases(4096, Word::u32, 3, 1, 1, 30);
  return bases;
}

/// Digits of several primes.
const Bases& large() {
  static const Bases bases(16384, Word::u32, 12, 3, 3, 30);
  return bases;
}

bool equal(const Names& found, const Names& expected) {
  if (found == expected) return true;
  for (const std::string_view name : found) std::cout << "  \"" << name << "\",\n";
  return false;
}

Names kernels(const program::ProgramPtr& program, std::size_t items, CodePaths paths = whole_limbs) {
  return launches_of(*program, items, paths).kernels;
}

Names kernels(const Execution& execution, std::size_t items) {
  return launches_of(execution.program(), items, whole_limbs).kernels;
}

TEST(a_bfv_product_is_seven_launches_and_five_in_a_batch) {
  const auto program = check::bfv_product(small());
  CHECK(equal(launches_of(*program, 1, whole_limbs).steps,
              {"hps_lift", "multiply_ciphertexts", "divide_and_round", "key_switch"}));
  CHECK(equal(kernels(program, 1), {"lift", "transforms", "product", "division with rounding", "extension of digits",
                                    "key switch", "division with rounding"}));
  CHECK(equal(kernels(program, many),
              {"lift", "product", "division with rounding", "key switch", "division with rounding"}));
}

TEST(digits_of_several_primes_are_one_launch_more) {
  CHECK_EQ(kernels(check::bfv_product(large()), 1).size(), std::size_t{8});
  CHECK_EQ(kernels(check::bfv_product(large()), many).size(), std::size_t{6});
}

TEST(squares_and_shared_factors_take_as_many) {
  for (const bool square : {false, true}) {
    const auto program = check::bfv_product(small(), square, !square);
    CHECK_EQ(kernels(program, 1).size(), std::size_t{7});
    CHECK_EQ(kernels(program, many).size(), std::size_t{5});
  }
}

TEST(a_bgv_product) {
  const auto program = check::bgv_product(small());
  CHECK(equal(launches_of(*program, 1, whole_limbs).steps, {"tensor_product", "key_switch"}));
  CHECK(equal(kernels(program, 1), {"tensor product", "transform", "extension of digits", "key switch"}));
  CHECK(equal(kernels(program, many),
              {"tensor product", "transform", "key switch", "base conversion", "transform", "division"}));
}

/// On integers, and on doubles.
TEST(a_bgv_product_of_64_bit_words_takes_as_many) {
  for (const unsigned bits : {60u, 49u}) {
    const auto program = check::bgv_product(Bases(4096, Word::u64, 3, 1, 1, bits));
    CHECK_EQ(kernels(program, 1).size(), std::size_t{4});
    CHECK_EQ(kernels(program, many).size(), std::size_t{6});
  }
}

/// Five special primes are too many for a thread's registers.
TEST(a_division_by_many_primes_is_launches_of_its_own) {
  CHECK_EQ(kernels(check::bgv_product(Bases(4096, Word::u32, 3, 4, 1, 30)), 1).size(), std::size_t{4});
  CHECK_EQ(kernels(check::bgv_product(Bases(4096, Word::u32, 3, 5, 1, 30)), 1).size(), std::size_t{7});
}

TEST(rotations) {
  CHECK(equal(kernels(check::rotation(small(), Domain::coefficient, 3), 1),
              {"automorphism", "extension of digits", "key switch", "division with rounding"}));
  CHECK_EQ(kernels(check::rotation(small(), Domain::transform, 3), 1).size(), std::size_t{4});
}

TEST(hoisted_turns_multiply_what_they_turn) {
  program::Builder b("turned product");
  const RingPtr& ring = small().all;
  const program::Slice out = b.output(ring, 2, Domain::transform), digits = b.input(ring, 3, Domain::transform);
  program::turned_product(b, out, digits, small().key(b), 3);
  const program::ProgramPtr program = b.finish();
  for (const CodePaths paths : {whole_limbs, general}) {
    CHECK(equal(launches_of(*program, 1, paths).steps, {"turned_product"}));
    CHECK(equal(kernels(program, many, paths), {"turned product"}));
  }
}

TEST(encryption_and_decryption_zeroise_at_the_end) {
  CHECK(
      equal(kernels(check::encryption(small(), Domain::coefficient), 1),
            {"base conversion", "sampling", "sampling", "product with a key", "division with rounding", "zeroising"}));
  CHECK(equal(kernels(check::bfv_decryption(small()), 1), {"product with a key", "decryption", "zeroising"}));
  CHECK(equal(kernels(check::bgv_decryption(small()), 1),
              {"pointwise", "pointwise", "transform", "base conversion", "zeroising"}));
}

constexpr rlwe::PlainIndex first(0);  ///< plaintext modulus

/// How messages get to a context's Q: which conversion it is makes no launch more or less.
BaseConversion message_scale(const rlwe::Context& context, Lift lift) {
  return {context.plain_ring(first)->basis(), context.level_ring(context.max_level())->basis(), lift};
}

/// A scheme's own programs, on an engine of no matter.
rlwe::ContextPtr context(const rlwe::Scheme& scheme) {
  return scheme::make_context(check::planned(&scheme, 4096, 72, Word::u32, false), check::host());
}

TEST(bfv_launches_as_few_kernels_as_can_be) {
  const auto on = context(bfv::scheme());
  const bfv::Context& bfv = bfv::bfv_context(on);
  const rlwe::Level top = bfv.max_level();
  bfv::ProductShape shape{first, bfv::ProductMethod::hps_over_q, top, false, false, false, true};
  CHECK_EQ(kernels(bfv::product_program(bfv, shape), 1).size(), std::size_t{7});
  CHECK_EQ(kernels(bfv::product_program(bfv, shape), many).size(), std::size_t{5});
  shape.relinearized = false;
  CHECK_EQ(kernels(bfv::product_program(bfv, shape), 1).size(), std::size_t{4});
  CHECK_EQ(kernels(*rlwe::relinearization(bfv, {first, top, top, top}), 1).size(), std::size_t{3});
  CHECK_EQ(kernels(*rlwe::galois_turn(bfv, {first, top, top, top}, 3), 1).size(), std::size_t{4});
  const BaseConversion scale = message_scale(bfv, Lift::fast);
  CHECK(
      equal(kernels(*rlwe::public_encryption(bfv, first, &scale), 1),
            {"base conversion", "sampling", "sampling", "product with a key", "division with rounding", "zeroising"}));
  CHECK(equal(kernels(*bfv::decryption(bfv, bfv.max_level(), first, 2, Domain::coefficient), 1),
              {"product with a key", "decryption", "zeroising"}));
}

TEST(bgv_launches_as_few_kernels_as_can_be) {
  const auto on = context(bgv::scheme());
  const bgv::Context& bgv = bgv::bgv_context(on);
  const rlwe::Level top = bgv.max_level();
  const bgv::ProductShape shape{first, top, top, top, false, false, false, true};
  const BaseConversion scale = message_scale(bgv, Lift::centred);
  CHECK_EQ(kernels(*bgv::product(bgv, shape), 1).size(), std::size_t{4});
  CHECK_EQ(kernels(*rlwe::galois_turn(bgv, {first, top, top, top}, 3), 1).size(), std::size_t{4});
  CHECK_EQ(kernels(*bgv::decryption(bgv, first, top, 2, 1), 1).size(), std::size_t{5});
  CHECK_EQ(kernels(*rlwe::public_encryption(bgv, first, &scale), 1).size(), std::size_t{8});
}

std::string joined(const Names& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

/// Every operation of both schemes, kernel by kernel, against a file: a composite that this engine no longer knows, or
/// a kernel more, shows as a line that differs.
TEST(every_operation_launches_what_is_on_file) {
  std::string text;
  for (const kit::NamedContext& context : kit::small_contexts(4096)) {
    for (const kit::NamedProgram& named : kit::canonical_programs(context.context)) {
      for (const std::size_t items : {std::size_t{1}, many}) {
        const Names found = kernels(named.program, items);
        text += context.name + ": " + named.name + ": " + (items == 1 ? "one" : "many") + ": " +
                std::to_string(found.size()) + ": " + joined(found) + "\n";
      }
      text += context.name + ": " + named.name +
              ": general: " + std::to_string(kernels(named.program, 1, general).size()) + "\n";
    }
  }
  const std::filesystem::path path = std::filesystem::path(folder) / "launches-cuda.txt";
  if (writes) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream in(path);
  std::stringstream held;
  held << in.rdbuf();
  std::istringstream before(held.str()), after(text);
  for (std::string a, b; std::getline(after, b);) {
    if (std::getline(before, a) && a == b) continue;
    std::cout << "  was " << a << "\n  is  " << b << "\n  --write makes " << path << " anew\n";
    break;
  }
  CHECK(held.str() == text);
}

TEST(what_is_public_is_not_zeroised) {
  for (const auto& program :
       {check::bfv_product(small()), check::bgv_product(small()), check::rotation(small(), Domain::transform, 3)}) {
    for (const std::string_view kernel : kernels(program, 1)) CHECK(kernel != "zeroising");
  }
}

TEST(code_that_does_not_hold_limbs_launches_more_and_the_same_each_time) {
  const auto program = check::bfv_product(small());
  CHECK(equal(launches_of(*program, 1, general).steps,
              {"hps_lift", "forward", "forward", "tensor_product", "inverse", "divide_and_round", "convert", "convert",
               "convert", "forward", "key_switch_product", "inverse", "divide_and_round"}));
  CHECK(equal(kernels(program, 1, general), kernels(program, 2, general)));
}

TEST(a_graph_reuses_memory) {
  // Lifts of both factors, then their product, then three parts and what a key switch needs.
  const Bases& bases = small();
  const std::size_t limb = 4096 * 4, both = bases.hps.product_ring->limbs(), key = bases.all->limbs();
  const std::size_t all = (7 * both + 3 * bases.q->limbs() + 5 * key) * limb;
  CHECK(launches_of(*check::bfv_product(bases), 1, whole_limbs).scratch_bytes <= all * 3 / 4);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::cerr << "test_cuda_launches FOLDER [--write]\n";
    return 2;
  }
  folder = arguments[1];
  writes = count > 2 && std::string_view(arguments[2]) == "--write";
  return check::run();
}
