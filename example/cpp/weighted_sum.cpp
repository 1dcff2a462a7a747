// SPDX-License-Identifier: Apache-2.0
// A client sends encrypted measurements; a server, which holds weights and no secret key, returns their weighted sum.
// What passes between them are bytes, as they would stand in files.

#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>

#include "cyclotome/engine/cpu/cpu.hpp"
#include "cyclotome/io/array_io.hpp"
#include "cyclotome/io/container.hpp"
#include "cyclotome/io/keys_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "cyclotome/value/value.hpp"

namespace {

namespace rlwe = cyclotome::rlwe;
namespace scheme = cyclotome::scheme;
using cyclotome::io::Bytes;
using cyclotome::io::Container;
using namespace cyclotome::value;

using Numbers = std::vector<std::int64_t>;

Bytes server(const Bytes& key_bytes, const Bytes& question_bytes, const Numbers& weights) {
  const Container key_file(key_bytes), question_file(question_bytes);  // checks every byte, or throws FormatError
  const auto context = scheme::make_context(key_file.parameters(), cyclotome::make_cpu_engine());
  const auto keys = cyclotome::io::read_evaluation_keys(key_file, context);
  const EncryptedArray question = cyclotome::io::read_array(question_file, context).with_keys(keys);
  // A RangeError if the sum could be larger than the parameters hold; a NoiseError if nobody could decrypt it.
  return cyclotome::io::serialize(matmul(question, weights));
}

}  // namespace

int main() try {
  const Numbers measurements = {12, -7, 30, 5}, weights = {3, 1, -2, 4};

  scheme::Intent intent;
  intent.depth = 0;
  intent.value_bits = 6;
  intent.result_bits = 16;
  const rlwe::Parameters parameters = scheme::suggest(intent);
  std::cout << scheme::explain(parameters);

  const auto context = scheme::make_context(parameters, cyclotome::make_cpu_engine());
  const auto secret = rlwe::SecretKey::generate(context);
  const auto rotations = rlwe::slot_sum_elements(context->galois());
  const auto evaluation = rlwe::EvaluationKeys::generate(secret, false, rotations);
  const EncryptedArray question = encrypt(measurements, secret, {.bound = 63});  // public: no value is beyond 63

  const Bytes answer = server(cyclotome::io::serialize(evaluation), cyclotome::io::serialize(question), weights);

  const EncryptedArray sum = cyclotome::io::read_array(Container(answer), context);
  const std::int64_t result = decrypt(sum, secret).to_int64().at(0);
  const auto expected = std::inner_product(weights.begin(), weights.end(), measurements.begin(), std::int64_t{0});
  std::cout << "weighted sum " << result << ", of at most " << sum.bound().largest().to_string() << "; "
            << sum.noise_headroom() << " bits of noise headroom left\n";
  return result == expected ? 0 : 1;
} catch (const cyclotome::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
