// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cyclotome/study/fermat/products/ring_products.hpp"

namespace cyclotome::study::fermat {

namespace {

using Words = std::vector<std::uint64_t>;

/// Primes as leaves, in blocks of as many as a schoolbook takes best, products above them: remainders down, sums up
/// (Borodin and Moenck, 1974).
class PrimeTree {
 public:
  PrimeTree(const Basis& primes, std::size_t first, std::size_t count) : first_(first), count_(count) {
    BigUnsigned product = 1;
    for (std::size_t j = 0; j < count; ++j) product = product * BigUnsigned(primes[first + j]);
    product_ = product.limbs();
    if (count <= block) {
      for (std::size_t j = 0; j < count; ++j) {
        cofactors_.push_back(product.divided_by(primes[first + j]).limbs());
        cofactors_.back().resize(product_.size());
        moduli_.push_back(primes.moduli<std::uint64_t>()[first + j]);
      }
      return;
    }
    low_ = std::make_unique<PrimeTree>(primes, first, count / 2);
    high_ = std::make_unique<PrimeTree>(primes, first + count / 2, count - count / 2);
  }

  const Words& product() const noexcept { return product_; }
  /// Words of a sum: up to so many times the product.
  std::size_t sum_words() const noexcept { return product_.size() + 1; }
  /// Words that `residues` and `sum` want for one number, all levels together.
  std::size_t scratch_words(std::size_t value_words) const noexcept {
    return 8 * (std::max(value_words, product_.size()) + sum_words() + 8);
  }

  /// out[prime] = value mod prime; value has `stride` 1.
  void residues(std::uint64_t* out, std::span<const std::uint64_t> value, const GeneralArithmetic& general,
                std::uint64_t* scratch) const {
    if (low_ == nullptr) {
      for (std::size_t j = 0; j < count_; ++j) {
        std::uint64_t rest = 0;
        for (std::size_t w = value.size(); w-- > 0;) {
          rest = moduli_[j].reduce_wide((static_cast<u128>(rest) << 64) | value[w]);
        }
        out[first_ + j] = rest;
      }
      return;
    }
    for (const PrimeTree* const child : {low_.get(), high_.get()}) {
      const std::size_t size = child->product_.size();
      if (value.size() < size) {
        child->residues(out, value, general, scratch);
        continue;
      }
      general.remainder(scratch, value, child->product_, scratch + size);
      child->residues(out, {scratch, size}, general, scratch + size);
    }
  }

  /// out (sum_words()) = sum over primes of y_j product/p_j.
  void sum(std::uint64_t* out, const std::uint64_t* y, const GeneralArithmetic& general, std::uint64_t* scratch) const {
    std::fill_n(out, sum_words(), 0);
    if (low_ == nullptr) {
      for (std::size_t j = 0; j < count_; ++j) {
        std::uint64_t carry = 0;
        for (std::size_t w = 0; w < product_.size(); ++w) {
          const u128 term = static_cast<u128>(cofactors_[j][w]) * y[first_ + j] + out[w] + carry;
          out[w] = static_cast<std::uint64_t>(term);
          carry = static_cast<std::uint64_t>(term >> 64);
        }
        out[product_.size()] += carry;
      }
      return;
    }
    add_child(out, *low_, *high_, y, general, scratch);
    add_child(out, *high_, *low_, y, general, scratch);
  }

 private:
  static constexpr std::size_t block = 16;

  /// out += child's sum times the other's product.
  void add_child(std::uint64_t* out, const PrimeTree& child, const PrimeTree& other, const std::uint64_t* y,
                 const GeneralArithmetic& general, std::uint64_t* scratch) const {
    const std::size_t size = child.sum_words(), whole = size + other.product_.size();
    child.sum(scratch, y, general, scratch + size);
    std::uint64_t* const product = scratch + size;
    const std::span<const std::uint64_t> a(scratch, size), b(other.product_);
    if (size >= b.size()) general.multiply(product, a, b);
    if (size < b.size()) general.multiply(product, b, a);
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < sum_words(); ++w) {
      const u128 total = static_cast<u128>(out[w]) + (w < whole ? product[w] : 0) + carry;
      out[w] = static_cast<std::uint64_t>(total);
      carry = static_cast<std::uint64_t>(total >> 64);
    }
  }

