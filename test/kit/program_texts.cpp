// SPDX-License-Identifier: Apache-2.0
// The canonical programs as text, and in which steps cores do them, against files: a change of mathematics, or a
// composite that an engine no longer knows, shows as a difference of some lines. And how much memory they take.
//
//   program_texts FOLDER            compares
//   program_texts FOLDER --write    writes the files anew
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "../cpp/check.hpp"
#include "../cpp/seed.hpp"
#include "canonical.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/running/interpreter.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "runs.hpp"

using namespace cyclotome;
using namespace cyclotome::kit;

namespace {

std::filesystem::path folder;
bool writes = false;

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const auto word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

void compare(const std::string& file, const std::string& text) {
  const auto path = folder / file;
  if (writes) {
    std::filesystem::create_directories(folder);
    std::ofstream(path) << text;
    return;
  }
  std::ifstream in(path);
  std::stringstream held;
  held << in.rdbuf();
  if (held.str() != text) {
    std::cout << "  " << path << " holds another text; look at what --write makes of it\n";
    std::istringstream before(held.str()), after(text);
    std::string a, b;
    for (int line = 1; std::getline(after, b); ++line) {
      if (std::getline(before, a) && a == b) continue;
      std::cout << "  line " << line << "\n    was " << a << "\n    is  " << b << '\n';
      break;
    }
  }
  CHECK(held.str() == text);
}

TEST(texts_and_steps_are_those_on_file) {
  const auto cpu = CpuEngine::create(1);
  std::string steps;
  for (const NamedContext& context : small_contexts(1024)) {
    std::string text;
    for (const NamedProgram& named : canonical_programs(context.context)) {
      text += "# " + named.name + "\n" + named.program->text() + "\n";
      const auto execution = cpu->prepare(named.program);
      steps += context.name + ": " + named.name + ": " + std::to_string(execution->steps().size()) + ": " +
               joined(execution->steps()) + "\n";
    }
    std::string file = context.name + ".txt";
    for (char& c : file) c = c == ' ' || c == ',' || c == '+' ? '-' : c;
    if (context.name.ends_with("3+1")) compare(file, text);  // the others differ in numbers of limbs and digits
  }
  compare("steps-cpu.txt", steps);
}

/// Steps that operations are known to take: where a composite is not recognised, time is lost without any error.
TEST(operations_take_the_steps_they_are_known_to_take) {
  const auto cpu = CpuEngine::create(1);
  const auto contexts = small_contexts(128);
  const auto steps_of = [&](std::size_t context, const char* name) {
    for (const NamedProgram& named : canonical_programs(contexts[context].context)) {
      if (named.name == name) return cpu->prepare(named.program)->steps().size();
    }
    return std::size_t{0};
  };
  constexpr std::size_t bfv = 0, bgv = 8;
  CHECK_EQ(steps_of(bfv, "multiply and relinearize"), std::size_t{7});
  CHECK_EQ(steps_of(bgv, "multiply and relinearize"), std::size_t{2});
  for (const std::size_t scheme : {bfv, bgv}) {
    CHECK_EQ(steps_of(scheme, "rotate"), std::size_t{2});
    CHECK_EQ(steps_of(scheme, "relinearize"), std::size_t{1});
  }
}

/// What an operation takes besides its result, for one ciphertext at 4096: exactly, since lives of temporaries are.
TEST(operations_take_the_memory_they_are_known_to_take) {
  const auto engine = CpuEngine::create(1);
  for (const rlwe::Scheme* const scheme : {&bfv::scheme(), &bgv::scheme()}) {
    rlwe::ParametersLiteral literal;
    literal.scheme = scheme;
    literal.degree = 4096;
    literal.plain_moduli = {65537};
    const auto context = scheme::make_context(scheme::with_modulus_bits(literal, 72), engine);
    const auto secret = rlwe::deterministic::generate_secret_key(context, check::seed(1));
    const auto keys = rlwe::deterministic::generate_evaluation_keys(secret, true, {3}, check::seed(2));
    const std::vector<std::int64_t> values(4096, 3);
    const auto plain = encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, 1, 4096);
    for (const std::size_t batch : {1U, 32U}) {
      const auto one = scheme::deterministic::encrypt(plain, secret, check::seed(3));
      std::vector<const rlwe::Ciphertext*> many(batch, &one);
      const auto x = rlwe::concatenate(many);
      static_cast<void>(scheme::multiply_relinearized(x, x, keys));  // what is made on first use
      const std::size_t before = engine->memory_used();
      engine->reset_memory_peak();
      const auto product = scheme::multiply_relinearized(x, x, keys);
      const std::size_t temporaries = engine->memory_peak() - before - product.polynomials().bytes();
      const std::size_t expected =  // KiB
          scheme == &bfv::scheme() ? (batch == 1 ? 1120 : 3456) : (batch == 1 ? 864 : 7936);
      std::cout << "  " << context->parameters().summary() << ", " << batch << ": " << temporaries / 1024 << " KiB\n";
      CHECK_EQ(temporaries / 1024, expected);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "program_texts FOLDER [--write]\n";
    return 2;
  }
  folder = argv[1];
  writes = argc > 2 && std::string(argv[2]) == "--write";
  return cyclotome::check::run();
}
