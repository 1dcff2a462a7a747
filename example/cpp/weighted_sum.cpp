// SPDX-License-Identifier: Apache-2.0
// A client sends encrypted measurements; a server, which holds weights and no secret key, returns their weighted sum.
// What passes between them are bytes, as they would stand in files.

#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/io/ciphertext_io.hpp"
#include "cyclotome/io/container.hpp"
#include "cyclotome/io/keys_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace {

namespace rlwe = cyclotome::rlwe;
namespace scheme = cyclotome::scheme;
using cyclotome::Encoding;
using cyclotome::Seed;
using cyclotome::io::Bytes;
using cyclotome::io::Container;

using Numbers = std::vector<std::int64_t>;

rlwe::Plaintext in_slots(const rlwe::ContextPtr& context, const Numbers& numbers) {
  return cyclotome::encode_residues(context, 0, Encoding::Kind::slots, numbers, 1, numbers.size());
}

Bytes server(const Bytes& key_bytes, const Bytes& question_bytes, const Numbers& weights) {
  const Container key_file(key_bytes), question_file(question_bytes);  // checks every byte, or throws FormatError
  const auto context = scheme::make_context(key_file.parameters(), cyclotome::CpuEngine::create());
  const auto keys = cyclotome::io::read_evaluation_keys(key_file, context);
  const auto question = cyclotome::io::read_ciphertext(question_file, context);
  const auto products = rlwe::multiply_plain(question, in_slots(context, weights));
  return cyclotome::io::serialize(rlwe::sum_slots(products, keys));  // the sum stands in every slot
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

  const auto context = scheme::make_context(parameters, cyclotome::CpuEngine::create());
  const auto secret = rlwe::SecretKey::generate(context, Seed::from_system());
  const auto rotations = rlwe::slot_sum_elements(context->degree());
  const auto evaluation = rlwe::EvaluationKeys::generate(secret, false, rotations, Seed::from_system());
  const auto question = scheme::encrypt(in_slots(context, measurements), secret, Seed::from_system());

  const Bytes answer = server(cyclotome::io::serialize(evaluation), cyclotome::io::serialize(question), weights);

  const auto sum = cyclotome::io::read_ciphertext(Container(answer), context);
  const auto result = cyclotome::decode_residues(scheme::decrypt(sum, secret), Encoding::Kind::slots).at(0);
  const auto expected = std::inner_product(weights.begin(), weights.end(), measurements.begin(), std::int64_t{0});
  std::cout << "weighted sum " << result << ", " << scheme::noise_headroom(sum) << " bits of noise headroom left\n";
  return result == expected ? 0 : 1;
} catch (const cyclotome::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
