// SPDX-License-Identifier: Apache-2.0
// Example 8: a client and a server with files between them. The client encrypts measurements; the server, which holds
// weights and no secret key, returns their weighted sum.
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>

#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;
namespace fs = std::filesystem;

/// A folder of its own, which goes with its owner.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("cyclotome-example-" + std::to_string(std::random_device{}()));
  Folder() { fs::create_directory(path); }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const char* name) const { return (path / name).string(); }
};

const std::string passphrase = "correct horse battery staple";

/// What the server has: the evaluation keys and the question. Its machine never sees more.
void server(const std::string& keys, const std::string& question, const std::string& answer, const Numbers& weights) {
  // Every byte is checked: a FormatError for what is damaged or forged, a SecurityError for parameters that are weak.
  // Limits say how large files may be, and what they may expand to.
  const StoredObject key_file = StoredObject::load(keys, {.max_bytes = std::uint64_t{1} << 30});
  const StoredObject question_file = StoredObject::load(question, {.max_bytes = std::uint64_t{1} << 26});
  const ContextPtr context = make_context(key_file.parameters(), make_cpu_engine());
  const EncryptedArray x = question_file.array(context).with_keys(key_file.evaluation_keys(context));
  // A RangeError if the sum could be larger than the parameters hold; a NoiseError if nobody could decrypt it.
  save(answer, matmul(x, weights).switch_to_least_level());
}

void files_and_keys() {
  const Folder folder;
  const std::string secret_path = folder / "secret.key", public_path = folder / "public.key",
                    evaluation_path = folder / "evaluation.key", question_path = folder / "question.cyc",
                    answer_path = folder / "answer.cyc";

  title("The client makes keys, once");
  {
    const ContextPtr context =
        make_context(suggest({.depth = 0, .value_bits = 6, .result_bits = 16}), make_cpu_engine());
    const Keys keys = keygen(context, {.relinearization = false});
    // All files or none; the secret key's is for its owner's eyes only, and encrypted under the passphrase.
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(passphrase.data());
    write_keys({secret_path, public_path, evaluation_path}, keys.secret, keys.public_key, keys.evaluation,
               {.passphrase = std::span(bytes, passphrase.size())});
  }
  for (const std::string& path : {secret_path, public_path, evaluation_path}) {
    const StoredObject object = StoredObject::load(path);
    std::cout << object.kind() << ": " << object.bytes() << " bytes\n";
  }
  check("the secret key's file is private", file_is_private(secret_path));

  title("The client asks");
  const Numbers measurements = {12, -7, 30, 5}, weights = {3, 1, -2, 4};
  {
    const StoredObject file = StoredObject::load(public_path);
    const ContextPtr context = make_context(file.parameters(), make_cpu_engine());
    save(question_path, encrypt(measurements, file.public_key(context), {.bound = 63}));  // public: no value beyond 63
  }
  std::cout << fs::file_size(question_path) << " bytes to the server\n";

  title("The server answers");
  server(evaluation_path, question_path, answer_path, weights);
  std::cout << fs::file_size(answer_path) << " bytes back\n";

  title("The client decrypts");
  const StoredObject secret_file = StoredObject::load(secret_path);
  const ContextPtr context = make_context(secret_file.parameters(), make_cpu_engine());
  const SecretKey secret = secret_file.secret_key(context, passphrase);
  const EncryptedArray sum = StoredObject::load(answer_path).array(context);
  check("the weighted sum", decrypt(sum, secret).to_int64(),
        {std::inner_product(weights.begin(), weights.end(), measurements.begin(), std::int64_t{0})});

  title("What is refused");
  check_refused<PassphraseError>("another passphrase", [&] { return secret_file.secret_key(context, "guess"); });
  Bytes bytes = read_file(answer_path, 1 << 26);
  bytes[bytes.size() / 2] ^= 1;
  check_refused<FormatError>("a file with one bit turned", [&] { return StoredObject(bytes); });
  bytes.resize(bytes.size() / 2);
  check_refused<FormatError>("half a file", [&] { return StoredObject(bytes); });
  const Keys others = keygen(context, {.relinearization = false, .rotations = {{}}});
  check_refused<MismatchError>("somebody else's secret key", [&] { return decrypt(sum, others.secret); });
  check_refused<FileError>("a file that is not there", [&] { return StoredObject::load(folder / "nothing"); });
}

}  // namespace

int main() { return run(files_and_keys); }
