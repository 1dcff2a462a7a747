// SPDX-License-Identifier: Apache-2.0
// OpenFHE, built from its sources, as a contestant of `cyclotome bench`. It chooses its primes itself: of all depths
// the lengths and depths that is taken whose q is longest while log2(QP) is at most the problem's. Its special primes
// have 60 bits.
#include "../peer.hpp"

#include <cmath>
#include <openfhe.h>
#include <type_traits>

namespace {

using namespace lbcrypto;

constexpr const char* refusal = "OpenFHE has no chain of primes for this problem as short as the problem's own";

double bits_of(const std::vector<std::uint64_t>& moduli) {
  double bits = 0;
  for (auto modulus : moduli) bits += std::log2(static_cast<double>(modulus));
  return bits;
}

template <class Scheme>
CryptoContext<DCRTPoly> context_of(const peer::Problem& problem, std::uint32_t depth, std::uint32_t bits,
                                   std::uint32_t digits, KeySwitchTechnique technique) {
  CCParams<Scheme> wanted;
  wanted.SetScalingModSize(bits);
  wanted.SetPlaintextModulus(problem.plain_modulus);
  wanted.SetMultiplicativeDepth(depth);
  wanted.SetRingDim(static_cast<std::uint32_t>(problem.degree));
  wanted.SetSecurityLevel(HEStd_NotSet);
  wanted.SetKeySwitchTechnique(technique);
  if constexpr (std::is_same_v<Scheme, CryptoContextBGVRNS>)
    wanted.SetScalingTechnique(FIXEDMANUAL);  // no primes of its own for levels
  if (technique == BV) wanted.SetDigitSize(18);
  if (digits != 0)
    wanted.SetNumLargeDigits(digits);  // as many as primes: then one special prime serves, and q is longest
  auto context = GenCryptoContext(wanted);
  for (auto feature : {PKE, KEYSWITCH, LEVELEDSHE}) context->Enable(feature);
  return context;
}

std::pair<double, double> lengths(const CryptoContext<DCRTPoly>& context) {
  const auto parameters = std::dynamic_pointer_cast<CryptoParametersRNS>(context->GetCryptoParameters());
  const double q = std::log2(parameters->GetElementParams()->GetModulus().ConvertToDouble());
  const auto special = parameters->GetParamsP();
  return {q, special ? q + std::log2(special->GetModulus().ConvertToDouble()) : q};
}

template <class Scheme>
CryptoContext<DCRTPoly> longest(const peer::Problem& problem) {
  const double limit = bits_of(problem.moduli) + 1;
  for (auto technique : {HYBRID, BV}) {
    CryptoContext<DCRTPoly> found;
    for (std::uint32_t bits : {60, 55, 50, 45, 40}) {
      for (std::uint32_t depth = 1; depth < 40; ++depth) {
        CryptoContext<DCRTPoly> context;
        try {
          context = context_of<Scheme>(problem, depth, bits, 0, technique);
          const auto primes = context->GetElementParams()->GetParams().size();
          if (technique == HYBRID)
            context = context_of<Scheme>(problem, depth, bits, static_cast<std::uint32_t>(primes), technique);
        } catch (const OpenFHEException&) {
          break;
        }
        if (lengths(context).first > limit) break;
        if (lengths(context).second <= limit && (!found || lengths(context).first > lengths(found).first))
          found = context;
      }
    }
    if (found) return found;
  }
  throw std::runtime_error(refusal);
}

class OpenFhePeer : public peer::Peer {
 public:
  explicit OpenFhePeer(const peer::Problem& problem)
      : context_(problem.scheme == "bgv" ? longest<CryptoContextBGVRNS>(problem)
                                         : longest<CryptoContextBFVRNS>(problem)),
        modulus_(static_cast<std::int64_t>(problem.plain_modulus)),
        degree_(problem.degree),
        keys_(context_->KeyGen()) {
    context_->EvalMultKeyGen(keys_.secretKey);
    context_->EvalRotateKeyGen(keys_.secretKey, {1});
    for (auto value : problem.x) values_.push_back(centred(value));
    std::vector<std::int64_t> others;
    for (auto value : problem.y) others.push_back(centred(value));
    plain_ = context_->MakePackedPlaintext(values_);
    other_ = context_->MakePackedPlaintext(others);
    x_ = context_->Encrypt(keys_.publicKey, plain_);
    y_ = context_->Encrypt(keys_.publicKey, other_);
    product_ = context_->EvalMultNoRelin(x_, y_);
    const auto keep = [this](const std::string& name, std::function<Ciphertext<DCRTPoly>()> run) {
      operations[name] = [this, name, run] { out_[name] = run(); };
    };
    operations["encode"] = [this] { encoded_ = context_->MakePackedPlaintext(values_); };
    operations["key_generation"] = [this] { fresh_ = context_->KeyGen(); };
    operations["relinearization_key"] = [this] {
      CryptoContextImpl<DCRTPoly>::ClearEvalMultKeys();  // or it would find the one that is there
      context_->EvalMultKeyGen(keys_.secretKey);
    };
    keep("encrypt", [this] { return context_->Encrypt(keys_.publicKey, plain_); });
    operations["decrypt"] = [this] { context_->Decrypt(keys_.secretKey, x_, &decrypted_); };  // decodes as well
    keep("add", [this] { return context_->EvalAdd(x_, y_); });
    keep("multiply", [this] { return context_->EvalMultNoRelin(x_, y_); });
    keep("relinearize", [this] { return context_->Relinearize(product_); });
    keep("multiply_relinearize", [this] { return context_->EvalMult(x_, y_); });
    keep("rotate", [this] { return context_->EvalRotate(x_, 1); });
    keep("multiply_plain", [this] { return context_->EvalMult(x_, other_); });
    keep("multiply_plain_transformed",
         [this] { return context_->EvalMult(x_, other_); });  // as its products always are
  }

