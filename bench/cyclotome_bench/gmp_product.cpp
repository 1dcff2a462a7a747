// SPDX-License-Identifier: Apache-2.0
// Products in Z_q[x]/(x^N + 1) with GMP's integers, for `cyclotome bench --paper 004`: as the thesis computes its cases
// "GMP" and "CRT, GMP", transforms modulo each prime with mpz_mul and mpz_mod. Compiled where GMP is installed, and
// asked over pipes. Reads N, the number of primes, each prime and a primitive 2N-th root of unity modulo it, and the
// coefficients of both factors, 0 and above; then lines: 1 for a product of residues, 2 for one with the conversions
// into and out of residues, each answered with the nanoseconds of the wall and of this thread, until 0, answered with
// the coefficients of the product in [0, q).
#include <gmp.h>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "spent.hpp"

namespace {

class Integer {
 public:
  Integer() { mpz_init(value_); }
  Integer(const Integer& other) { mpz_init_set(value_, other.value_); }
  Integer(Integer&& other) noexcept : Integer() { mpz_swap(value_, other.value_); }
  Integer& operator=(Integer other) noexcept {
    mpz_swap(value_, other.value_);
    return *this;
  }
  ~Integer() { mpz_clear(value_); }
  mpz_ptr get() { return value_; }
  mpz_srcptr get() const { return value_; }

 private:
  mpz_t value_;
};

using Polynomial = std::vector<Integer>;

Integer read() {
  std::string text;
  std::cin >> text;
  Integer value;
  if (mpz_set_str(value.get(), text.c_str(), 10) != 0) std::exit(2);
  return value;
}

/// Transforms modulo one prime: butterflies of Cooley and Tukey, and of Gentleman and Sande, in place.
class Transform {
 public:
  Transform(std::size_t degree, Integer prime, const Integer& root) : prime_(std::move(prime)) {
    Integer inverse;
    mpz_invert(inverse.get(), root.get(), prime_.get());
    roots_ = powers(degree, root);
    inverse_roots_ = powers(degree, inverse);
    mpz_set_ui(scale_.get(), degree);
    mpz_invert(scale_.get(), scale_.get(), prime_.get());
  }

  const Integer& prime() const { return prime_; }

  void reduce(Polynomial& out, const Polynomial& a) const {
    for (std::size_t i = 0; i < a.size(); ++i) mpz_mod(out[i].get(), a[i].get(), prime_.get());
  }

  void forward(Polynomial& a) {
    for (std::size_t count = 1, half = a.size() / 2; half > 0; count *= 2, half /= 2) {
      for (std::size_t group = 0; group < count; ++group) {
        for (std::size_t i = 2 * group * half; i < 2 * group * half + half; ++i) {
          multiply(product_, a[i + half], roots_[count + group]);
          subtract(a[i + half], a[i], product_);
          add(a[i], a[i], product_);
        }
      }
    }
  }

  void inverse(Polynomial& a) {
    for (std::size_t count = a.size() / 2, half = 1; count > 0; count /= 2, half *= 2) {
      for (std::size_t group = 0; group < count; ++group) {
        for (std::size_t i = 2 * group * half; i < 2 * group * half + half; ++i) {
          subtract(product_, a[i], a[i + half]);
          add(a[i], a[i], a[i + half]);
          multiply(a[i + half], product_, inverse_roots_[count + group]);
        }
      }
    }
    for (Integer& value : a) multiply(value, value, scale_);
  }

  void multiply(Integer& out, const Integer& a, const Integer& b) {
    mpz_mul(wide_.get(), a.get(), b.get());
    mpz_mod(out.get(), wide_.get(), prime_.get());
  }

