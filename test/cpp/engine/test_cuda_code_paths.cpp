// SPDX-License-Identifier: Apache-2.0
// Which kernels the CUDA engine takes, from what a device can do and what its code was compiled for; needs no GPU.
#include "check.hpp"
#include "cyclotome/engine/cuda/code_paths.hpp"
#include "cyclotome/engine/cuda/few_limbs.hpp"

using namespace cyclotome::cuda;

namespace {

constexpr unsigned processors = 132;
constexpr Architecture architectures[] = {800, 860, 890, 900, 1000, 1030, 1200};
constexpr int of_data_centres = 2, of_desktops = 64;  // how many times as fast as doubles floats are

TEST(whole_limbs_need_the_code_and_the_device) {
  for (const Architecture device : architectures) {
    for (const Architecture loaded : architectures) {
      const CodePaths paths = code_paths(device, loaded, true, of_data_centres, processors);
      CHECK_EQ(paths.one_pass, device >= 900 && loaded >= 900);
      CHECK_EQ(paths.doubles, paths.one_pass);
    }
  }
}

TEST(intermediate_code_for_an_older_device_takes_the_general_path) {
  CHECK(!code_paths(900, 800, true, of_data_centres, processors).one_pass);
  CHECK(!code_paths(1200, 890, true, of_desktops, processors).one_pass);
  CHECK(code_paths(1000, 900, true, of_data_centres, processors).one_pass);
}

TEST(engines_may_forbid_whole_limbs) {
  for (const Architecture device : architectures)
    CHECK(!code_paths(device, device, false, of_data_centres, processors).one_pass);
  CHECK(!code_paths(900, 900, false, of_data_centres, processors).doubles);
}

TEST(doubles_only_where_they_are_fast) {
  const CodePaths paths = code_paths(1200, 1200, true, of_desktops, processors);
  CHECK(paths.one_pass);
  CHECK(!paths.doubles);
}

TEST(the_number_of_multiprocessors_is_the_devices) {
  CHECK_EQ(code_paths(900, 900, true, of_data_centres, 78).multiprocessors, 78u);
}

TEST(old_devices_are_refused) {
  CHECK_EQ(age_problem(750), "too old: compute capability 7.5, and at least 8.0 is needed");
  for (const Architecture device : architectures) CHECK_EQ(age_problem(device), "");
}

TEST(a_build_without_code_for_the_device_says_what_it_has) {
  const Architecture one[] = {800}, several[] = {800, 900};
  CHECK_EQ(missing_code(900, one),
           "this build has code for compute capability 8.0, none that a device of 9.0 can run; build it for this "
           "device: make install-cuda GPUS=90");
  const std::string text = missing_code(1210, several);
  CHECK(text.find("8.0, 9.0,") != std::string::npos);
  CHECK(text.find("12.1 can run") != std::string::npos);
  CHECK(text.find("GPUS=121") != std::string::npos);
}

TEST(few_limbs_are_counted_for_each_multiprocessor) {
  for (const Verb verb : {Verb::forward, Verb::inverse, Verb::product, Verb::key_product, Verb::key_switch,
                          Verb::key_switch_of_several}) {
    for (std::size_t degree = 1024; degree <= 65536; degree *= 2) {
      for (const std::size_t word_bytes : {4, 8}) {
        const std::size_t many = many_values(verb, degree, word_bytes);
        CHECK(many >= 2560);
        if (many > 65536) continue;
        const auto few = [&](std::size_t limbs, std::size_t on) {
          return word_bytes == 4 ? few_limbs<std::uint32_t>(verb, degree, limbs, on)
                                 : few_limbs<std::uint64_t>(verb, degree, limbs, on);
        };
        const std::size_t limbs = many * 132 / degree;
        CHECK(few(limbs > 1 ? limbs - 1 : 0, 132));
        CHECK(!few(limbs + 1, 132));
        CHECK(few(limbs + 1, 264));
      }
    }
  }
  // A product at 2^16 never fills a device with whole limbs of its own.
  CHECK(few_limbs<std::uint32_t>(Verb::product, 65536, std::size_t{1} << 20, 132));
  CHECK(!few_limbs<std::uint64_t>(Verb::product, 65536, std::size_t{1} << 20, 132));
}

TEST(digits_of_many_primes_are_extended_first) {
  CHECK(extends_first(8, 1024, 9, 132));
  CHECK(!extends_first(7, 16384, std::size_t{1} << 20, 132));
  CHECK(!extends_first(3, 32768, 27, 132));
  CHECK(extends_first(3, 32768, 27 * 32, 132));
  CHECK(!extends_first(2, 65536, std::size_t{1} << 20, 132));
}

}  // namespace

int main() { return cyclotome::check::run(); }
