// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/transform/tables.hpp"

namespace cyclotome::study {

namespace {

/// first, first base, first base^2, ...
template <class Value, class Product>
std::vector<Value> powers(Value first, Value base, std::size_t count, const Product& product) {
  std::vector<Value> result{first};
  while (result.size() < count) result.push_back(product(result.back(), base));
  return result;
}

/// Of a transform of `count` values whose twist is by powers of `root`, and whose root of unity is `omega`.
template <class Value, class Product>
LimbTables<Value> self_sorting_tables(std::size_t count, Value one, Value root, Value inverse_root, Value omega,
                                      Value inverse_omega, Value scale, const Product& product) {
  return {powers(one, omega, count, product), powers(one, inverse_omega, count, product),
          powers(one, root, count, product), powers(scale, inverse_root, count, product)};
}

}  // namespace

template <LimbWord W>
LimbTables<W> residue_tables(const Ring& ring, std::size_t limb, bool self_sorting) {
  const TransformTables<W>& tables = ring.tables<W>(limb);
  if (!self_sorting) return {tables.roots, tables.inverse_roots, {}, {}};
  const Modulus<W>& q = tables.modulus;
  const auto inverse = static_cast<W>(inverse_or_zero(tables.root, q.value()));
  const auto product = [&](W a, W b) { return q.multiply(a, b); };
  return self_sorting_tables<W>(tables.degree, 1, tables.root, inverse, product(tables.root, tables.root),
                                product(inverse, inverse), tables.inverse_degree.operand, product);
}

template <LimbWord W>
LimbTables<Gaussian<W>> gaussian_tables(const GaloisTables<W>& galois, bool self_sorting) {
  if (!self_sorting) return {galois.roots, galois.inverse_roots, {}, {}};
  using Value = Gaussian<W>;
  const Modulus<W>& p = galois.modulus;
  const auto product = [&](Value a, Value b) { return multiply(a, b, p); };
  const auto square = [&](Value a) { return product(a, a); };
  const Value one{1, 0}, root = galois.root;
  // The root has order 2n; its inverse is its power 2n - 1 = 1 + 2 + 4 + ... + n.
  Value inverse = one, power = root;
  for (std::size_t bit = 1; bit <= galois.degree; bit *= 2, power = square(power)) inverse = product(inverse, power);
  const auto scale = static_cast<W>(inverse_or_zero(galois.degree / 2, p.value()));  // erratum 000-5: of n/2, not n
  return self_sorting_tables<Value>(galois.degree / 2, one, root, inverse, square(square(root)),
                                    square(square(inverse)), {scale, 0}, product);
}

template LimbTables<std::uint32_t> residue_tables(const Ring&, std::size_t, bool);
template LimbTables<std::uint64_t> residue_tables(const Ring&, std::size_t, bool);
template LimbTables<Gaussian<std::uint32_t>> gaussian_tables(const GaloisTables<std::uint32_t>&, bool);
template LimbTables<Gaussian<std::uint64_t>> gaussian_tables(const GaloisTables<std::uint64_t>&, bool);

}  // namespace cyclotome::study
