// SPDX-License-Identifier: Apache-2.0
// Runs the fuzz target over files and folders, for compilers without libFuzzer: replay PATH...

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <vector>

#include "cyclotome/io/files/file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (int i = 1; i < count; ++i) {
    if (fs::is_directory(arguments[i])) {
      for (const auto& entry : fs::directory_iterator(arguments[i])) files.push_back(entry.path());
    } else {
      files.emplace_back(arguments[i]);
    }
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    try {
      const cyclotome::io::Bytes bytes = cyclotome::io::read_file(file.string(), 1U << 24);
      static_cast<void>(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()));
    } catch (const std::exception& error) {
      std::cerr << file.string() << ": " << error.what() << '\n';
      return 1;
    }
  }
  std::cout << files.size() << " inputs\n";
  return files.empty() ? 1 : 0;
}
