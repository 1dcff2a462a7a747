// SPDX-License-Identifier: Apache-2.0
// Which kernels the CUDA engine takes, from what a device can do and what its code was compiled for; needs no GPU.
#include "check.hpp"
#include "cyclotome/engine/cuda/code_paths.hpp"

using namespace cyclotome::cuda;

namespace {

constexpr Architecture architectures[] = {800, 860, 890, 900, 1000, 1030, 1200};
constexpr int of_data_centres = 2, of_desktops = 64;  // how many times as fast as doubles floats are

TEST(whole_limbs_need_the_code_and_the_device) {
  for (const Architecture device : architectures) {
    for (const Architecture loaded : architectures) {
      const CodePaths paths = code_paths(device, loaded, true, of_data_centres);
      CHECK_EQ(paths.one_pass, device >= 900 && loaded >= 900);
      CHECK_EQ(paths.doubles, paths.one_pass);
    }
  }
}

TEST(intermediate_code_for_an_older_device_takes_the_general_path) {
  CHECK(!code_paths(900, 800, true, of_data_centres).one_pass);
  CHECK(!code_paths(1200, 890, true, of_desktops).one_pass);
  CHECK(code_paths(1000, 900, true, of_data_centres).one_pass);
}

TEST(engines_may_forbid_whole_limbs) {
  for (const Architecture device : architectures) CHECK(!code_paths(device, device, false, of_data_centres).one_pass);
  CHECK(!code_paths(900, 900, false, of_data_centres).doubles);
}

TEST(doubles_only_where_they_are_fast) {
  const CodePaths paths = code_paths(1200, 1200, true, of_desktops);
  CHECK(paths.one_pass);
  CHECK(!paths.doubles);
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

}  // namespace

int main() { return cyclotome::check::run(); }