 private:
  /// root^i at the place whose bits are those of i reversed.
  Polynomial powers(std::size_t degree, const Integer& root) {
    Polynomial found(degree);
    Integer power;
    mpz_set_ui(power.get(), 1);
    for (std::size_t i = 0; i < degree; ++i) {
      std::size_t place = 0;
      for (std::size_t bit = 1, mirror = degree / 2; bit < degree; bit *= 2, mirror /= 2) {
        if ((i & bit) != 0) place |= mirror;
      }
      found[place] = power;
      multiply(power, power, root);
    }
    return found;
  }
  void add(Integer& out, const Integer& a, const Integer& b) const {
    mpz_add(out.get(), a.get(), b.get());
    if (mpz_cmp(out.get(), prime_.get()) >= 0) mpz_sub(out.get(), out.get(), prime_.get());
  }
  void subtract(Integer& out, const Integer& a, const Integer& b) const {
    mpz_sub(out.get(), a.get(), b.get());
    if (mpz_sgn(out.get()) < 0) mpz_add(out.get(), out.get(), prime_.get());
  }

  Integer prime_, scale_, product_, wide_;
  Polynomial roots_, inverse_roots_;
};

/// The Chinese remainder theorem: sum of residues times weights, modulo q.
struct Reconstruction {
  Integer modulus, sum;
  std::vector<Integer> weights;

  explicit Reconstruction(const std::vector<Transform>& transforms) {
    mpz_set_ui(modulus.get(), 1);
    for (const Transform& t : transforms) mpz_mul(modulus.get(), modulus.get(), t.prime().get());
    for (const Transform& t : transforms) {
      Integer others, weight;
      mpz_divexact(others.get(), modulus.get(), t.prime().get());
      if (transforms.size() == 1) {
        mpz_set_ui(weight.get(), 1);
      } else {
        mpz_invert(weight.get(), others.get(), t.prime().get());
        mpz_mul(weight.get(), weight.get(), others.get());
      }
      weights.push_back(weight);
    }
  }
  void run(Polynomial& out, const std::vector<Polynomial>& residues) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      mpz_set_ui(sum.get(), 0);
      for (std::size_t j = 0; j < residues.size(); ++j) {
        mpz_addmul(sum.get(), residues[j][i].get(), weights[j].get());
      }
      mpz_mod(out[i].get(), sum.get(), modulus.get());
    }
  }
};

}  // namespace

int main() {
  std::size_t degree = 0, count = 0;
  std::cin >> degree >> count;
  std::vector<Transform> transforms;
  for (std::size_t j = 0; j < count; ++j) {
    Integer prime = read();
    const Integer root = read();
    transforms.emplace_back(degree, std::move(prime), root);
  }
  Polynomial a, b, product(degree);
  for (std::size_t i = 0; i < degree; ++i) a.push_back(read());
  for (std::size_t i = 0; i < degree; ++i) b.push_back(read());
  Reconstruction reconstruction(transforms);
  std::vector<Polynomial> x(count, Polynomial(degree)), y = x, u = x, v = x;
  const auto decompose = [&] {
    for (std::size_t j = 0; j < count; ++j) {
      transforms[j].reduce(x[j], a);
      transforms[j].reduce(y[j], b);
    }
  };
  const auto multiply = [&] {
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t i = 0; i < degree; ++i) {
        mpz_set(u[j][i].get(), x[j][i].get());
        mpz_set(v[j][i].get(), y[j][i].get());
      }
      transforms[j].forward(u[j]);
      transforms[j].forward(v[j]);
      for (std::size_t i = 0; i < degree; ++i) transforms[j].multiply(u[j][i], u[j][i], v[j][i]);
      transforms[j].inverse(u[j]);
    }
  };
  decompose();
  for (int command = 0; std::cin >> command && command > 0;) {
    const Spent spent;
    if (command == 2) decompose();
    multiply();
    if (command == 2) reconstruction.run(product, u);
    spent.tell();
  }
  reconstruction.run(product, u);
  for (const Integer& value : product) {
    char* const text = mpz_get_str(nullptr, 10, value.get());
    std::cout << text << '\n';
    void (*release)(void*, std::size_t);
    mp_get_memory_functions(nullptr, nullptr, &release);
    release(text, std::char_traits<char>::length(text) + 1);
  }
  return std::cout.flush() ? 0 : 1;
}
