// SPDX-License-Identifier: Apache-2.0
// Times operations of both schemes on several CUDA engines of one process, call by call in turns, so that what slows
// the machine down slows all of them. Each argument makes an engine of that label; a number is the only degree to be
// timed, items=N the only batch, and only=TEXT leaves out operations that have no TEXT in their name. Prints a JSON
// line for each operation and engine: medians of the host clock around a call that ends with a synchronisation, and of
// one call among many. A last line compares each engine with the first.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "engines.hpp"
// This file is built in older trees too, for comparisons: they may have neither programs nor schemes as objects.
#if __has_include("programs.hpp")
#define WITH_PROGRAMS
#include "cyclotome/engine/poly.hpp"
#include "programs.hpp"
#include "seed.hpp"
#endif
#if __has_include("cyclotome/scheme/bfv/scheme.hpp")
#define WITH_SCHEMES
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#endif

using namespace cyclotome;

namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double microseconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// An engine, and what a ciphertext needs there.
struct Side {
  std::string label;
  std::shared_ptr<CudaEngine> engine;
  struct Objects {
    rlwe::SecretKey secret;
    rlwe::PublicKey key;
    rlwe::EvaluationKeys evaluation;
    rlwe::Plaintext message;
    rlwe::Ciphertext c, d;
  };
  std::unique_ptr<Objects> objects;
};

/// Number 0 of the plaintext moduli, whichever type the tree has for it.
struct FirstModulus {
  template <class T>
  operator T() const {
    return T(0);
  }
};

void make_objects(Side& side, const rlwe::Parameters& parameters, std::size_t batch) {
  const auto context = scheme::make_context(parameters, side.engine);
  auto secret = rlwe::SecretKey::generate(context);
  auto key = rlwe::PublicKey::generate(secret);
  auto evaluation = rlwe::EvaluationKeys::generate(secret, true, {3});
  const std::vector<std::int64_t> values(batch * parameters.degree(), 5);
  auto message = encode_residues(context, FirstModulus(), Encoding::Kind::slots, values, batch, parameters.degree());
  auto c = scheme::encrypt(message, key), d = scheme::encrypt(message, key);
  side.objects = std::make_unique<Side::Objects>(Side::Objects{std::move(secret), std::move(key), std::move(evaluation),
                                                               std::move(message), std::move(c), std::move(d)});
}

/// What is done on a side, by its number.
using Operation = std::function<void(std::size_t)>;

/// What an operation takes on each side.
class Comparison {
 public:
  /// only: what the names of operations have to contain.
  Comparison(std::vector<Side>& sides, std::string only)
      : sides_(sides), only_(std::move(only)), ratios_(sides.size()), differences_(sides.size()) {}

  void time(const std::string& where, const std::string& name, std::size_t batch, const Operation& operation) {
    if (name.find(only_) == std::string::npos) return;
    const unsigned turns = batch == 1 ? 60 : 12, burst = batch == 1 ? 40 : 4;
    std::vector<std::vector<double>> alone(sides_.size()), among(sides_.size());
    for (std::size_t k = 0; k < sides_.size(); ++k) {
      for (int i = 0; i < 8; ++i) operation(k);
      sides_[k].engine->synchronize();
    }
    for (unsigned turn = 0; turn < turns; ++turn) {
      for (std::size_t i = 0; i < sides_.size(); ++i) {
        const std::size_t k = turn % 2 == 0 ? i : sides_.size() - 1 - i;
        const auto& engine = sides_[k].engine;
        alone[k].push_back(microseconds([&] {
          operation(k);
          engine->synchronize();
        }));
        if (turn % 4 >= 2) continue;
        const double all = microseconds([&] {
          for (unsigned j = 0; j < burst; ++j) operation(k);
          engine->synchronize();
        });
        among[k].push_back(all / burst);
      }
    }
    for (std::size_t k = 0; k < sides_.size(); ++k) {
      const double one = median(alone[k]), many = median(among[k]);
      std::vector<double> paired;
      for (unsigned turn = 0; turn < turns; ++turn) paired.push_back(alone[k][turn] - alone[0][turn]);
      std::printf(
          "{%s, \"operation\": \"%s\", \"batch\": %zu, \"engine\": \"%s\", \"alone_us\": %.2f, \"among_us\": %.2f, "
          "\"alone_minus_first_us\": %.2f}\n",
          where.c_str(), name.c_str(), batch, sides_[k].label.c_str(), one, many, median(paired));
      ratios_[k].push_back(std::log(one / median(alone[0])));
      if (batch == 1) differences_[k].push_back(median(paired));
    }
    std::fflush(stdout);
  }