  std::size_t first_, count_;
  Words product_;
  std::vector<Words> cofactors_;
  std::vector<Modulus<std::uint64_t>> moduli_;
  std::unique_ptr<PrimeTree> low_, high_;
};

class TreeProducts final : public RingProducts {
 public:
  TreeProducts(std::shared_ptr<const WideRing> ring, std::shared_ptr<const LimbProducts> products, EnginePtr engine,
               const GeneralArithmetic& general)
      : ring_(std::move(ring)), products_(std::move(products)), engine_(std::move(engine)), general_(&general) {
    for (std::size_t i = 0; i < products_->limbs(); ++i) {
      const Basis& primes = products_->ring(i)->basis();
      trees_.push_back(std::make_unique<PrimeTree>(primes, 0, primes.size()));
      inverses_.push_back(ToLimb::inverses(primes));
      Words& wrap = wraps_.emplace_back(ring_->basis().limbs()[i].words);
      ring_->limb(i).reduce(wrap, trees_.back()->product());
    }
  }

  void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t limb) const override {
    PolyArray x = forward(a, limb);
    const PolyArray y = forward(b, limb);
    engine_->multiply(x.view(), x.view(), y.view());
    backward(out, x, limb);
  }

 private:
  PolyArray forward(const std::uint64_t* rows, std::size_t limb) const {
    const std::size_t n = ring_->degree(), words = ring_->basis().limbs()[limb].words;
    const PrimeTree& tree = *trees_[limb];
    PolyArray out(engine_, products_->ring(limb), 1, 1);
    Words residues(out.size()), value(words), column(out.limbs()), scratch(tree.scratch_words(words));
    for (std::size_t c = 0; c < n; ++c) {
      gather(value.data(), rows, words, n, c, 1);
      tree.residues(column.data(), value, *general_, scratch.data());
      for (std::size_t j = 0; j < column.size(); ++j) residues[j * n + c] = column[j];
    }
    out.upload(residues.data());
    out.to_transform();
    return out;
  }

  void backward(std::uint64_t* rows, PolyArray& product, std::size_t limb) const {
    const std::size_t n = ring_->degree();
    const PrimeTree& tree = *trees_[limb];
    const LimbArithmetic& arithmetic = ring_->limb(limb);
    product.to_coefficient();
    scale_limbs(*engine_, product.view(), inverses_[limb]);
    Words y(product.size()), column(product.limbs()), sum(tree.sum_words()), value(arithmetic.limb().words),
        over(value.size()), scratch(tree.scratch_words(0));
    product.download(y.data());
    const auto wraps = ToLimb::centred_wraps(products_->ring(limb)->basis(), y.data(), n);
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t j = 0; j < column.size(); ++j) column[j] = y[j * n + c];
      tree.sum(sum.data(), column.data(), *general_, scratch.data());
      arithmetic.reduce(value, sum);
      arithmetic.scale(over.data(), wraps_[limb].data(), static_cast<std::uint64_t>(wraps[c]));
      arithmetic.subtract(value.data(), value.data(), over.data());
      scatter(rows, value.data(), value.size(), n, c, 1);
    }
  }

  std::shared_ptr<const WideRing> ring_;
  std::shared_ptr<const LimbProducts> products_;
  EnginePtr engine_;
  const GeneralArithmetic* general_;
  std::vector<std::unique_ptr<PrimeTree>> trees_;
  std::vector<std::vector<std::uint64_t>> inverses_;
  std::vector<Words> wraps_;
};

}  // namespace

std::unique_ptr<RingProducts> make_tree_products(std::shared_ptr<const WideRing> ring,
                                                 std::shared_ptr<const LimbProducts> products, EnginePtr engine,
                                                 const GeneralArithmetic& arithmetic) {
  return std::make_unique<TreeProducts>(std::move(ring), std::move(products), std::move(engine), arithmetic);
}

}  // namespace cyclotome::study::fermat
