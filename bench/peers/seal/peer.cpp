// SPDX-License-Identifier: Apache-2.0
// Microsoft SEAL, built from its sources, with Intel HEXL or without, as a contestant of `cyclotome bench`.
#include "../peer.hpp"

#include <seal/seal.h>

namespace {

using namespace seal;

class SealPeer : public peer::Peer {
 public:
  explicit SealPeer(const peer::Problem& problem)
      : context_(parameters(problem)),
        generator_(checked(context_)),
        encoder_(context_),
        evaluator_(context_),
        decryptor_(context_, generator_.secret_key()),
        encryptor_(context_, public_key()) {
    encoder_.encode(problem.x, plain_);
    encoder_.encode(problem.y, other_);
    encryptor_.encrypt(plain_, x_);
    encryptor_.encrypt(other_, y_);
    generator_.create_relin_keys(relinearization_);
    if (context_.first_context_data()->qualifiers().using_batching)
      generator_.create_galois_keys(std::vector<int>{1}, galois_);
    evaluator_.multiply(x_, y_, product_);
    prepared_ = other_;
    if (problem.scheme == "bfv") evaluator_.transform_to_ntt_inplace(prepared_, context_.first_parms_id());
    transformed_ = x_;
    if (problem.scheme == "bfv") evaluator_.transform_to_ntt_inplace(transformed_);
    values_ = problem.x;
    result("encode", [this] { encoder_.encode(values_, scratch_); });
    result("decode", [this] { encoder_.decode(plain_, decoded_); });
    result("key_generation", [this] {
      secret_ = std::make_unique<KeyGenerator>(context_);
      secret_->create_public_key(public_);
    });
    result("relinearization_key", [this] { generator_.create_relin_keys(keys_); });
    result("encrypt", [this] { encryptor_.encrypt(plain_, out_["encrypt"]); });
    result("decrypt", [this] { decryptor_.decrypt(x_, scratch_); });
    result("add", [this] { evaluator_.add(x_, y_, out_["add"]); });
    result("multiply", [this] { evaluator_.multiply(x_, y_, out_["multiply"]); });
    result("relinearize", [this] { evaluator_.relinearize(product_, relinearization_, out_["relinearize"]); });
    result("multiply_relinearize", [this] {
      auto& out = out_["multiply_relinearize"];
      evaluator_.multiply(x_, y_, out);
      evaluator_.relinearize_inplace(out, relinearization_);
    });
    result("rotate", [this] { evaluator_.rotate_rows(x_, 1, galois_, out_["rotate"]); });
    result("multiply_plain", [this] { evaluator_.multiply_plain(x_, other_, out_["multiply_plain"]); });
    result("multiply_plain_transformed",
           [this] { evaluator_.multiply_plain(transformed_, prepared_, out_["multiply_plain_transformed"]); });
  }

  [[nodiscard]] std::string name() const override {
#ifdef SEAL_USE_INTEL_HEXL
    return "SEAL " + version() + " with HEXL";
#else
    return "SEAL " + version();
#endif
  }

  std::vector<std::uint64_t> values(const std::string& operation) override {
    std::vector<std::uint64_t> decoded;
    if (operation == "decode") return decoded_;
    if (operation == "encode" || operation == "decrypt") {
      encoder_.decode(scratch_, decoded);
      return decoded;
    }
    if (operation == "key_generation") {
      Encryptor(context_, public_).encrypt(plain_, out_[operation]);
      Plaintext plain;
      Decryptor(context_, secret_->secret_key()).decrypt(out_[operation], plain);
      encoder_.decode(plain, decoded);
      return decoded;
    }
    if (operation == "relinearization_key") evaluator_.relinearize(product_, keys_, out_[operation]);
    Plaintext plain;
    decryptor_.decrypt(standard(operation), plain);
    encoder_.decode(plain, decoded);
    return decoded;
  }

  std::optional<int> noise(const std::string& operation) override {
    if (out_.find(operation) == out_.end() || operation == "key_generation") return std::nullopt;
    return decryptor_.invariant_noise_budget(standard(operation));
  }

 private:
  static std::string version() {
    return std::to_string(SEAL_VERSION_MAJOR) + '.' + std::to_string(SEAL_VERSION_MINOR) + '.' +
           std::to_string(SEAL_VERSION_PATCH);
  }
  static EncryptionParameters parameters(const peer::Problem& problem) {
    EncryptionParameters out(problem.scheme == "bgv" ? scheme_type::bgv : scheme_type::bfv);
    out.set_poly_modulus_degree(problem.degree);
    out.set_coeff_modulus({problem.moduli.begin(), problem.moduli.end()});
    out.set_plain_modulus(problem.plain_modulus);
    return out;
  }
  static const SEALContext& checked(const SEALContext& context) {
    if (!context.parameters_set()) throw std::runtime_error(context.parameter_error_message());
    return context;
  }
  PublicKey public_key() {
    PublicKey key;
    generator_.create_public_key(key);
    return key;
  }
  void result(const std::string& name, std::function<void()> run) { operations[name] = std::move(run); }
  Ciphertext standard(const std::string& operation) {
    Ciphertext out = out_.at(operation);
    if (out.is_ntt_form() && context_.first_context_data()->parms().scheme() == scheme_type::bfv)
      evaluator_.transform_from_ntt_inplace(out);
    return out;
  }

  SEALContext context_;
  KeyGenerator generator_;
  BatchEncoder encoder_;
  Evaluator evaluator_;
  Decryptor decryptor_;
  Encryptor encryptor_;
  Plaintext plain_, other_, prepared_, scratch_;
  Ciphertext x_, y_, product_, transformed_;
  RelinKeys relinearization_, keys_;
  GaloisKeys galois_;
  PublicKey public_;
  std::unique_ptr<KeyGenerator> secret_;
  std::vector<std::uint64_t> values_, decoded_;
  std::map<std::string, Ciphertext> out_;
};

}  // namespace

int main() {
  return peer::serve([](const peer::Problem& problem) { return std::make_unique<SealPeer>(problem); });
}