  void summarise() const {
    if (ratios_.front().empty()) return;
    for (std::size_t k = 0; k < sides_.size(); ++k) {
      double sum = 0, worst = -1e300;
      for (const double ratio : ratios_[k]) sum += ratio;
      for (const double difference : differences_[k]) worst = std::max(worst, difference);
      std::printf(
          "{\"summary\": \"%s\", \"mean_ratio\": %.4f, \"median_difference_us\": %.2f, \"worst_difference_us\": "
          "%.2f}\n",
          sides_[k].label.c_str(), std::exp(sum / static_cast<double>(ratios_[k].size())),
          differences_[k].empty() ? 0 : median(differences_[k]), differences_[k].empty() ? 0 : worst);
    }
  }

 private:
  std::vector<Side>& sides_;
  std::string only_;
  std::vector<std::vector<double>> ratios_, differences_;
};

#ifdef WITH_SCHEMES
const auto* const bfv_scheme = &bfv::scheme();
const auto* const bgv_scheme = &bgv::scheme();
#else
constexpr auto bfv_scheme = rlwe::SchemeKind::bfv;
constexpr auto bgv_scheme = rlwe::SchemeKind::bgv;
#endif

void time_scheme(std::vector<Side>& sides, Comparison& comparison, const std::string& scheme, std::size_t degree,
                 unsigned log_q, std::size_t batch) {
  const rlwe::Parameters parameters =
      check::planned(scheme == "bfv" ? bfv_scheme : bgv_scheme, degree, log_q, Word::u32, false);
  for (Side& side : sides) make_objects(side, parameters, batch);
  const std::string where = "\"scheme\": \"" + scheme + "\", \"degree\": " + std::to_string(degree);
  const auto time = [&](const char* name, const auto& operation) {
    comparison.time(where, name, batch, [&](std::size_t k) { operation(*sides[k].objects); });
  };
  time("multiply_relinearize",
       [](const Side::Objects& o) { static_cast<void>(scheme::multiply_relinearized(o.c, o.d, o.evaluation)); });
  time("rotate", [](const Side::Objects& o) { static_cast<void>(rlwe::apply_galois(o.c, 3, o.evaluation)); });
  time("encrypt", [](const Side::Objects& o) { static_cast<void>(scheme::encrypt(o.message, o.key)); });
  time("decrypt", [](const Side::Objects& o) { static_cast<void>(scheme::decrypt(o.c, o.secret)); });
  // Operands and results move with every call.
  struct Moving {
    std::vector<rlwe::Ciphertext> operands, results;
    std::size_t calls = 0;
  };
  std::map<const Side::Objects*, Moving> moving;
  for (const Side& side : sides) {
    for (int i = 0; i < 5; ++i) {
      moving[side.objects.get()].operands.push_back(scheme::encrypt(side.objects->message, side.objects->key));
    }
  }
  time("multiply_relinearize, moving", [&](const Side::Objects& o) {
    auto& [operands, results, calls] = moving[&o];
    const std::size_t k = calls++;
    if (results.size() == 7) results.clear();
    results.push_back(scheme::multiply_relinearized(operands[k % 5], operands[(k + 2) % 5], o.evaluation));
  });
  moving.clear();
  for (Side& side : sides) side.objects.reset();
}