  [[nodiscard]] std::string name() const override { return "OpenFHE " + GetOPENFHEVersion(); }

  std::optional<std::pair<double, double>> modulus_bits() override { return lengths(context_); }

  std::vector<std::uint64_t> values(const std::string& operation) override {
    if (operation == "encode") return read(encoded_);
    if (operation == "decrypt") return read(decrypted_);
    if (operation == "relinearization_key") out_[operation] = context_->Relinearize(product_);
    if (operation == "key_generation") {
      Plaintext plain;
      context_->Decrypt(fresh_.secretKey, context_->Encrypt(fresh_.publicKey, plain_), &plain);
      return read(plain);
    }
    Plaintext plain;
    context_->Decrypt(keys_.secretKey, out_.at(operation), &plain);
    return read(plain);
  }

 private:
  [[nodiscard]] std::int64_t centred(std::uint64_t value) const {
    const auto plain = static_cast<std::int64_t>(value);
    return plain > modulus_ / 2 ? plain - modulus_ : plain;
  }
  [[nodiscard]] std::vector<std::uint64_t> read(const Plaintext& plain) const {
    plain->SetLength(degree_);
    std::vector<std::uint64_t> out;
    for (auto value : plain->GetPackedValue())
      out.push_back(static_cast<std::uint64_t>(value < 0 ? value + modulus_ : value));
    return out;
  }

  CryptoContext<DCRTPoly> context_;
  std::int64_t modulus_;
  std::size_t degree_;
  KeyPair<DCRTPoly> keys_, fresh_;
  std::vector<std::int64_t> values_;
  Plaintext plain_, other_, encoded_, decrypted_;
  Ciphertext<DCRTPoly> x_, y_, product_;
  std::map<std::string, Ciphertext<DCRTPoly>> out_;
};

}  // namespace

int main() {
  return peer::serve([](const peer::Problem& problem) { return std::make_unique<OpenFhePeer>(problem); });
}