#ifdef WITH_PROGRAMS
/// The programs themselves, on operands that stay, or move with every call.
void time_programs(std::vector<Side>& sides, Comparison& comparison, const check::Bases& bases, std::size_t batch) {
  const std::string where = "\"scheme\": \"none\", \"degree\": " + std::to_string(bases.q->degree());
  std::size_t number = 0;
  for (const program::ProgramPtr& program : check::programs(bases)) {
    ++number;
    struct Runs {
      ExecutionPtr execution;
      std::vector<std::vector<PolyArray>> arrays;  // operands of several calls
      std::size_t calls = 0;
    };
    std::vector<Runs> runs(sides.size());
    for (std::size_t k = 0; k < sides.size(); ++k) {
      runs[k].execution = sides[k].engine->prepare(program);
      for (int copy = 0; copy < 3; ++copy) {
        auto& arrays = runs[k].arrays.emplace_back();
        for (const std::uint32_t v : program->operands()) {
          const program::Value& value = program->values()[v];
          arrays.emplace_back(sides[k].engine, value.ring, value.items == program::each ? batch : value.items,
                              value.parts, value.domain, value.secret);
          if (value.role != program::Value::Role::input) continue;
          sides[k].engine->sample(arrays.back().view(), Law::uniform, check::seed(7), Stream::secret);
        }
      }
    }
    const Seed seed = check::seed(1);
    for (const bool moving : {false, true}) {
      const std::string name =
          std::to_string(number) + ". " + std::string(program->name()) + (moving ? ", moving" : "");
      comparison.time(where, name, batch, [&](std::size_t k) {
        Runs& run = runs[k];
        auto& arrays = run.arrays[moving ? run.calls++ % run.arrays.size() : 0];
        std::vector<Operand> operands;
        for (std::size_t i = 0; i < arrays.size(); ++i) {
          operands.emplace_back(check::operand_view(program->values()[program->operands()[i]], arrays[i].view()));
        }
        const Seed* const seeds[] = {&seed};
        run.execution->run(operands, {seeds, program->seeds()});
      });
    }
  }
}
#endif

}  // namespace

int main(int count, char** arguments) {
  if (!check::has_device()) return check::skipped;
  std::vector<Side> sides;
  std::size_t only = 0, items = 0;
  std::string operations;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (const std::size_t degree = std::strtoul(arguments[i], nullptr, 10); degree != 0) {
      only = degree;
      continue;
    }
    if (argument.starts_with("items=")) {
      items = std::strtoul(arguments[i] + 6, nullptr, 10);
      continue;
    }
    if (argument.starts_with("only=")) {
      operations = argument.substr(5);
      continue;
    }
    sides.push_back({argument, CudaEngine::create(0), nullptr});
  }
  if (sides.empty()) sides.push_back({"default", CudaEngine::create(0), nullptr});
  Comparison comparison(sides, operations);
  const auto wanted = [&](std::size_t degree) { return only == 0 || only == degree; };
  for (const std::size_t batch : {std::size_t{1}, std::size_t{64}}) {
    if (items != 0 && items != batch) continue;
#ifdef WITH_PROGRAMS
    if (wanted(4096)) time_programs(sides, comparison, check::Bases(4096, Word::u32, 3, 1, 1, 30), batch);
    if (wanted(16384)) time_programs(sides, comparison, check::Bases(16384, Word::u32, 12, 3, 3, 30), batch);
#endif
    for (const char* const scheme : {"bfv", "bgv"}) {
      for (const auto& [degree, log_q] :
           {std::pair<std::size_t, unsigned>{4096, 72}, {8192, 174}, {16384, 372}, {32768, 750}}) {
        if (wanted(degree)) time_scheme(sides, comparison, scheme, degree, log_q, batch);
      }
    }
  }
  comparison.summarise();
  return 0;
}
